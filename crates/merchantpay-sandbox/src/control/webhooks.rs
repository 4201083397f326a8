//! Shows webhooks, sends webhooks again, and sends webhooks with faults.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Filter, Input, Problem, Result, number, page, page_size};
use crate::app::AppState;
use crate::model::webhook::{Webhook, WebhookAction, WebhookPlan, WebhookSummary};

/// The longest delay.
const LONGEST_DELAY_MS: u64 = 600_000;
/// The largest number of a payment's next webhooks that one plan affects.
const MOST_TIMES: u32 = 1000;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Wanted {
    limit: Option<usize>,
    before: Option<u64>,
    order_id: Option<String>,
    merchant_id: Option<String>,
    token: Option<String>,
}

pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    Filter(wanted): Filter<Wanted>,
) -> Result<Json<Value>> {
    let size = page_size(wanted.limit)?;
    let passes = |webhook: &WebhookSummary| {
        wanted.order_id.as_ref().is_none_or(|one| *one == webhook.order_id)
            && (wanted.merchant_id.is_none() || wanted.merchant_id == webhook.merchant_id)
            && (wanted.token.is_none() || wanted.token == webhook.token)
    };
    let (mut webhooks, next) = page(app.service.deliveries.log.newest(wanted.before, size, passes), size);
    webhooks.iter_mut().for_each(|webhook| note_existence(&app, webhook));
    Ok(Json(json!({"webhooks": webhooks, "next": next})))
}

fn note_existence(app: &AppState, webhook: &mut WebhookSummary) {
    webhook.order_exists = Some(app.service.payments.has(&webhook.order_id));
}

/// Deletes the webhooks whose delivery has succeeded or finally failed.
pub(super) async fn clear(State(app): State<Arc<AppState>>) -> Json<Value> {
    let cleared = app.service.deliveries.log.remove_done();
    app.service.events.publish("cleared", || json!({"list": "webhooks"}));
    Json(json!({"cleared": cleared}))
}

pub(super) async fn one(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Webhook>> {
    let mut webhook = find(&app, &id)?;
    note_existence(&app, &mut webhook.summary);
    Ok(Json(webhook))
}

/// Sends a past webhook again.
pub(super) async fn resend(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Result<Json<Value>> {
    let past = find(&app, &id)?;
    check(&plan)?;
    if plan.action == WebhookAction::Reorder || plan.times != 1 {
        return Err(Problem::invalid(
            "a past webhook is sent once and cannot be reordered: plan the action for the payment's next webhooks",
        ));
    }
    let service = &app.service;
    let copies = service.deliveries.resend(&past, plan);
    service.payments.with(&past.summary.order_id, |payment| {
        payment.webhooks += copies.len() as u64;
        service.changed(payment);
    });
    Ok(Json(json!({"webhooks": copies})))
}

/// Plans an action on the payment's next webhooks.
pub(super) async fn plan(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Result<Json<Value>> {
    check(&plan)?;
    if plan.action == WebhookAction::Resend {
        return Err(Problem::invalid(
            "only a webhook that was sent can be resent: duplicate sends the next webhook twice",
        ));
    }
    if !(1..=MOST_TIMES).contains(&plan.times) {
        return Err(Problem::invalid(format!("times must be from 1 to {MOST_TIMES}")));
    }
    if !app.service.payments.has(&order_id) {
        return Err(Problem::payment_not_found());
    }
    if !app.service.deliveries.plan(&order_id, plan) {
        return Err(Problem::conflict("the payment has too many planned actions already: forget some"));
    }
    Ok(plans(&app, &order_id))
}

pub(super) async fn forget_plans(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
) -> Result<Json<Value>> {
    if !app.service.payments.has(&order_id) {
        return Err(Problem::payment_not_found());
    }
    app.service.deliveries.forget_plans(&order_id);
    Ok(plans(&app, &order_id))
}

fn plans(app: &AppState, order_id: &str) -> Json<Value> {
    Json(json!({"nextWebhooks": app.service.deliveries.plans(order_id)}))
}

fn check(plan: &WebhookPlan) -> Result<()> {
    if (plan.action == WebhookAction::Delay) != plan.delay_ms.is_some() {
        return Err(Problem::invalid("delayMs belongs to the action delay, and delay needs it"));
    }
    match plan.delay_ms {
        Some(0 | LONGEST_DELAY_MS..) if plan.delay_ms != Some(LONGEST_DELAY_MS) => {
            Err(Problem::invalid(format!("delayMs must be from 1 to {LONGEST_DELAY_MS}")))
        }
        _ => Ok(()),
    }
}

fn find(app: &AppState, id: &str) -> Result<Webhook> {
    let webhook = app.service.deliveries.log.get(number(id)?);
    webhook.ok_or_else(|| Problem::not_found("there is no such webhook, or it is not kept any more"))
}
