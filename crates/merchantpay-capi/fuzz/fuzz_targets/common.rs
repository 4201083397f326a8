//! This module is shared by the fuzz targets: constant keys, C strings, and readers of all results. Each
//! target uses only some of these.
#![allow(dead_code)]

use std::ffi::{CStr, CString, c_char};
use std::sync::LazyLock;

use merchantpay::PrivateKey;
use merchantpay_capi::*;

/// Keys for these targets only. One seed consists of 0x11 bytes, the other of 0x22 bytes.
const MERCHANT: &str =
    "ERERERERERERERERERERERERERERERERERERERERERHQSrIydCu0qzoTaL1GFeTm0CJKtxoBa6+FIKMyyXeHNw==";
const SERVER: &str =
    "IiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiKgmqX0emdZgC/5VfjcLSoUpcmdI76X+GQSf/k4NFWk8A==";

pub static KEY: LazyLock<PrivateKey> = LazyLock::new(|| PrivateKey::from_base64(SERVER).expect("the key"));

pub static MERCHANT_KEY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::from_base64(MERCHANT).expect("the key"));

/// A text as C reads it: cut at its first NUL.
pub fn c(bytes: &[u8]) -> CString {
    CString::new(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).expect("no NUL is left")
}

/// The signature in the input; `sign` means the correct signature.
pub fn signature(text: &[u8], body: &[u8]) -> CString {
    if text == b"sign" { c(KEY.sign(body).to_base64().as_bytes()) } else { c(text) }
}

pub type Setter = unsafe extern "C" fn(Option<&mut mpay_config>, *const c_char) -> i32;

/// Settings with `KEY` as the service's key.
pub fn config() -> Box<mpay_config> {
    // SAFETY: made by `Box::into_raw`, and given to nobody else.
    let mut config = unsafe { Box::from_raw(mpay_config_new()) };
    for (set, value) in [
        (mpay_config_set_base_url as Setter, "https://pay.example"),
        (mpay_config_set_key_id, "merchant"),
        (mpay_config_set_private_key, MERCHANT),
        (mpay_config_add_server_public_key, &KEY.public_key().to_base64()),
    ] {
        // SAFETY: a handle that was just made, and a text that ends with NUL.
        assert_eq!(unsafe { set(Some(&mut config), c(value.as_bytes()).as_ptr()) }, MPAY_OK);
    }
    config
}

/// Checks that a text from the library is absent, or UTF-8 with a NUL at the end.
pub fn read(text: *const c_char) -> Option<&'static str> {
    // SAFETY: NULL, or borrowed from a handle that the caller frees later.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().expect("UTF-8"))
}

pub fn read_payment(payment: &mpay_payment) {
    assert!(!read(mpay_payment_order_id(Some(payment))).expect("an order id").is_empty());
    for get in [
        mpay_payment_sum,
        mpay_payment_currency,
        mpay_payment_payee_account,
        mpay_payment_payee_account_bank,
        mpay_payment_payee_name,
        mpay_payment_deal_sum,
        mpay_payment_deal_currency,
        mpay_payment_deal_rate,
        mpay_payment_deeplink,
        mpay_payment_status,
        mpay_payment_json,
    ] {
        read(get(Some(payment)));
    }
    let minor = mpay_payment_sum_minor(Some(payment));
    assert!(minor == MPAY_NO_MINOR || read(mpay_payment_sum(Some(payment))).is_some());
}

/// Reads and frees an error, which must be present.
pub fn read_error(code: i32, error: *mut mpay_error) {
    // SAFETY: made by the function that was just called, which failed.
    let error = unsafe { Box::from_raw(error) };
    assert_eq!(mpay_error_code(Some(&error)), code);
    for get in [
        mpay_error_code_name,
        mpay_error_outcome_name,
        mpay_error_message,
        mpay_error_description,
        mpay_error_reason,
        mpay_error_order_id,
        mpay_error_content_type,
        mpay_error_excerpt,
    ] {
        read(get(Some(&error)));
    }
    assert!(read(mpay_error_message(Some(&error))).expect("a message").len() < 2000);
    mpay_error_free(Some(error));
}

/// The value of a prepared request's header, which must occur exactly once.
pub fn header<'a>(request: &'a mpay_http_request, wanted: &str) -> &'a str {
    let found: Vec<_> = (0..mpay_http_request_header_count(Some(request)))
        .filter(|index| read(mpay_http_request_header_name(Some(request), *index)) == Some(wanted))
        .filter_map(|index| read(mpay_http_request_header_value(Some(request), index)))
        .collect();
    assert_eq!(found.len(), 1, "{wanted}");
    found[0]
}
