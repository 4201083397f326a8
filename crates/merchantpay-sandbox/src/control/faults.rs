//! Plans and removes faults.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::{Input, Problem, Result, number};
use crate::app::AppState;
use crate::model::fault::{FaultList, PlannedFault};

/// The largest number of faults in the queue.
const MOST: usize = 1000;

pub(super) async fn list(State(app): State<Arc<AppState>>) -> Json<FaultList> {
    Json(app.faults.list())
}

pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    Input(fault): Input<PlannedFault>,
) -> Result<(StatusCode, Json<PlannedFault>)> {
    fault.check().map_err(Problem::invalid)?;
    if app.faults.list().faults.len() >= MOST {
        return Err(Problem::conflict("there are too many faults already: clear some"));
    }
    let seed = app.service.options.seed.unwrap_or_else(|| app.service.clock.now());
    let planned = app.faults.plan(fault, seed);
    app.service.events.publish("faults", || app.faults.list());
    Ok((StatusCode::CREATED, Json(planned)))
}

pub(super) async fn clear(State(app): State<Arc<AppState>>) -> Json<FaultList> {
    app.faults.clear();
    app.service.events.publish("faults", || app.faults.list());
    Json(app.faults.list())
}

pub(super) async fn remove(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Json<FaultList>> {
    if !app.faults.remove(number(&id)?) {
        return Err(Problem::not_found("there is no such fault"));
    }
    app.service.events.publish("faults", || app.faults.list());
    Ok(Json(app.faults.list()))
}
