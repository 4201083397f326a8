//! Plans and removes faults.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Path, State};
use merchantpay::OPERATIONS;
use serde_json::Value;

use super::refusal::{ApiResult, Refusal};
use super::request::{RequestFields, number};
use super::response;
use crate::app::AppState;
use crate::base::assumptions;
use crate::base::random::Sequence;
use crate::model::fault::{Fault, PlannedFault};
use crate::model::view;

/// The longest latency.
const LONGEST_MS: u64 = 600_000;
/// The largest number of faults in the queue.
const MOST: usize = 1000;

pub(crate) async fn list(State(app): State<Arc<AppState>>) -> ApiResult {
    Ok(response::json(200, &faults(&app)))
}

pub(crate) async fn add(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let kind = fields.text("kind")?.unwrap_or_default();
    let latency = fields.number("latencyMs", 1, LONGEST_MS)?.map(Duration::from_millis);
    let bytes = fields
        .number("bytes", 1, assumptions::LARGEST_REQUEST as u64)?
        .and_then(|bytes| usize::try_from(bytes).ok());
    let operation = fields.text("operation")?;
    let times = fields.number("times", 1, u64::from(u32::MAX))?.and_then(|times| u32::try_from(times).ok());
    let (probability, seed) = (fields.probability("probability")?, fields.number("seed", 0, u64::MAX)?);
    fields.end()?;
    let fault = Fault::named(&kind, latency, bytes).ok_or_else(|| match kind.as_str() {
        "latency" => Refusal::invalid("the fault latency needs latencyMs, and no other parameter"),
        "oversized" => Refusal::invalid("the fault oversized needs bytes, and no other parameter"),
        known if Fault::NAMES.contains(&known) => Refusal::invalid(
            "only the fault latency takes latencyMs, and only the fault oversized takes bytes",
        ),
        _ => Refusal::invalid(format!("kind must be one of {}", Fault::NAMES.join(", "))),
    })?;
    if operation.as_ref().is_some_and(|wanted| !OPERATIONS.iter().any(|known| known.name == wanted)) {
        let names: Vec<&str> = OPERATIONS.iter().map(|known| known.name).collect();
        return Err(Refusal::invalid(format!("operation must be one of {}", names.join(", "))));
    }
    if seed.is_some() && probability.is_none() {
        return Err(Refusal::invalid("seed needs a probability"));
    }
    if app.faults.all().len() >= MOST {
        return Err(Refusal::conflict("there are too many faults already: clear some"));
    }
    let seed = seed.or(app.service.options.seed).unwrap_or_else(|| app.service.clock.now());
    let order = app.faults.plan(PlannedFault {
        id: 0,
        fault,
        operation,
        times: if probability.is_some() { times } else { Some(times.unwrap_or(1)) },
        happened: 0,
        chance: probability.map(|probability| (probability, seed, Sequence(seed))),
    });
    publish(&app);
    Ok(response::json(201, &view::fault(&order)))
}

pub(crate) async fn clear(State(app): State<Arc<AppState>>) -> ApiResult {
    app.faults.clear();
    publish(&app);
    list(State(app)).await
}

pub(crate) async fn remove(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> ApiResult {
    if !app.faults.remove(number(&id)?) {
        return Err(Refusal::not_found("there is no such fault"));
    }
    publish(&app);
    list(State(app)).await
}

fn publish(app: &AppState) {
    app.service.events.publish("faults", || faults(app));
}

fn faults(app: &AppState) -> Value {
    view::faults(&app.faults.all(), &app.stalled.all())
}
