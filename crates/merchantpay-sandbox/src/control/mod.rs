//! The control API, as `CONTROL.md` describes it. It has no path in common with the merchant API.

mod clock;
mod events;
mod exchanges;
mod faults;
mod guard;
mod merchant;
mod overview;
mod payments;
mod refusal;
mod request;
mod response;
mod settings;
mod stories;
mod webhooks;

use std::sync::Arc;

use axum::routing::{any, get, post};
use axum::{Router, middleware};

use crate::app::AppState;
pub(crate) use guard::this_machine_only;
use refusal::Refusal;

pub(crate) fn router(app: &Arc<AppState>) -> Router {
    Router::new()
        .route("/sandbox", get(overview::read))
        .route("/sandbox/settings", get(settings::read))
        .route("/sandbox/keys", post(settings::accept_key))
        .route("/sandbox/events", get(events::stream))
        .route("/sandbox/payments", get(payments::list).post(merchant::create).delete(payments::clear))
        .route("/sandbox/payments/{order_id}", get(payments::one))
        .route("/sandbox/payments/{order_id}/customer", post(payments::customer))
        .route("/sandbox/payments/{order_id}/merchant", post(merchant::act))
        .route("/sandbox/payments/{order_id}/operator", post(payments::operator))
        .route("/sandbox/payments/{order_id}/webhooks", post(webhooks::plan).delete(webhooks::forget_plans))
        .route("/sandbox/payments/{order_id}/receipts/{id}", get(payments::receipt))
        .route("/sandbox/exchanges", get(exchanges::list).delete(exchanges::clear))
        .route("/sandbox/exchanges/{id}", get(exchanges::one))
        .route("/sandbox/exchanges/{id}/{side}", get(exchanges::bytes))
        .route("/sandbox/webhooks", get(webhooks::list).delete(webhooks::clear))
        .route("/sandbox/webhooks/{id}", get(webhooks::one).post(webhooks::resend))
        .route("/sandbox/faults", get(faults::list).post(faults::add).delete(faults::clear))
        .route("/sandbox/faults/{id}", axum::routing::delete(faults::remove))
        .route("/sandbox/stories/{name}", post(stories::play))
        .route("/sandbox/receiver-checks", post(stories::check))
        .route("/sandbox/receiver", post(stories::receive))
        .route("/sandbox/clock", get(clock::read).post(clock::advance))
        .route("/sandbox/{*rest}", any(async || Refusal::not_found("there is no such endpoint")))
        .method_not_allowed_fallback(async || Refusal::method())
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::check))
        .with_state(Arc::clone(app))
}
