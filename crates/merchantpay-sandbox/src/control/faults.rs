//! Plans the faults of calls, and what is done to webhooks.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::lists::find_webhook;
use super::{Input, Problem, Result, number};
use crate::app::AppState;
use crate::model::fault::PlannedFault;
use crate::model::payment::Payment;
use crate::model::webhook::{WebhookAction, WebhookPlan};

const MOST: usize = 1000;
const MOST_PLANS: usize = 100;
const LONGEST_DELAY_MS: u64 = 600_000;
const MOST_TIMES: u32 = 1000;

pub(super) async fn list(State(app): State<Arc<AppState>>) -> Json<Value> {
    Json(app.faults.list())
}

pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    Input(fault): Input<PlannedFault>,
) -> Result<(StatusCode, Json<PlannedFault>)> {
    fault.check().map_err(Problem::invalid)?;
    if app.faults.count() >= MOST {
        return Err(Problem::conflict("there are too many faults already: clear some"));
    }
    let seed = app.service.options.seed.unwrap_or_else(|| app.service.clock.now());
    let planned = app.faults.plan(fault, seed);
    app.service.events.publish("faults", || app.faults.list());
    Ok((StatusCode::CREATED, Json(planned)))
}

pub(super) async fn clear(State(app): State<Arc<AppState>>) -> Json<Value> {
    app.faults.clear();
    app.service.events.publish("faults", || app.faults.list());
    Json(app.faults.list())
}

pub(super) async fn remove(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> Result<Json<Value>> {
    if !app.faults.remove(number(&id)?) {
        return Err(Problem::not_found("there is no such fault"));
    }
    app.service.events.publish("faults", || app.faults.list());
    Ok(Json(app.faults.list()))
}

pub(super) async fn resend(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Result<Json<Value>> {
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
        service.changed(payment);
    });
    Ok(Json(json!({"webhooks": copies})))
}

pub(super) async fn plan(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    Input(plan): Input<WebhookPlan>,
) -> Result<Json<Value>> {
    check_delay(&plan)?;
    if plan.action == WebhookAction::Resend {
        return Err(Problem::invalid(
            "only a webhook that was sent can be resent: duplicate sends the next webhook twice",
        ));
    }
    if !(1..=MOST_TIMES).contains(&plan.times) {
        return Err(Problem::invalid(format!("times must be from 1 to {MOST_TIMES}")));
    }
    change_plans(&app, &order_id, |payment| {
        if payment.next_webhooks.len() >= MOST_PLANS {
            return Err(Problem::conflict("the payment has too many planned actions already: forget some"));
        }
        payment.next_webhooks.push_back(plan);
        Ok(())
    })
}

pub(super) async fn forget_plans(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
) -> Result<Json<Value>> {
    change_plans(&app, &order_id, |payment| {
        payment.next_webhooks.clear();
        Ok(())
    })
}

fn change_plans(
    app: &AppState,
    order_id: &str,
    change: impl FnOnce(&mut Payment) -> Result<()>,
) -> Result<Json<Value>> {
    let changed = app.service.payments.with(order_id, |payment| {
        change(payment)?;
        app.service.changed(payment);
        Ok(Json(json!({"nextWebhooks": payment.next_webhooks})))
    });
    changed.ok_or_else(Problem::payment_not_found)?
}

fn check_delay(plan: &WebhookPlan) -> Result<()> {
    if (plan.action == WebhookAction::Delay) != plan.delay_ms.is_some() {
        return Err(Problem::invalid("delayMs belongs to the action delay, and delay needs it"));
    }
    if !plan.delay_ms.is_none_or(|ms| (1..=LONGEST_DELAY_MS).contains(&ms)) {
        return Err(Problem::invalid(format!("delayMs must be from 1 to {LONGEST_DELAY_MS}")));
    }
    Ok(())
}
