//! `/sandbox/settings`: the settings of the clients, ready to copy.

use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::refusal::ApiResult;
use super::response;
use crate::app::AppState;
use crate::settings::{ClientSettings, SettingsFormat};

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> ApiResult {
    let merchants: Vec<Value> = app.settings.clients().map(merchant).collect();
    Ok(response::json(200, &json!({"merchants": merchants})))
}

fn merchant(settings: ClientSettings<'_>) -> Value {
    let format = |format: &SettingsFormat| json!({"name": format.name(), "description": format.description(), "text": settings.text(*format)});
    json!({
        "keyId": settings.key_id(),
        "hasPrivateKey": settings.has_private_key(),
        "formats": SettingsFormat::ALL.iter().map(format).collect::<Vec<_>>(),
    })
}
