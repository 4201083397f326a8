//! Shows, downloads and clears the signed exchanges and the webhooks.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Filter, Problem, Result, download, number, page};
use crate::app::AppState;
use crate::model::exchange::{Exchange, ExchangeSummary};
use crate::model::webhook::{Webhook, WebhookSummary};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WantedExchanges {
    limit: Option<usize>,
    before: Option<u64>,
    order_id: Option<String>,
    operation: Option<String>,
    refused: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WantedWebhooks {
    limit: Option<usize>,
    before: Option<u64>,
    order_id: Option<String>,
    merchant_id: Option<String>,
    token: Option<String>,
}

pub(super) async fn exchanges(
    State(app): State<Arc<AppState>>,
    Filter(wanted): Filter<WantedExchanges>,
) -> Result<Json<Value>> {
    let passes = |exchange: &ExchangeSummary| {
        wanted.operation.as_deref().is_none_or(|one| exchange.operation == Some(one))
            && (wanted.order_id.is_none() || wanted.order_id == exchange.order_id)
            && (!wanted.refused || exchange.is_refused())
    };
    page("exchanges", wanted.limit, |size| {
        let exchanges = app.exchanges.newest(wanted.before, size, passes).into_iter();
        exchanges.map(|(id, exchange)| (id, shown(&app, exchange))).collect()
    })
}

/// A merchant can name any order id, and payments can be deleted.
fn shown(app: &AppState, entry: impl Serialize) -> Value {
    let mut shown = json!(entry);
    let exists = shown["orderId"].as_str().is_some_and(|order_id| app.service.payments.has(order_id));
    shown["orderExists"] = exists.into();
    shown
}

pub(super) async fn exchange(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
) -> Result<Json<Value>> {
    Ok(Json(shown(&app, find_exchange(&app, &id)?)))
}

pub(super) async fn clear_exchanges(State(app): State<Arc<AppState>>) -> Json<Value> {
    let cleared = app.exchanges.clear();
    app.service.events.publish("cleared", || json!({"list": "exchanges"}));
    Json(json!({"cleared": cleared}))
}

pub(super) async fn bytes(
    State(app): State<Arc<AppState>>,
    Path((id, side)): Path<(String, String)>,
) -> Result<Response<Body>> {
    let exchange = find_exchange(&app, &id)?;
    let message = match side.as_str() {
        "request" => Some(exchange.request),
        "reply" => exchange.reply,
        _ => None,
    };
    let message = message.ok_or_else(|| Problem::not_found("the exchange has no body of this kind"))?;
    Ok(download(message.body.bytes, "application/octet-stream", "attachment"))
}

fn find_exchange(app: &AppState, id: &str) -> Result<Exchange> {
    let found = app.exchanges.get(number(id)?);
    found.ok_or_else(|| Problem::not_found("there is no such exchange, or it is not kept any more"))
}

pub(super) async fn webhooks(
    State(app): State<Arc<AppState>>,
    Filter(wanted): Filter<WantedWebhooks>,
) -> Result<Json<Value>> {
    let passes = |webhook: &WebhookSummary| {
        wanted.order_id.as_ref().is_none_or(|one| *one == webhook.order_id)
            && (wanted.merchant_id.is_none() || wanted.merchant_id == webhook.merchant_id)
            && (wanted.token.is_none() || wanted.token == webhook.token)
    };
    page("webhooks", wanted.limit, |size| {
        let webhooks = app.service.deliveries.log.newest(wanted.before, size, passes).into_iter();
        webhooks.map(|(id, webhook)| (id, shown(&app, webhook))).collect()
    })
}

pub(super) async fn webhook(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Value>> {
    Ok(Json(shown(&app, find_webhook(&app, &id)?)))
}

/// Deletes the webhooks whose delivery has succeeded or finally failed.
pub(super) async fn clear_webhooks(State(app): State<Arc<AppState>>) -> Json<Value> {
    let cleared = app.service.deliveries.log.remove_done();
    app.service.events.publish("cleared", || json!({"list": "webhooks"}));
    Json(json!({"cleared": cleared}))
}

pub(super) fn find_webhook(app: &AppState, id: &str) -> Result<Webhook> {
    let webhook = app.service.deliveries.log.get(number(id)?);
    webhook.ok_or_else(|| Problem::not_found("there is no such webhook, or it is not kept any more"))
}
