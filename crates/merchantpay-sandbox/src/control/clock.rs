//! Shows the clock, and advances a manual clock.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use serde_json::json;

use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::response;
use crate::app::AppState;
use crate::model::view;

/// The longest advance of the clock: 31 days.
const FURTHEST_MS: u64 = 31 * 86_400_000;

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> ApiResult {
    Ok(response::json(200, &view::clock(&app.service.clock)))
}

pub(crate) async fn advance(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let by = fields
        .number("advanceMs", 0, FURTHEST_MS)?
        .ok_or_else(|| Refusal::invalid("advanceMs is missing"))?;
    fields.end()?;
    let service = &app.service;
    let fired = service.clock.advance(Duration::from_millis(by));
    let fired = fired.ok_or_else(|| {
        Refusal::conflict("the clock is not manual: start the sandbox with --clock manual to advance it")
    })?;
    service.database.save_progress(&service.clock, service.payments.random());
    service.events.publish("clock", || view::clock(&service.clock));
    let mut clock = view::clock(&service.clock);
    clock["fired"] = json!(fired);
    Ok(response::json(200, &clock))
}
