//! Reads any bytes as the reply to each operation: a line with the HTTP status, lines with headers
//! (`X-Signature: sign` for the correct signature), an empty line, then the body.
#![no_main]

mod common;

use std::sync::LazyLock;

use common::{PROTOCOL, check_error, signature};
use libfuzzer_sys::fuzz_target;
use merchantpay::{
    Amount, AmountsRequest, AvailableAmounts, Payment, PaymentMethod, PaymentRequest, Prepared, Receipt,
    UnsignedRequest, operation,
};

fn prepared<R>(request: UnsignedRequest<R>) -> Prepared<R> {
    PROTOCOL.prepare(request).expect("a valid request")
}

static AMOUNTS: LazyLock<Prepared<AvailableAmounts>> = LazyLock::new(|| {
    let request = AmountsRequest::new(Amount::from_minor(150050), PaymentMethod::Sbp);
    prepared(operation::get_available_amounts(&request))
});

static PAYMENTS: LazyLock<[Prepared<Payment>; 6]> = LazyLock::new(|| {
    let now = PaymentRequest::new(Amount::from_minor(150050), PaymentMethod::Sbp, "79001234567");
    let later = now.clone().credentials_webhook_url("https://shop.example/hook");
    let mut receipt = Receipt::new("o-1");
    receipt.add_bytes("r.pdf", "application/pdf", b"%PDF-1.4").expect("a receipt");
    [
        operation::new_payment(&now),
        operation::new_payment_async(&later),
        operation::get_status("o-1"),
        operation::confirm("o-1"),
        operation::cancel("o-1"),
        operation::attach_receipt(&receipt),
    ]
    .map(prepared)
});

fuzz_target!(|data: &[u8]| {
    let end = data.windows(2).position(|pair| pair == b"\n\n").unwrap_or(data.len());
    let (head, body) = (String::from_utf8_lossy(&data[..end]), data.get(end + 2..).unwrap_or_default());
    let mut lines = head.split('\n');
    let status = lines.next().and_then(|line| line.parse().ok()).unwrap_or(200);
    let headers: Vec<_> = lines
        .map(|line| line.split_once(':').unwrap_or((line, "")))
        .map(|(name, value)| (name, signature(value.trim_ascii_start(), body)))
        .collect();
    let headers = || headers.iter().map(|(name, value)| (*name, value.as_str()));
    let check = |result: merchantpay::Result<()>| match result {
        Ok(()) => assert!(headers().any(|(name, _)| name.eq_ignore_ascii_case("x-signature"))),
        Err(error) => check_error(&error),
    };
    check(AMOUNTS.open(status, headers(), body).map(drop));
    for prepared in &*PAYMENTS {
        let opened = prepared.open(status, headers(), body);
        check(opened.map(|payment| assert!(!payment.order_id().is_empty())));
    }
});
