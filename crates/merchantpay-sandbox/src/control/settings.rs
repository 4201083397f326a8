//! `/sandbox/settings`: the clients' settings, ready to copy, and another key for a merchant.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use merchantpay::PublicKey;
use serde_json::{Value, json};

use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::response;
use crate::app::AppState;
use crate::model::merchant_keys::MerchantKeys;
use crate::settings::{ClientSettings, SettingsFormat};

pub(crate) async fn read(State(app): State<Arc<AppState>>) -> ApiResult {
    let private = |keys: MerchantKeys| {
        if app.service.options.allow_remote { MerchantKeys { private_key: None, ..keys } } else { keys }
    };
    let keys = app.merchants().iter().map(|merchant| private(merchant.keys.clone())).collect();
    let merchants: Vec<Value> = app.settings(keys).clients().map(merchant).collect();
    Ok(response::json(200, &json!({"merchants": merchants})))
}

/// Replaces a merchant's public key with the public key in the body.
pub(crate) async fn accept_key(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let (key_id, public_key) = (fields.text("keyId")?, fields.text("publicKey")?);
    fields.end()?;
    let public_key = PublicKey::from_base64(public_key.unwrap_or_default().trim())
        .map_err(|error| Refusal::invalid(error.to_string()))?;
    let keys = app.replace_key(key_id.as_deref(), public_key).map_err(Refusal::invalid)?;
    Ok(response::json(200, &only(&app, keys)))
}

/// The settings of the merchant with these keys.
fn only(app: &AppState, keys: MerchantKeys) -> Value {
    app.settings(vec![keys]).clients().map(merchant).next().unwrap_or_default()
}

fn merchant(settings: ClientSettings<'_>) -> Value {
    let format = |format: &SettingsFormat| json!({"name": format.name(), "description": format.description(), "text": settings.text(*format)});
    json!({
        "keyId": settings.key_id(),
        "publicKey": settings.public_key(),
        "hasPrivateKey": settings.has_private_key(),
        "formats": SettingsFormat::ALL.iter().map(format).collect::<Vec<_>>(),
    })
}
