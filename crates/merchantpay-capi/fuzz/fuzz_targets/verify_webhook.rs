//! Reads any bytes as a webhook: a line with the key id, a line with the signature (`sign` for the correct
//! one), then the body.
#![no_main]

mod common;

use std::sync::LazyLock;

use common::{KEY, c, config, read_error, read_payment, signature};
use libfuzzer_sys::fuzz_target;
use merchantpay_capi::*;

static VERIFIER: LazyLock<&'static mpay_verifier> = LazyLock::new(|| {
    let mut verifier = std::ptr::null_mut();
    // SAFETY: a pointer to a variable.
    assert_eq!(
        unsafe { mpay_verifier_new(Some(&config()), &raw mut verifier, std::ptr::null_mut()) },
        MPAY_OK
    );
    // SAFETY: just made, never freed.
    unsafe { &*verifier }
});

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(3, |byte| *byte == b'\n');
    let (key_id, text, body) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let (key_id, signature) = (c(key_id), signature(text, body));
    let key_id = if key_id.is_empty() { std::ptr::null() } else { key_id.as_ptr() };
    let (mut event, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: bytes and texts that live until it returns, and pointers to variables.
    let code = unsafe {
        mpay_verify_webhook(
            Some(*VERIFIER),
            body.as_ptr().cast(),
            body.len(),
            signature.as_ptr(),
            key_id,
            &raw mut event,
            &raw mut error,
        )
    };
    if code != MPAY_OK {
        assert!(event.is_null());
        return read_error(code, error);
    }
    assert!(error.is_null());
    // Only a correct signature is accepted.
    assert_eq!(signature.to_str(), Ok(KEY.sign(body).to_base64().as_str()));
    // SAFETY: made by the call, which succeeded.
    let event = unsafe { Box::from_raw(event) };
    assert!((1..=3).contains(&mpay_event_kind(Some(&event))));
    // SAFETY: borrowed from the event, which lives.
    read_payment(unsafe { &*mpay_event_payment(Some(&event)) });
    mpay_event_free(Some(event));
});
