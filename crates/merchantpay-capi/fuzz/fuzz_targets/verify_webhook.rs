//! Reads any bytes as a webhook: a line with the key id, a line with the signature (`sign` for the correct
//! one), then the body.
#![no_main]

mod common;

use std::sync::LazyLock;

use common::{KEY, check_error, config, signature};
use libfuzzer_sys::fuzz_target;
use merchantpay::WebhookVerifier;

static VERIFIER: LazyLock<WebhookVerifier> = LazyLock::new(|| config().verifier().expect("a verifier"));

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |byte| *byte == b'\n');
    let mut line = || String::from_utf8_lossy(parts.next().unwrap_or_default());
    let (key_id, text) = (line(), line());
    let body = parts.next().unwrap_or_default();
    let signature = signature(&text, body);
    match VERIFIER.verify(body, &signature, Some(&*key_id).filter(|key_id| !key_id.is_empty())) {
        Ok(event) => {
            assert_eq!(signature, KEY.sign(body).to_base64());
            assert!(!event.payment().order_id().is_empty());
        }
        Err(error) => check_error(&error),
    }
});
