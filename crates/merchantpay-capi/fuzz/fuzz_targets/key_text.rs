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
    // A key has only one spelling, so an accepted key is returned without what surrounds it.
    let key_alone = text.trim_start_matches('\u{feff}').trim_matches([' ', '\r', '\n']);
    let private = PrivateKey::from_base64(text);
    let public = PublicKey::from_base64(text);
    match &private {
        Ok(key) => {
            assert_eq!(key.to_base64().as_str(), key_alone);
            let signature = key.sign(data);
            assert!(key.public_key().verifies(data, &signature));
            assert!(!format!("{key:?}").contains(&key_alone[..8]));
        }
        Err(error) => assert_eq!(error.code(), Code::InvalidKey),
    }
    match &public {
        Ok(key) => assert_eq!(key.to_base64(), key_alone),
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
            // A list without a key, such as a comma, is a wrong argument.
            let is_no_list = error.message() == "server_public_key is empty";
            assert!(error.code() == Code::InvalidKey || is_no_list, "{error}");
            check_error(&error);
        }
    }
});
