//! The errors of the control API.

use axum::body::Body;
use axum::http::Response;
use axum::response::IntoResponse;
use serde_json::json;

use super::response;

/// The result of a handler.
pub(crate) type ApiResult = Result<Response<Body>, Refusal>;

/// A refusal: an HTTP status, a code for programs, and a sentence.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: u16,
    code: &'static str,
    message: String,
}

impl Refusal {
    pub(crate) fn invalid(message: impl Into<String>) -> Refusal {
        Refusal { status: 400, code: "invalid", message: message.into() }
    }

    pub(crate) fn forbidden(message: &str) -> Refusal {
        Refusal { status: 403, code: "forbidden", message: message.to_owned() }
    }

    pub(crate) fn not_found(message: &str) -> Refusal {
        Refusal { status: 404, code: "notFound", message: message.to_owned() }
    }

    pub(crate) fn payment_not_found() -> Refusal {
        Refusal::not_found("there is no such payment")
    }

    pub(crate) fn method() -> Refusal {
        Refusal { status: 405, code: "method", message: "this method is not allowed here".to_owned() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Refusal {
        Refusal { status: 409, code: "conflict", message: message.into() }
    }

    pub(crate) fn content_type() -> Refusal {
        Refusal {
            status: 415,
            code: "contentType",
            message: "Content-Type must be application/json".to_owned(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        response::json(self.status, &json!({"error": {"code": self.code, "message": self.message}}))
    }
}
