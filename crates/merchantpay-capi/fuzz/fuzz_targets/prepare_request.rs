//! Sets the fields of a request to any texts by C's setters, for each operation. Each line is one field, in
//! the setters' order; an empty line leaves a field unset. Another JSON reader must find the same texts and
//! numbers in the signed body.
#![no_main]

mod common;

use std::ffi::CString;

use common::{MERCHANT_KEY, c, config, header, read_error};
use libfuzzer_sys::fuzz_target;
use merchantpay::Signature;
use merchantpay_capi::*;
use serde_json::Value;

type Setter = unsafe extern "C" fn(Option<&mut mpay_payment_request>, *const std::ffi::c_char) -> i32;

const FIELDS: [(&str, Setter); 10] = [
    ("sum", mpay_payment_request_set_sum),
    ("currency", mpay_payment_request_set_currency),
    ("paymentMethod", mpay_payment_request_set_payment_method),
    ("customerAccount", mpay_payment_request_set_customer_account),
    ("payerBank", mpay_payment_request_set_payer_bank),
    ("merchantId", mpay_payment_request_set_merchant_id),
    ("statusWebhookUrl", mpay_payment_request_set_status_webhook_url),
    ("credentialsWebhookUrl", mpay_payment_request_set_credentials_webhook_url),
    ("sumDriftUp", mpay_payment_request_set_sum_drift_up),
    ("sumDriftDown", mpay_payment_request_set_sum_drift_down),
];

/// The prepared request, or the error, which must be readable.
unsafe fn taken(
    code: i32,
    request: *mut mpay_http_request,
    error: *mut mpay_error,
) -> Option<Box<mpay_http_request>> {
    if code != MPAY_OK {
        assert!(request.is_null());
        read_error(code, error);
        return None;
    }
    // SAFETY: made by the call, which succeeded.
    Some(unsafe { Box::from_raw(request) })
}

/// The fields of the signed body. Numbers are left out, because this reader would round them.
fn signed(request: &mpay_http_request) -> serde_json::Map<String, Value> {
    // SAFETY: borrowed from the request, which lives.
    let body = unsafe {
        std::slice::from_raw_parts(
            mpay_http_request_body(Some(request)).cast::<u8>(),
            mpay_http_request_body_len(Some(request)),
        )
    };
    let signature = Signature::from_base64(header(request, "X-Signature")).expect("a signature");
    assert!(MERCHANT_KEY.public_key().verifies(body, &signature));
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => fields,
        other => panic!("{other:?}"),
    }
}

fuzz_target!(|data: &[u8]| {
    let lines: Vec<CString> = data.split(|byte| *byte == b'\n').map(c).collect();
    let given = |name: &str| {
        let at = FIELDS.iter().position(|(field, _)| *field == name)?;
        lines.get(at).filter(|line| !line.is_empty()).and_then(|line| line.to_str().ok())
    };
    // SAFETY: handles that were just made, texts that live until each call returns, pointers to variables.
    unsafe {
        let request = mpay_payment_request_new();
        for ((_, set), line) in FIELDS.iter().zip(&lines) {
            if !line.is_empty() {
                set(Some(&mut *request), line.as_ptr());
            }
        }
        let mut owned = std::ptr::null_mut();
        assert_eq!(mpay_protocol_new(Some(&config()), &raw mut owned, std::ptr::null_mut()), MPAY_OK);
        let protocol = Some(&*owned);
        for prepare in
            [mpay_prepare_get_available_amounts, mpay_prepare_new_payment, mpay_prepare_new_payment_async]
        {
            let (mut prepared, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
            let code = prepare(protocol, Some(&*request), &raw mut prepared, &raw mut error);
            let Some(prepared) = taken(code, prepared, error) else { continue };
            let fields = signed(&prepared);
            assert_eq!(fields["currency"], "RUB");
            for (name, value) in &fields {
                match value {
                    Value::String(text) if name != "currency" => {
                        assert_eq!(Some(text.as_str()), given(name), "{name}")
                    }
                    Value::String(_) => {}
                    Value::Number(_) => assert!(given(name).is_some(), "{name}"),
                    other => panic!("{name}: {other}"),
                }
            }
            mpay_http_request_free(Some(prepared));
        }
        let order_id = lines.first().cloned().unwrap_or_default();
        for prepare in [mpay_prepare_confirm, mpay_prepare_cancel, mpay_prepare_get_status] {
            let (mut prepared, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
            let code = prepare(protocol, order_id.as_ptr(), &raw mut prepared, &raw mut error);
            let Some(prepared) = taken(code, prepared, error) else { continue };
            let fields = signed(&prepared);
            assert_eq!(fields.len(), 1);
            assert_eq!(Some(fields["orderId"].as_str().expect("a text")), order_id.to_str().ok());
            mpay_http_request_free(Some(prepared));
        }
        mpay_protocol_free(Some(Box::from_raw(owned)));
        mpay_payment_request_free(Some(Box::from_raw(request)));
    }
});
