//! Stories, the check of a receiver, and the sandbox's own receiver.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use merchantpay::WebhookVerifier;
use serde::Deserialize;
use serde_json::{Value, json};

use super::payments::show;
use super::{Input, Problem, Result, check_webhook_url};
use crate::app::AppState;
use crate::stories::{STORIES, Story, check_receiver, play as play_story};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Play {
    webhook_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Check {
    url: String,
    order_id: Option<String>,
}

pub(super) async fn play(
    State(app): State<Arc<AppState>>,
    Path(name): Path<String>,
    Input(Play { webhook_url: url }): Input<Play>,
) -> Result<Json<Value>> {
    let url = url.unwrap_or_else(|| app.service.webhook_hosts.own_receiver.clone());
    check_webhook_url(&app, &url)?;
    let story = STORIES.iter().find(|story| story.name == name).ok_or_else(|| {
        let names: Vec<&str> = STORIES.iter().map(|story: &Story| story.name).collect();
        Problem::not_found(format!("there is no such story: choose one of {}", names.join(", ")))
    })?;
    let order_id = play_story(&app, story, &url).await.map_err(Problem::conflict)?;
    show(&app, &order_id)
}

pub(super) async fn check(
    State(app): State<Arc<AppState>>,
    Input(Check { url, order_id }): Input<Check>,
) -> Result<Json<Value>> {
    check_webhook_url(&app, &url)?;
    if order_id.as_ref().is_some_and(|order_id| !app.service.payments.has(order_id)) {
        return Err(Problem::payment_not_found());
    }
    check_receiver(&app, &url, order_id).await.map(Json).map_err(Problem::conflict)
}

/// Answers a webhook as a correct receiver does: 200 if it verifies, otherwise 400.
pub(super) async fn receive(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let verifier = WebhookVerifier::with_keys(
        &[app.keys.key.public_key()],
        std::slice::from_ref(&app.keys.key_id),
        Some(&app.merchant().key_id),
    );
    let event = verifier.and_then(|verifier| {
        verifier.verify(&body, text("x-signature").unwrap_or_default(), text("x-keyid"))
    });
    let event = event.map_err(|_| Problem::invalid("the webhook does not verify"))?;
    Ok(Json(json!({"kind": event.kind(), "orderId": event.payment().order_id()})))
}
