//! Shows webhooks, sends webhooks again, and sends webhooks with faults.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Uri;
use serde_json::json;

use super::payments::with_existence;
use super::refusal::{ApiResult, Refusal};
use super::request::{ListQuery, RequestFields, number};
use super::response;
use crate::app::AppState;
use crate::model::view;
use crate::model::webhook::Webhook;
use crate::model::webhook_fault::WebhookFault;

/// The longest delay.
const LONGEST_DELAY_MS: u64 = 600_000;

pub(crate) async fn list(State(app): State<Arc<AppState>>, uri: Uri) -> ApiResult {
    let query = ListQuery::read(&uri, &["orderId", "merchantId", "token"])?;
    let passes = |webhook: &Webhook| {
        let of = |name, value| query.passes(name, value);
        of("orderId", Some(&webhook.order_id))
            && of("merchantId", webhook.merchant_id.as_deref())
            && of("token", webhook.token())
    };
    let mut list = app.service.deliveries.log.newest(query.before, query.looked_for(), passes, view::webhook);
    let next = query.next(&mut list);
    let webhooks: Vec<_> = list.into_iter().map(|(_, webhook)| with_existence(&app, webhook)).collect();
    Ok(response::json(200, &json!({"webhooks": webhooks, "next": next})))
}

/// Deletes the webhooks whose delivery has succeeded or finally failed.
pub(crate) async fn clear(State(app): State<Arc<AppState>>) -> ApiResult {
    let cleared = app.service.deliveries.log.remove_done();
    app.service.events.publish("cleared", || json!({"list": "webhooks"}));
    Ok(response::json(200, &json!({"cleared": cleared})))
}

pub(crate) async fn one(State(app): State<Arc<AppState>>, Path(id): Path<String>) -> ApiResult {
    Ok(response::json(200, &with_existence(&app, view::webhook_details(&find(&app, &id)?))))
}

/// Sends a past webhook again.
pub(crate) async fn resend(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    body: Body,
) -> ApiResult {
    let past = find(&app, &id)?;
    let mut fields = RequestFields::read(body).await?;
    let action = action(&mut fields)?;
    fields.end()?;
    if action == WebhookFault::Reorder {
        return Err(Refusal::invalid(
            "a past webhook cannot be reordered: plan the action for the payment's next webhooks",
        ));
    }
    let service = &app.service;
    let copies = service.deliveries.resend(&past, action);
    service.payments.with(&past.order_id, |payment| {
        payment.webhooks += copies.len() as u64;
        service.changed(payment);
    });
    Ok(response::json(200, &json!({"webhooks": copies.iter().map(view::webhook).collect::<Vec<_>>()})))
}

/// Plans a fault for the payment's next webhooks.
pub(crate) async fn plan(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
    body: Body,
) -> ApiResult {
    app.service.payments.with(&order_id, |_| ()).ok_or_else(Refusal::payment_not_found)?;
    let mut fields = RequestFields::read(body).await?;
    let action = action(&mut fields)?;
    let times = fields.number("times", 1, 1000)?.unwrap_or(1);
    fields.end()?;
    if action == WebhookFault::Resend {
        return Err(Refusal::invalid(
            "only a webhook that was sent can be resent: duplicate sends the next webhook twice",
        ));
    }
    if !app.service.deliveries.plan(&order_id, action, u32::try_from(times).unwrap_or(1)) {
        return Err(Refusal::conflict(
            "the payment already has the largest allowed number of planned webhook actions",
        ));
    }
    Ok(plans(&app, &order_id))
}

pub(crate) async fn forget_plans(
    State(app): State<Arc<AppState>>,
    Path(order_id): Path<String>,
) -> ApiResult {
    app.service.payments.with(&order_id, |_| ()).ok_or_else(Refusal::payment_not_found)?;
    app.service.deliveries.forget_plans(&order_id);
    Ok(plans(&app, &order_id))
}

fn plans(app: &AppState, order_id: &str) -> axum::http::Response<Body> {
    response::json(200, &json!({"nextWebhooks": view::plans(&app.service.deliveries.plans(order_id))}))
}

fn action(fields: &mut RequestFields) -> Result<WebhookFault, Refusal> {
    let (name, delay) =
        (fields.text("action")?.unwrap_or_default(), fields.number("delayMs", 1, LONGEST_DELAY_MS)?);
    WebhookFault::named(&name, delay).ok_or_else(|| match name.as_str() {
        "delay" => Refusal::invalid("the action delay needs delayMs"),
        known if WebhookFault::NAMES.contains(&known) => {
            Refusal::invalid("only the action delay takes delayMs")
        }
        _ => Refusal::invalid(format!("action must be one of {}", WebhookFault::NAMES.join(", "))),
    })
}

fn find(app: &AppState, id: &str) -> Result<Webhook, Refusal> {
    let webhook = app.service.deliveries.log.get(number(id)?);
    webhook.ok_or_else(|| Refusal::not_found("there is no such webhook, or it is not kept any more"))
}
