//! `/sandbox/settings`: the client's settings, ready to copy, and another key for the merchant.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use merchantpay::PublicKey;
use serde_json::json;

use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::response;
use crate::app::AppState;
use crate::settings::{ClientSettings, SettingsFormat};

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> ApiResult {
    let mut settings = app.settings();
    if app.service.options.allow_remote {
        settings.private_key = None;
    }
    let format = |format: &SettingsFormat| json!({"name": format.name(), "description": format.description(), "text": settings.text(*format)});
    let formats: Vec<_> = SettingsFormat::ALL.iter().map(format).collect();
    let ClientSettings { key_id, public_key, private_key, .. } = &settings;
    Ok(response::json(
        200,
        &json!({"keyId": key_id, "publicKey": public_key.to_base64(), "hasPrivateKey": private_key.is_some(), "formats": formats}),
    ))
}

/// Replaces the merchant's public key with the public key in the body.
pub(crate) async fn accept_key(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let public_key = fields.text("publicKey")?;
    fields.end()?;
    let public_key = PublicKey::from_base64(public_key.unwrap_or_default().trim())
        .map_err(|error| Refusal::invalid(error.to_string()))?;
    app.replace_key(public_key).map_err(Refusal::invalid)?;
    read(State(app)).await
}
