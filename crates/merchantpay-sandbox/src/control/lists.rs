//! Shows, downloads and clears the signed exchanges and the webhooks, plans faults, and sends webhooks again.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{App, Document, Filter, Input, Problem, Result, download, number, page};
use crate::app::AppState;
use crate::model::exchange::{Exchange, ExchangeSummary};
use crate::model::fault::PlannedFault;
use crate::model::payment::Payment;
use crate::model::state::{WebhookAction, WebhookPlan};
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

pub(super) async fn exchanges(State(app): App, Filter(wanted): Filter<WantedExchanges>) -> Document {
    let passes = |exchange: &ExchangeSummary| {
        wanted.operation.as_deref().is_none_or(|one| exchange.operation == Some(one))
            && (wanted.order_id.is_none() || wanted.order_id == exchange.order_id)
            && (!wanted.refused || exchange.is_refused())
    };
    page("exchanges", wanted.limit, |size| {
        let exchanges = app.exchanges.newest(wanted.before, size, passes).into_iter();
        exchanges.map(|(id, exchange)| (id, with_order_exists(&app, exchange))).collect()
    })
}

/// `orderExists`, so that the console links only what is there: a request can name any order id, and a payment can
/// have been deleted.
fn with_order_exists(app: &AppState, entry: impl Serialize) -> Value {
    let mut shown = json!(entry);
    let exists = shown["orderId"].as_str().is_some_and(|order_id| app.service.payments.has(order_id));
    shown["orderExists"] = exists.into();
    shown
}

pub(super) async fn exchange(State(app): App, Path(id): Path<String>) -> Document {
    Ok(Json(with_order_exists(&app, find_exchange(&app, &id)?)))
}

pub(super) async fn clear_exchanges(State(app): App) -> Json<Value> {
    cleared(&app, "exchanges", app.exchanges.clear())
}

pub(super) fn cleared(app: &AppState, list: &str, count: usize) -> Json<Value> {
    app.service.events.publish("cleared", || json!({"list": list}));
    Json(json!({"cleared": count}))
}

pub(super) async fn bytes(
    State(app): App,
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

pub(super) async fn webhooks(State(app): App, Filter(wanted): Filter<WantedWebhooks>) -> Document {
    let passes = |webhook: &WebhookSummary| {
        wanted.order_id.as_ref().is_none_or(|one| *one == webhook.order_id)
            && (wanted.merchant_id.is_none() || wanted.merchant_id == webhook.merchant_id)
            && (wanted.token.is_none() || wanted.token == webhook.token)
    };
    page("webhooks", wanted.limit, |size| {
        let webhooks = app.service.deliveries.log.newest(wanted.before, size, passes).into_iter();
        webhooks.map(|(id, webhook)| (id, with_order_exists(&app, webhook))).collect()
    })
}

pub(super) async fn webhook(State(app): App, Path(id): Path<String>) -> Document {
    Ok(Json(with_order_exists(&app, find_webhook(&app, &id)?)))
}

pub(super) async fn clear_webhooks(State(app): App) -> Json<Value> {
    cleared(&app, "webhooks", app.service.deliveries.log.remove_done())
}

fn find_webhook(app: &AppState, id: &str) -> Result<Webhook> {
    let webhook = app.service.deliveries.log.get(number(id)?);
    webhook.ok_or_else(|| Problem::not_found("there is no such webhook, or it is not kept any more"))
}

const MOST_FAULTS: usize = 1000;
const MOST_PLANS: usize = 100;
const LONGEST_DELAY_MS: u64 = 600_000;
const MOST_REPEATS: u32 = 1000;

pub(super) async fn faults(State(app): App) -> Json<Value> {
    Json(app.faults.list())
}

pub(super) async fn add_fault(
    State(app): App,
    Input(fault): Input<PlannedFault>,
) -> Result<(StatusCode, Json<PlannedFault>)> {
    fault.check().map_err(Problem::invalid)?;
    if app.faults.count() >= MOST_FAULTS {
        return Err(Problem::conflict("there are too many faults already: clear some"));
    }
    let seed = app.service.options.seed.unwrap_or_else(|| app.service.clock.now());
    let planned = app.faults.plan(fault, seed);
    app.service.events.publish("faults", || app.faults.list());
    Ok((StatusCode::CREATED, Json(planned)))
}

fn changed_faults(app: &AppState) -> Json<Value> {
    app.service.events.publish("faults", || app.faults.list());
    Json(app.faults.list())
}

pub(super) async fn clear_faults(State(app): App) -> Json<Value> {
    app.faults.clear();
    changed_faults(&app)
}

pub(super) async fn remove_fault(State(app): App, Path(id): Path<String>) -> Document {
    if !app.faults.remove(number(&id)?) {
        return Err(Problem::not_found("there is no such fault"));
    }
    Ok(changed_faults(&app))
}

pub(super) async fn resend(
    State(app): App,
    Path(id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Document {
    let past = find_webhook(&app, &id)?;
    check_delay(&plan)?;
    if plan.action == WebhookAction::Reorder || plan.times != 1 {
        return Err(Problem::invalid(
            "a past webhook is sent once and cannot be reordered: plan the action for the payment's next webhooks",
        ));
    }
    let service = &app.service;
    let copies = service.deliveries.resend(&past, plan);
    service.payments.with(&past.summary.order_id, |payment| {
        payment.webhooks += copies.len() as u64;
        service.save_and_publish(payment);
    });
    Ok(Json(json!({"webhooks": copies})))
}

pub(super) async fn plan(
    State(app): App,
    Path(order_id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Document {
    check_delay(&plan)?;
    if plan.action == WebhookAction::Resend {
        return Err(Problem::invalid(
            "only a webhook that was sent can be resent: duplicate sends the next webhook twice",
        ));
    }
    if !(1..=MOST_REPEATS).contains(&plan.times) {
        return Err(Problem::invalid(format!("times must be from 1 to {MOST_REPEATS}")));
    }
    change_plans(&app, &order_id, |payment| {
        if payment.next_webhooks.len() >= MOST_PLANS {
            return Err(Problem::conflict("the payment has too many planned actions already: forget some"));
        }
        payment.next_webhooks.push_back(plan);
        Ok(())
    })
}

pub(super) async fn forget_plans(State(app): App, Path(order_id): Path<String>) -> Document {
    change_plans(&app, &order_id, |payment| {
        payment.next_webhooks.clear();
        Ok(())
    })
}

fn change_plans(app: &AppState, order_id: &str, change: impl FnOnce(&mut Payment) -> Result<()>) -> Document {
    let changed = app.service.payments.with(order_id, |payment| {
        change(payment)?;
        app.service.save_and_publish(payment);
        Ok(Json(json!({"nextWebhooks": payment.next_webhooks})))
    });
    changed.ok_or_else(Problem::payment_not_found)?
}

fn check_delay(plan: &WebhookPlan) -> Result<()> {
    if (plan.action == WebhookAction::Delay) != plan.delay_ms.is_some() {
        return Err(Problem::invalid("delayMs belongs to the action delay, and delay needs it"));
    }
    if !plan.delay_ms.is_none_or(|ms| (1..=LONGEST_DELAY_MS).contains(&ms)) {
        return Err(Problem::invalid(format!("delayMs must be from 1 to {LONGEST_DELAY_MS} ms")));
    }
    Ok(())
}
