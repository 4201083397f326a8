//! Stories, the check of a receiver, and the sandbox's own receiver.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use merchantpay::WebhookVerifier;
use serde_json::{Value, json};

use super::payments::show;
use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::response;
use crate::app::AppState;
use crate::base::assumptions;
use crate::stories::{STORIES, Story, check_receiver, play as play_story};

/// The longest URL.
const LONGEST_URL: usize = 2048;

/// The stories that can be run.
pub(crate) fn stories() -> Value {
    let story = |story: &Story| json!({"name": story.name, "title": story.title, "events": story.events, "advice": story.advice});
    STORIES.iter().map(story).collect()
}

/// Runs a story to its end, and shows its payment.
pub(crate) async fn play(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
    body: Body,
) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let url = webhook_url(&app, &mut fields, "webhookUrl")?
        .unwrap_or_else(|| app.service.webhook_hosts.own_receiver().to_owned());
    fields.end()?;
    let story = Story::named(&name).ok_or_else(|| {
        let names: Vec<&str> = STORIES.iter().map(|story| story.name).collect();
        Refusal::not_found(&format!("there is no such story: choose one of {}", names.join(", ")))
    })?;
    let order_id = play_story(&app, story, &url).await.map_err(Refusal::conflict)?;
    show(&app, &order_id)
}

/// Sends webhooks to a receiver and compares the answers with the expected answers.
pub(crate) async fn check(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let url = webhook_url(&app, &mut fields, "url")?.ok_or_else(|| Refusal::invalid("url is missing"))?;
    let order_id = fields.text("orderId")?;
    fields.end()?;
    if let Some(order_id) = &order_id {
        app.service.payments.with(order_id, |_| ()).ok_or_else(Refusal::payment_not_found)?;
    }
    let results = check_receiver(&app, &url, order_id).await.map_err(Refusal::conflict)?;
    Ok(response::json(200, &results))
}

/// Reads a field with the URL of a receiver.
pub(super) fn webhook_url(
    app: &AppState,
    fields: &mut RequestFields,
    name: &str,
) -> Result<Option<String>, Refusal> {
    let url = fields.text(name)?;
    match &url {
        Some(url) if url.len() > LONGEST_URL || !assumptions::is_webhook_url(url) => {
            Err(Refusal::invalid(format!("{name} must be an http or https URL with a host")))
        }
        Some(url) if !app.service.webhook_hosts.allows(url) => {
            Err(Refusal::forbidden(assumptions::FOREIGN_WEBHOOK_TEXT))
        }
        _ => Ok(url),
    }
}

/// Answers a webhook as a correct receiver does: 200 if it verifies, otherwise 400.
pub(crate) async fn receive(State(app): State<Arc<AppState>>, headers: HeaderMap, body: Body) -> ApiResult {
    let body = axum::body::to_bytes(body, usize::MAX)
        .await
        .map_err(|_| Refusal::invalid("the body cannot be read"))?;
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let verifier = WebhookVerifier::with_keys(
        &[app.signer.keys.key.public_key()],
        std::slice::from_ref(&app.signer.keys.key_id),
        Some(&app.merchant().key_id),
    );
    let event = verifier.and_then(|verifier| {
        verifier.verify(&body, text("x-signature").unwrap_or_default(), text("x-keyid"))
    });
    let event = event.map_err(|_| Refusal::invalid("the webhook does not verify"))?;
    Ok(response::json(200, &json!({"kind": event.kind(), "orderId": event.payment().order_id()})))
}
