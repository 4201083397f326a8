//! The clock: read, and moved on where it stands still.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use serde_json::json;

use super::reading::Asked;
use super::refusal::Refusal;
use super::{Answer, view};
use crate::server::AppState;

/// 31 days.
const FURTHEST_MS: u64 = 31 * 86_400_000;

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> Answer {
    Ok(super::json(200, &view::clock(&app.service.clock)))
}

pub(crate) async fn advance(State(app): State<Arc<AppState>>, body: Body) -> Answer {
    let mut asked = Asked::read(body).await?;
    let by = asked.number("advanceMs", 0, FURTHEST_MS)?.ok_or_else(|| Refusal::invalid("advanceMs is missing"))?;
    asked.end()?;
    let service = &app.service;
    let fired = service.clock.advance(Duration::from_millis(by));
    let fired = fired.ok_or_else(|| Refusal::conflict("the clock is a real one: start the sandbox with a manual one to advance it"))?;
    service.database.keep_place(&service.clock, service.store.random());
    service.events.publish("clock", || view::clock(&service.clock));
    let mut clock = view::clock(&service.clock);
    clock["fired"] = json!(fired);
    Ok(super::json(200, &clock))
}
