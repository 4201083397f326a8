//! The control API: what `CONTROL.md` describes. Nothing of it is on the merchant's paths.

mod clock;
mod events;
mod exchanges;
mod faults;
mod guard;
mod payments;
mod refusal;
mod request;
mod webhooks;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response, header};
use axum::routing::{any, get, post};
use axum::{Router, middleware};
use serde_json::Value;

use crate::merchant_api::AppState;
use crate::view;
pub(crate) use guard::is_own_host;
use refusal::Refusal;

/// What a handler gives: JSON, or why not.
type ApiResult = Result<Response<Body>, Refusal>;

pub(crate) fn routes(app: &Arc<AppState>) -> Router<Arc<AppState>> {
    Router::new()
        .route("/sandbox", get(async |State(app): State<Arc<AppState>>| json(200, &view::sandbox(&app))))
        .route("/sandbox/events", get(events::stream))
        .route("/sandbox/payments", get(payments::list))
        .route("/sandbox/payments/{order_id}", get(payments::one))
        .route("/sandbox/payments/{order_id}/customer", post(payments::customer))
        .route("/sandbox/payments/{order_id}/operator", post(payments::operator))
        .route("/sandbox/payments/{order_id}/webhooks", post(webhooks::plan).delete(webhooks::forget_plans))
        .route("/sandbox/payments/{order_id}/receipts/{id}", get(payments::receipt))
        .route("/sandbox/exchanges", get(exchanges::list))
        .route("/sandbox/exchanges/{id}", get(exchanges::one))
        .route("/sandbox/exchanges/{id}/{side}", get(exchanges::bytes))
        .route("/sandbox/webhooks", get(webhooks::list))
        .route("/sandbox/webhooks/{id}", get(webhooks::one).post(webhooks::resend))
        .route("/sandbox/faults", get(faults::list).post(faults::add).delete(faults::clear))
        .route("/sandbox/faults/{id}", axum::routing::delete(faults::remove))
        .route("/sandbox/clock", get(clock::read).post(clock::advance))
        .route("/sandbox/{*rest}", any(async || Refusal::not_found("there is nothing of that name")))
        .method_not_allowed_fallback(async || Refusal::method())
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::check))
}

/// A JSON reply.
fn json(status: u16, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{value}\n")));
    *response.status_mut() = axum::http::StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
