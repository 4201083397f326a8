//! Reads any text as a key or a signature. After a leading byte `b` the rest is encoded as base64 first, so
//! that any bytes get past the base64 check.
#![no_main]

mod common;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use common::{Setter, c, config, read_error};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Code, PrivateKey, PublicKey, Signature};
use merchantpay_capi::*;

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
    let text = c(text.as_bytes());
    for (set, right) in [
        (mpay_config_set_private_key as Setter, private.is_ok()),
        (mpay_config_add_server_public_key, public.is_ok()),
    ] {
        let mut config = config();
        // SAFETY: a handle of its own, and a text that ends with NUL.
        let code = unsafe { set(Some(&mut *config), text.as_ptr()) };
        // If the text contains a NUL, C reads a shorter text.
        if text.as_bytes().len() == encoded.as_ref().map_or(data.len(), String::len) {
            assert_eq!(code == MPAY_OK, right);
        }
        let (mut client, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: a handle and pointers to variables.
        let made = unsafe { mpay_protocol_new(Some(&config), &raw mut client, &raw mut error) };
        if made == MPAY_OK {
            // SAFETY: made by the call, which succeeded.
            mpay_protocol_free(Some(unsafe { Box::from_raw(client) }));
        } else {
            // A valid key is still refused if the service's key is the merchant's own.
            assert!(client.is_null() && made == MPAY_INVALID_KEY);
            read_error(made, error);
        }
    }
});
