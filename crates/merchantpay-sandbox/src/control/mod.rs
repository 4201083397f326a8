//! The control API, as `CONTROL.md` describes it. It has no path in common with the merchant API.

mod lists;
mod overview;
mod payments;

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use axum::routing::{any, delete, get, post};
use axum::{Json, Router, middleware};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::AppState;
use crate::base::hosts::{Peer, once};
use crate::base::{assumptions, read_up_to};

pub(crate) fn router(app: &Arc<AppState>) -> Router {
    Router::new()
        .route("/sandbox", get(overview::read))
        .route("/sandbox/settings", get(overview::settings))
        .route("/sandbox/keys", post(overview::accept_key))
        .route("/sandbox/clock", get(overview::clock).post(overview::advance))
        .route("/sandbox/events", get(overview::stream))
        .route("/sandbox/payments", get(payments::list).post(payments::create).delete(payments::clear))
        .route("/sandbox/payments/{order_id}", get(payments::one))
        .route("/sandbox/payments/{order_id}/customer", post(payments::customer))
        .route("/sandbox/payments/{order_id}/merchant", post(payments::merchant))
        .route("/sandbox/payments/{order_id}/operator", post(payments::operator))
        .route("/sandbox/payments/{order_id}/webhooks", post(lists::plan).delete(lists::forget_plans))
        .route("/sandbox/payments/{order_id}/receipts/{id}", get(payments::receipt))
        .route("/sandbox/exchanges", get(lists::exchanges).delete(lists::clear_exchanges))
        .route("/sandbox/exchanges/{id}", get(lists::exchange))
        .route("/sandbox/exchanges/{id}/{side}", get(lists::bytes))
        .route("/sandbox/webhooks", get(lists::webhooks).delete(lists::clear_webhooks))
        .route("/sandbox/webhooks/{id}", get(lists::webhook).post(lists::resend))
        .route("/sandbox/faults", get(lists::faults).post(lists::add_fault).delete(lists::clear_faults))
        .route("/sandbox/faults/{id}", delete(lists::remove_fault))
        .route("/sandbox/stories/{name}", post(payments::play))
        .route("/sandbox/receiver-checks", post(payments::check))
        .route("/sandbox/receiver", post(payments::receive))
        .route("/sandbox/{*rest}", any(async || Problem::not_found("there is no such endpoint")))
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this method is not allowed here")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(app), check))
        .with_state(Arc::clone(app))
}

type App = State<Arc<AppState>>;
type Result<T> = std::result::Result<T, Problem>;
type Document = Result<Json<Value>>;

#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    #[serde(skip)]
    status: StatusCode,
    code: &'static str,
    message: String,
}

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Problem {
        Problem { status, code, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "invalid", message)
    }

    pub(crate) fn forbidden(message: &str) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "notFound", message)
    }

    pub(crate) fn payment_not_found() -> Problem {
        Problem::not_found("there is no such payment")
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, "conflict", message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        (self.status, Json(json!({"error": self}))).into_response()
    }
}

struct Input<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Input<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Input<T>> {
        let body = Json::from_request(request, state).await;
        body.map(|Json(one)| Input(one)).map_err(|error| Problem::invalid(error.body_text()))
    }
}

struct Filter<T>(T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Filter<T> {
    type Rejection = Problem;

    async fn from_request_parts(head: &mut Parts, _: &S) -> Result<Filter<T>> {
        let parameters = Query::try_from_uri(&head.uri);
        parameters.map(|Query(one)| Filter(one)).map_err(|error| Problem::invalid(error.body_text()))
    }
}

const LONGEST_URL: usize = 2048;

fn check_webhook_url(app: &AppState, url: &str) -> Result<()> {
    if url.len() > LONGEST_URL || !assumptions::is_webhook_url(url) {
        return Err(Problem::invalid("a webhook's URL must be an http or https URL with a host"));
    }
    if !app.service.webhook_hosts.allows(url) {
        return Err(Problem::forbidden(assumptions::FOREIGN_WEBHOOK_TEXT));
    }
    Ok(())
}

/// `read` returns that many entries with their numbers, newest first: one more than the page has, to see whether the
/// list goes on.
fn page<T: Serialize>(
    name: &str,
    limit: Option<usize>,
    read: impl FnOnce(usize) -> Vec<(u64, T)>,
) -> Document {
    let limit = limit.unwrap_or(100);
    if !(1..=500).contains(&limit) {
        return Err(Problem::invalid("limit must be a whole number from 1 to 500"));
    }
    let mut entries = read(limit + 1);
    let goes_on = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| goes_on).map(|(number, _)| *number);
    let entries: Vec<T> = entries.into_iter().map(|(_, entry)| entry).collect();
    Ok(Json(json!({name: entries, "next": next})))
}

/// A text that is no number gets the error of an unknown path.
fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| Problem::not_found("there is no entry with this number"))
}

/// A download that browsers must neither run nor give another type.
fn download(bytes: Bytes, content_type: &str, disposition: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes));
    for (name, value) in [
        (header::CONTENT_TYPE, content_type),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static("attachment"));
        response.headers_mut().insert(name, value);
    }
    response
}

const LARGEST: usize = 64 * 1024;

/// Refuses what a page of another site can send: a browser on the developer's machine can reach the sandbox on
/// behalf of any page.
async fn check(State(app): App, request: Request, next: Next) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = read_up_to(body, LARGEST).await;
    let mut response = match (refusal(&app, &head), body) {
        (Some(problem), _) => problem.into_response(),
        (None, Ok(Some(body))) => next.run(Request::from_parts(head, Body::from(body))).await,
        (None, Ok(None)) => Problem::invalid("the body is too large").into_response(),
        (None, Err(_)) => Problem::invalid("the body cannot be read").into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn refusal(app: &AppState, head: &Parts) -> Option<Problem> {
    if let Some(why) = app.own_hosts.refusal(&head.headers) {
        return Some(Problem::forbidden(why));
    }
    // A form of another site can post to every server without permission, but it cannot post JSON.
    let content_type = once(&head.headers, header::CONTENT_TYPE.as_str()).ok().flatten().unwrap_or_default();
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    (head.method == Method::POST && !kind.eq_ignore_ascii_case("application/json")).then(|| {
        let why = "Content-Type must be application/json";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "contentType", why)
    })
}

/// The control API and the console have no login.
pub(crate) async fn this_machine_only(request: Request, next: Next) -> Response<Body> {
    if request.extensions().get::<Peer>().is_some_and(|peer| peer.is_this_machine()) {
        return next.run(request).await;
    }
    let _ = read_up_to(request.into_body(), 0).await;
    Problem::forbidden(
        "the console and the control API answer only clients on the sandbox's own machine, by its loopback \
         address: `merchantpay sandbox --allow-remote` opens them to the network",
    )
    .into_response()
}
