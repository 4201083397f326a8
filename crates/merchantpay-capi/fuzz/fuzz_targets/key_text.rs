//! Reads any text as a key or a signature. After a leading byte `b` the rest is encoded as base64 first, so
//! that any bytes get past the base64 check.
#![no_main]

mod common;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use common::{check_error, config};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Code, PrivateKey, PublicKey, Signature};

fuzz_target!(|data: &[u8]| {
    let encoded = data.strip_prefix(b"b").map(|bytes| BASE64_STANDARD.encode(bytes));
    let text = match (&encoded, std::str::from_utf8(data)) {
        (Some(text), _) => text,
        (None, Ok(text)) => text,
        (None, Err(_)) => return,
    };
    // A key has only one spelling, so an accepted key is returned unchanged.
    let private = PrivateKey::from_base64(text);
    let public = PublicKey::from_base64(text);
    match &private {
        Ok(key) => {
            assert_eq!(key.to_base64().as_str(), text);
            let signature = key.sign(data);
            assert!(key.public_key().verifies(data, &signature));
            assert!(!format!("{key:?}").contains(&text[..8]));
        }
        Err(error) => assert_eq!(error.code(), Code::InvalidKey),
    }
    match &public {
        Ok(key) => assert_eq!(key.to_base64(), text),
        Err(error) => assert_eq!(error.code(), Code::InvalidKey),
    }
    if let Some(signature) = Signature::from_base64(text) {
        assert_eq!(signature.to_base64(), text);
    }
    for (name, is_key) in [("private_key", private.is_ok()), ("server_public_key", public.is_ok())] {
        let mut config = config();
        // A setting accepts more than a key: JSON with a key, and spaces around one.
        let set = config.set(name, text);
        assert!(set.is_ok() || !is_key);
        // A valid key is still refused if the service's key is the merchant's own.
        if let Some(error) = set.and(config.protocol()).err() {
            assert_eq!(error.code(), Code::InvalidKey);
            check_error(&error);
        }
    }
});
