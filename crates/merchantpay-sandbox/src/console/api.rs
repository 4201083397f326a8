//! Calls the control API in the same process. The console uses only this API, so a script can do and see
//! everything that the console does and shows.

use std::net::IpAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use serde_json::Value;

use super::layout::{self, Page};

/// The largest size of a document. All documents of the control API are smaller.
const LARGEST: usize = 64 << 20;

/// The number of rows of a page. More rows would make a page too long on a phone.
const PAGE: usize = 25;

/// The control API, as the console calls it.
#[derive(Clone)]
pub(super) struct Api {
    control: Router,
    /// The `Host` header that the control API accepts.
    host: String,
}

impl Api {
    pub(super) fn new(control: Router, listens_on: IpAddr) -> Api {
        let host = if listens_on.is_ipv6() { format!("[{listens_on}]") } else { listens_on.to_string() };
        Api { control, host }
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, Page> {
        self.call(Method::GET, path, None).await
    }

    /// One page of a list.
    pub(super) async fn list(&self, path: &str, query: &str) -> Result<Value, Page> {
        self.get(&format!("{path}?limit={PAGE}&{query}")).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Result<Value, Page> {
        self.call(Method::POST, path, Some(body)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Result<Value, Page> {
        self.call(Method::DELETE, path, None).await
    }

    /// The document, or a page with the API's error text.
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Page> {
        use tower_service::Service as _;

        let broken = || {
            layout::problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "The sandbox did not understand its own console.",
            )
        };
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, &self.host);
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let request = request.body(body).map_err(|_| broken())?;
        let Ok(response) = self.control.clone().call(request).await;
        let status = response.status();
        let bytes = to_bytes(response.into_body(), LARGEST).await.map_err(|_| broken())?;
        let document: Value = serde_json::from_slice(&bytes).map_err(|_| broken())?;
        if status.is_success() {
            return Ok(document);
        }
        let message = text(document.get("error").unwrap_or(&Value::Null), "message");
        Err(layout::problem(status, message))
    }
}

/// A text of a document; empty if it is absent.
pub(super) fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A whole number of a document; zero if it is absent.
pub(super) fn number(document: &Value, name: &str) -> u64 {
    document.get(name).and_then(Value::as_u64).unwrap_or_default()
}

pub(super) fn flag(document: &Value, name: &str) -> bool {
    document.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A list of a document; empty if it is absent.
pub(super) fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts of a list.
pub(super) fn words<'a>(document: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    list(document, name).iter().filter_map(Value::as_str)
}
