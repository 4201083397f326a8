//! Shows and downloads the signed exchanges.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Filter, Problem, Result, download, number, page, page_size};
use crate::app::AppState;
use crate::model::exchange::{Exchange, ExchangeSummary};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wanted {
    limit: Option<usize>,
    before: Option<u64>,
    order_id: Option<String>,
    operation: Option<String>,
    refused: bool,
}

pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    Filter(wanted): Filter<Wanted>,
) -> Result<Json<Value>> {
    let size = page_size(wanted.limit)?;
    let passes = |exchange: &ExchangeSummary| {
        wanted.operation.as_deref().is_none_or(|one| exchange.operation == Some(one))
            && (wanted.order_id.is_none() || wanted.order_id == exchange.order_id)
            && (!wanted.refused || exchange.is_refused())
    };
    let (mut exchanges, next) = page(app.exchanges.newest(wanted.before, size, passes), size);
    exchanges.iter_mut().for_each(|exchange| note_existence(&app, exchange));
    Ok(Json(json!({"exchanges": exchanges, "next": next})))
}

/// A merchant can name any order id, and payments can be deleted.
fn note_existence(app: &AppState, exchange: &mut ExchangeSummary) {
    let order_id = exchange.order_id.as_deref();
    exchange.order_exists = Some(order_id.is_some_and(|order_id| app.service.payments.has(order_id)));
}

pub(super) async fn one(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Exchange>> {
    let mut exchange = find(&app, &id)?;
    note_existence(&app, &mut exchange.summary);
    Ok(Json(exchange))
}

/// Deletes all exchanges.
pub(super) async fn clear(State(app): State<Arc<AppState>>) -> Json<Value> {
    let cleared = app.exchanges.clear();
    app.service.events.publish("cleared", || json!({"list": "exchanges"}));
    Json(json!({"cleared": cleared}))
}

/// Downloads the bytes of a request or a reply.
pub(super) async fn bytes(
    State(app): State<Arc<AppState>>,
    Path((id, side)): Path<(String, String)>,
) -> Result<Response<Body>> {
    let exchange = find(&app, &id)?;
    let message = match side.as_str() {
        "request" => Some(exchange.request),
        "reply" => exchange.reply,
        _ => None,
    };
    let message = message.ok_or_else(|| Problem::not_found("the exchange has no body of this kind"))?;
    Ok(download(message.body.bytes, "application/octet-stream", "attachment"))
}

fn find(app: &AppState, id: &str) -> Result<Exchange> {
    let found = app.exchanges.get(number(id)?);
    found.ok_or_else(|| Problem::not_found("there is no such exchange, or it is not kept any more"))
}
