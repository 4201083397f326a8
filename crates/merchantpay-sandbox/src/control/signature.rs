//! Checks a signature, and explains why a signature does not verify.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use merchantpay::{Explainer, Keys, PublicKey};
use serde_json::json;

use super::refusal::{ApiResult, Refusal};
use super::request::RequestFields;
use super::response;
use crate::app::AppState;

pub(crate) async fn check(State(app): State<Arc<AppState>>, body: Body) -> ApiResult {
    let mut fields = RequestFields::read(body).await?;
    let (text, base64) = (fields.text("body")?, fields.text("bodyBase64")?);
    let (from, signature, key_id) = (fields.text("from")?, fields.text("signature")?, fields.text("keyId")?);
    let public_key = fields.text("publicKey")?;
    fields.end()?;
    let signed = match (text, base64) {
        (Some(text), None) => text.into_bytes(),
        (None, Some(base64)) => {
            STANDARD.decode(base64).map_err(|_| Refusal::invalid("bodyBase64 must be standard base64"))?
        }
        _ => return Err(Refusal::invalid("give either body or bodyBase64")),
    };
    let given = match public_key {
        Some(key) => Some(PublicKey::from_base64(&key).map_err(|error| Refusal::invalid(error.to_string()))?),
        None => None,
    };
    let merchants = app.merchants();
    let first = &merchants.first.keys;
    let (service, merchant) = (app.signer.key.public_key(), first.public_key);
    let (service_id, merchant_id) = (app.signer.key_id.clone(), first.key_id.clone());
    let (explainer, key_id) = match from.as_deref() {
        Some("service") => {
            let keys = match given {
                Some(key) => Keys { trusted: vec![key], ..Keys::default() },
                None => Keys { trusted: vec![service], trusted_key_ids: vec![service_id], ..Keys::default() },
            };
            let trusted = keys.trusted.clone();
            let others = [service, merchant].into_iter().filter(|key| !trusted.contains(key));
            let own = (!trusted.contains(&merchant)).then_some(merchant);
            (
                Explainer::of_webhooks(Keys {
                    own,
                    own_key_id: Some(merchant_id),
                    others: others.collect(),
                    ..keys
                }),
                key_id,
            )
        }
        Some("merchant") => {
            let trusted = given.unwrap_or(merchant);
            let others = [service, merchant].into_iter().filter(|key| *key != trusted).collect();
            // Here a key id is checked only if the caller passes a key id. Without this default value a
            // missing key id would lead to a refusal.
            let key_id = key_id.unwrap_or_else(|| merchant_id.clone());
            let keys = Keys {
                trusted: vec![trusted],
                trusted_key_ids: vec![merchant_id],
                own_key_id: Some(service_id),
                others,
                ..Keys::default()
            };
            (Explainer::of_requests(keys), Some(key_id))
        }
        _ => return Err(Refusal::invalid("from must be service or merchant")),
    };
    let explainer = explainer.map_err(|error| Refusal::invalid(error.to_string()))?;
    let explanation = explainer.explain(&signed, signature.as_deref(), key_id.as_deref());
    Ok(response::json(
        200,
        &json!({
            "verified": explanation.is_none(),
            "cause": explanation.map(|explanation| explanation.cause().name()),
            "hint": explanation.map(|explanation| explanation.hint()),
        }),
    ))
}
