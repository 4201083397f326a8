//! The sandbox itself: what it is and can do, its client's settings, its clock, and its events.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, StreamExt as _};
use merchantpay::{OPERATIONS, PublicKey};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use super::{App, Document, Input, Problem, Result};
use crate::app::AppState;
use crate::base::name;
use crate::model::fault::Fault;
use crate::model::state::{TEST_ACCOUNTS, WebhookAction};
use crate::settings::SettingsFormat;
use crate::stories::STORIES;

/// 31 days.
const FURTHEST_MS: u64 = 31 * 86_400_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewKey {
    public_key: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Advance {
    advance_ms: u64,
}

pub(super) async fn read(State(app): App) -> Json<Value> {
    Json(overview(&app))
}

fn overview(app: &AppState) -> Value {
    let (service, settings) = (&app.service, app.settings());
    json!({
        "sandbox": true,
        "notice": "A simulator: no money moves here.",
        "version": env!("CARGO_PKG_VERSION"),
        "url": service.base_url,
        "merchant": {"keyId": settings.key_id, "publicKey": settings.public_key.to_base64()},
        "server": {"keyId": settings.server_key_id, "publicKey": settings.server_public_key},
        "seed": service.options.seed,
        "database": service.database.path().map(|path| path.display().to_string()),
        "databaseError": service.database.failure(),
        "hold": service.options.hold,
        "clock": service.clock.to_json(),
        "operations": OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>(),
        "requests": app.requests().collect::<BTreeMap<_, _>>(),
        "faultKinds": Fault::ALL,
        "faultEffects": BTreeMap::from(Fault::ALL.map(|fault| (name(fault), fault.effect()))),
        "webhookActions": WebhookAction::ALL,
        "stories": STORIES,
        "receiver": service.webhook_hosts.own_receiver,
        "testAccounts": TEST_ACCOUNTS,
    })
}

pub(super) async fn settings(State(app): App) -> Json<Value> {
    let mut settings = app.settings();
    if app.service.options.allow_remote {
        settings.private_key = None;
    }
    let format = |format: &SettingsFormat| {
        let (name, description, text) = (format.name(), format.description(), settings.text(*format));
        json!({"name": name, "description": description, "text": text})
    };
    Json(json!({
        "keyId": settings.key_id,
        "publicKey": settings.public_key.to_base64(),
        "hasPrivateKey": settings.has_private_key(),
        "formats": SettingsFormat::ALL.iter().map(format).collect::<Vec<_>>(),
    }))
}

pub(super) async fn accept_key(State(app): App, Input(NewKey { public_key }): Input<NewKey>) -> Document {
    let public_key = PublicKey::from_base64(public_key.trim());
    let public_key = public_key.map_err(|error| Problem::invalid(error.to_string()))?;
    app.replace_key(public_key).map_err(Problem::invalid)?;
    Ok(settings(State(app)).await)
}

pub(super) async fn clock(State(app): App) -> Json<Value> {
    Json(app.service.clock.to_json())
}

pub(super) async fn advance(State(app): App, Input(Advance { advance_ms }): Input<Advance>) -> Document {
    if advance_ms > FURTHEST_MS {
        return Err(Problem::invalid(format!("advanceMs must be at most {FURTHEST_MS} ms")));
    }
    let service = &app.service;
    let fired = service.clock.advance(Duration::from_millis(advance_ms)).ok_or_else(|| {
        Problem::conflict("the clock is not manual: start the sandbox with --clock manual to advance it")
    })?;
    service.database.save_progress(&service.clock, service.payments.random());
    service.events.publish("clock", || service.clock.to_json());
    let mut clock = service.clock.to_json();
    clock["fired"] = fired.into();
    Ok(Json(clock))
}

pub(super) async fn stream(State(app): App) -> Result<impl IntoResponse> {
    // Subscribes before the first event is made, so that no later one is missed.
    let events = app.service.events.subscribe();
    let events =
        events.ok_or_else(|| Problem::conflict("too many event streams are open: close one first"))?;
    let named = |id: u64, name: &str, data: &str| Event::default().id(id.to_string()).event(name).data(data);
    let hello = named(1, "hello", &overview(&app).to_string());
    let later = stream::unfold((events, 2), move |(mut events, id)| async move {
        let event = match events.recv().await {
            Ok(event) => named(id, event.name, &event.data),
            Err(RecvError::Lagged(missed)) => named(id, "missed", &json!({"missed": missed}).to_string()),
            Err(RecvError::Closed) => return None,
        };
        Some((event, (events, id + 1)))
    });
    let all = stream::once(async { hello }).chain(later).map(Ok::<_, Infallible>);
    // A comment every 15 seconds tells the reader that the stream is still open.
    Ok(Sse::new(all).keep_alive(KeepAlive::default()))
}
