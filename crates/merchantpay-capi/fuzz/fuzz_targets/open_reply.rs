//! Reads any bytes as the reply to each operation: a line with the HTTP status, lines with headers
//! (`X-Signature: sign` for the correct signature), an empty line, then the body.
#![no_main]

mod common;

use std::sync::LazyLock;

use common::{c, config, read, read_error, read_payment, signature};
use libfuzzer_sys::fuzz_target;
use merchantpay_capi::*;

/// One request of each operation, in the order of the calls below.
struct Requests([&'static mpay_http_request; 7]);

// SAFETY: the header says that a request is read by any number of threads.
unsafe impl Send for Requests {}
// SAFETY: as above.
unsafe impl Sync for Requests {}

static REQUESTS: LazyLock<Requests> = LazyLock::new(|| {
    let none = std::ptr::null_mut();
    let mut protocol = std::ptr::null_mut();
    // SAFETY: handles that were just made, texts that are constants, pointers to variables.
    unsafe {
        assert_eq!(mpay_protocol_new(Some(&config()), &raw mut protocol, none), MPAY_OK);
        let (now, later) = (mpay_payment_request_new(), mpay_payment_request_new());
        for request in [now, later] {
            mpay_payment_request_set_sum(Some(&mut *request), c"1500.50".as_ptr());
            mpay_payment_request_set_payment_method(Some(&mut *request), c"sbp".as_ptr());
            mpay_payment_request_set_customer_account(Some(&mut *request), c"79001234567".as_ptr());
        }
        mpay_payment_request_set_credentials_webhook_url(
            Some(&mut *later),
            c"https://shop.example/hook".as_ptr(),
        );
        let receipt = mpay_receipt_new(c"o-1".as_ptr());
        mpay_receipt_add_bytes(
            Some(&mut *receipt),
            c"r.pdf".as_ptr(),
            c"application/pdf".as_ptr(),
            b"%PDF".as_ptr().cast(),
            4,
            none,
        );
        let (owned, mut made) = (protocol, [std::ptr::null_mut(); 7]);
        let protocol = Some(&*owned);
        let codes = [
            mpay_prepare_get_available_amounts(protocol, Some(&*now), &raw mut made[0], none),
            mpay_prepare_new_payment(protocol, Some(&*now), &raw mut made[1], none),
            mpay_prepare_new_payment_async(protocol, Some(&*later), &raw mut made[2], none),
            mpay_prepare_get_status(protocol, c"o-1".as_ptr(), &raw mut made[3], none),
            mpay_prepare_confirm(protocol, c"o-1".as_ptr(), &raw mut made[4], none),
            mpay_prepare_cancel(protocol, c"o-1".as_ptr(), &raw mut made[5], none),
            mpay_prepare_attach_receipt(protocol, Some(&*receipt), &raw mut made[6], none),
        ];
        assert_eq!(codes, [MPAY_OK; 7]);
        mpay_protocol_free(Some(Box::from_raw(owned)));
        mpay_receipt_free(Some(Box::from_raw(receipt)));
        for request in [now, later] {
            mpay_payment_request_free(Some(Box::from_raw(request)));
        }
        Requests(made.map(|request| &*request.cast_const()))
    }
});

fuzz_target!(|data: &[u8]| {
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let (head, body) = (&data[..end], data.get(end + 2..).unwrap_or_default());
    let mut lines = head.split(|byte| *byte == b'\n');
    let status = lines.next().and_then(|line| std::str::from_utf8(line).ok()?.parse().ok()).unwrap_or(200);
    let mut signed = false;
    // SAFETY: handles that were just made, texts and bytes that live until each call returns, pointers to
    // variables.
    unsafe {
        let response = &mut *mpay_http_response_new();
        mpay_http_response_set_status(Some(response), status);
        for line in lines {
            let (name, value) = match line.iter().position(|byte| *byte == b':') {
                Some(colon) => (&line[..colon], line[colon + 1..].trim_ascii_start()),
                None => (line, &[][..]),
            };
            let (name, value) = (c(name), signature(value, body));
            signed |= name.as_bytes().eq_ignore_ascii_case(b"x-signature");
            mpay_http_response_add_header(Some(response), name.as_ptr(), value.as_ptr());
        }
        mpay_http_response_set_body(Some(response), body.as_ptr().cast(), body.len());

        let response = &*response;
        let requests = &REQUESTS.0;
        let (mut amounts, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
        let code = mpay_open_get_available_amounts(
            Some(requests[0]),
            Some(response),
            &raw mut amounts,
            &raw mut error,
        );
        if code == MPAY_OK {
            assert!(signed && error.is_null());
            let amounts = Box::from_raw(amounts);
            for index in 0..mpay_amounts_count(Some(&amounts)) {
                assert!(read(mpay_amounts_get(Some(&amounts), index)).is_some());
                mpay_amounts_get_minor(Some(&amounts), index);
            }
            mpay_amounts_free(Some(amounts));
        } else {
            read_error(code, error);
        }
        for (open, request) in [
            (mpay_open_new_payment as unsafe extern "C" fn(_, _, _, _) -> i32, requests[1]),
            (mpay_open_new_payment_async, requests[2]),
            (mpay_open_get_status, requests[3]),
        ] {
            let (mut payment, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
            let code = open(Some(request), Some(response), &raw mut payment, &raw mut error);
            if code == MPAY_OK {
                assert!(signed && error.is_null());
                let payment = Box::from_raw(payment);
                read_payment(&payment);
                mpay_payment_free(Some(payment));
            } else {
                assert!(payment.is_null());
                read_error(code, error);
            }
        }
        for (open, request) in [
            (mpay_open_confirm as unsafe extern "C" fn(_, _, _) -> i32, requests[4]),
            (mpay_open_cancel, requests[5]),
            (mpay_open_attach_receipt, requests[6]),
        ] {
            let mut error = std::ptr::null_mut();
            let code = open(Some(request), Some(response), &raw mut error);
            if code == MPAY_OK { assert!(signed) } else { read_error(code, error) }
        }
        mpay_http_response_free(Some(Box::from_raw(std::ptr::from_ref(response).cast_mut())));
    }
});
