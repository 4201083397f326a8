//! The settings as JSON, for a program that starts the sandbox.

use serde_json::Value;

use super::ClientSettings;
use crate::model::merchant_keys::MerchantKeys;

/// The names are spelled as in JavaScript, Java and C#; `environment` has the environment variables.
pub(super) fn json(settings: &ClientSettings<'_>) -> String {
    let merchant = |merchant: &MerchantKeys| {
        let settings = ClientSettings { sandbox: settings.sandbox, merchant };
        object([("keyId", quoted(settings.key_id())), ("privateKey", private_key(&settings))])
    };
    let merchants: Vec<String> = settings.sandbox.merchants.iter().map(merchant).collect();
    let environment = settings.environment().into_iter().map(|(variable, value)| (variable, quoted(&value)));
    object([
        ("baseUrl", quoted(&settings.sandbox.base_url)),
        ("keyId", quoted(settings.key_id())),
        ("privateKey", private_key(settings)),
        ("serverPublicKey", quoted(&settings.sandbox.server_public_key)),
        ("serverKeyId", quoted(&settings.sandbox.server_key_id)),
        ("environment", object(environment)),
        ("merchants", format!("[{}]", merchants.join(","))),
    ])
}

/// `null` if only the merchant has the key.
fn private_key(settings: &ClientSettings<'_>) -> String {
    settings.private_key().map_or_else(|| "null".to_owned(), |key| quoted(&key))
}

/// An object whose fields keep their order.
fn object<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<String> =
        fields.into_iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", fields.join(","))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
