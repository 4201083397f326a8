//! `/sandbox`: the settings of the sandbox, and the possibilities of the control API.

use std::sync::Arc;

use axum::extract::State;
use merchantpay::OPERATIONS;
use serde_json::{Map, Value, json};

use super::refusal::ApiResult;
use super::{response, stories};
use crate::app::AppState;
use crate::model::fault::Fault;
use crate::model::test_accounts::TEST_ACCOUNTS;
use crate::model::view;
use crate::model::webhook_fault::WebhookFault;

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> ApiResult {
    Ok(response::json(200, &overview(&app)))
}

pub(crate) fn overview(app: &AppState) -> Value {
    let service = &app.service;
    let merchant = app.merchant();
    let requests: Map<String, Value> = OPERATIONS
        .iter()
        .map(|known| (known.name.to_owned(), Value::from(app.request_counts.of(known.name))))
        .collect();
    json!({
        "sandbox": true,
        "notice": "A simulator: no money moves here.",
        "version": env!("CARGO_PKG_VERSION"),
        "url": service.base_url,
        "merchant": {"keyId": merchant.key_id, "publicKey": merchant.public_key.to_base64()},
        "server": {"keyId": app.signer.keys.key_id, "publicKey": app.signer.keys.key.public_key().to_base64()},
        "seed": service.options.seed,
        "database": service.database.path().map(|path| path.display().to_string()),
        "databaseError": service.database.failure(),
        "hold": service.options.hold,
        "clock": view::clock(&service.clock),
        "operations": OPERATIONS.iter().map(|operation| operation.name).collect::<Vec<_>>(),
        "requests": requests,
        "faultKinds": Fault::NAMES,
        "webhookActions": WebhookFault::NAMES,
        "stories": stories::stories(),
        "receiver": service.webhook_hosts.own_receiver(),
        "testAccounts": TEST_ACCOUNTS.iter().map(|one| json!({"account": one.account, "effect": one.effect})).collect::<Vec<_>>(),
    })
}
