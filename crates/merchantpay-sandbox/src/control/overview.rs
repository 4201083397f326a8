//! The sandbox itself: what it is and can do, its client's settings, and its clock.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use merchantpay::{OPERATIONS, PublicKey};
use serde::{Deserialize, Serialize};

use super::{Input, Problem, Result};
use crate::app::AppState;
use crate::base::clock::Reading;
use crate::model::fault::Fault;
use crate::model::test_accounts::{TEST_ACCOUNTS, TestAccount};
use crate::model::webhook::WebhookAction;
use crate::settings::SettingsFormat;
use crate::stories::{STORIES, Story};

/// The longest advance of the clock: 31 days.
const FURTHEST_MS: u64 = 31 * 86_400_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Overview {
    sandbox: bool,
    notice: &'static str,
    version: &'static str,
    url: String,
    merchant: KeyName,
    server: KeyName,
    seed: Option<u64>,
    database: Option<String>,
    database_error: Option<String>,
    hold: bool,
    clock: Reading,
    operations: Vec<&'static str>,
    requests: BTreeMap<&'static str, u64>,
    fault_kinds: [Fault; Fault::ALL.len()],
    webhook_actions: [WebhookAction; WebhookAction::ALL.len()],
    stories: &'static [Story],
    receiver: String,
    test_accounts: &'static [TestAccount],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeyName {
    key_id: String,
    public_key: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings {
    #[serde(flatten)]
    key: KeyName,
    has_private_key: bool,
    formats: Vec<Format>,
}

#[derive(Serialize)]
struct Format {
    name: &'static str,
    description: &'static str,
    text: String,
}

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

pub(super) async fn read(State(app): State<Arc<AppState>>) -> Json<Overview> {
    Json(overview(&app))
}

pub(super) fn overview(app: &AppState) -> Overview {
    let (service, merchant) = (&app.service, app.merchant());
    Overview {
        sandbox: true,
        notice: "A simulator: no money moves here.",
        version: env!("CARGO_PKG_VERSION"),
        url: service.base_url.clone(),
        merchant: KeyName { key_id: merchant.key_id.clone(), public_key: merchant.public_key.to_base64() },
        server: KeyName {
            key_id: app.keys.key_id.clone(),
            public_key: app.keys.key.public_key().to_base64(),
        },
        seed: service.options.seed,
        database: service.database.path().map(|path| path.display().to_string()),
        database_error: service.database.failure(),
        hold: service.options.hold,
        clock: service.clock.read(),
        operations: OPERATIONS.iter().map(|operation| operation.name).collect(),
        requests: app.requests().collect(),
        fault_kinds: Fault::ALL,
        webhook_actions: WebhookAction::ALL,
        stories: STORIES,
        receiver: service.webhook_hosts.own_receiver().to_owned(),
        test_accounts: TEST_ACCOUNTS,
    }
}

pub(super) async fn settings(State(app): State<Arc<AppState>>) -> Json<Settings> {
    let mut settings = app.settings();
    if app.service.options.allow_remote {
        settings.private_key = None;
    }
    let format = |format: &SettingsFormat| Format {
        name: format.name(),
        description: format.description(),
        text: settings.text(*format),
    };
    Json(Settings {
        key: KeyName { key_id: settings.key_id.clone(), public_key: settings.public_key.to_base64() },
        has_private_key: settings.has_private_key(),
        formats: SettingsFormat::ALL.iter().map(format).collect(),
    })
}

/// Replaces the merchant's public key.
pub(super) async fn accept_key(
    State(app): State<Arc<AppState>>,
    Input(NewKey { public_key }): Input<NewKey>,
) -> Result<Json<Settings>> {
    let public_key = PublicKey::from_base64(public_key.trim());
    let public_key = public_key.map_err(|error| Problem::invalid(error.to_string()))?;
    app.replace_key(public_key).map_err(Problem::invalid)?;
    Ok(settings(State(app)).await)
}

pub(super) async fn clock(State(app): State<Arc<AppState>>) -> Json<Reading> {
    Json(app.service.clock.read())
}

/// Advances a manual clock.
pub(super) async fn advance(
    State(app): State<Arc<AppState>>,
    Input(Advance { advance_ms }): Input<Advance>,
) -> Result<Json<Reading>> {
    if advance_ms > FURTHEST_MS {
        return Err(Problem::invalid(format!("advanceMs must be at most {FURTHEST_MS}")));
    }
    let service = &app.service;
    let fired = service.clock.advance(Duration::from_millis(advance_ms)).ok_or_else(|| {
        Problem::conflict("the clock is not manual: start the sandbox with --clock manual to advance it")
    })?;
    service.database.save_progress(&service.clock, service.payments.random());
    service.events.publish("clock", || service.clock.read());
    Ok(Json(Reading { fired: Some(fired), ..service.clock.read() }))
}
