//! Tests of the number of allocations in the core. The limits are exact, so that unnecessary allocations are
//! noticed. Set `MERCHANTPAY_PRINT_ALLOCATIONS=1` and `--nocapture` to see the numbers. If a number has
//! become lower, enter the lower number here.

use crate::common::reply::signed;
use crate::common::server::Server;
use crate::common::{ORDER, client, payment_request, protocol, service};
use allocation_counter::measure;
use merchantpay::{Payment, Signature, WebhookVerifier, operation};

/// A reply to `/status` with all fields.
const BODY: &[u8] = include_bytes!("../../../../bench/webhook.json");

/// Checks the number of allocations in the second run, so that values that are made only once are not
/// counted.
fn at_most(what: &str, ceiling: u64, work: impl Fn() -> bool) {
    assert!(work(), "{what}");
    let mut done = false;
    let counted = measure(|| done = work()).count_total;
    assert!(done, "{what}");
    if std::env::var_os("MERCHANTPAY_PRINT_ALLOCATIONS").is_some() {
        println!("{what}: {counted}");
    }
    assert!(
        counted <= ceiling,
        "{what} allocates {counted} times, and its ceiling in this test is {ceiling}"
    );
}

#[test]
fn work_without_io_allocates_little() {
    let protocol = protocol();
    let (request, order) = (payment_request(), std::str::from_utf8(BODY).unwrap());
    let order = Payment::carried(order).unwrap().order_id().to_owned();
    at_most("preparing a payment", 5, || protocol.prepare(operation::new_payment(&request)).is_ok());
    at_most("preparing a status", 5, || protocol.prepare(operation::get_status(&order)).is_ok());

    let signature = service().private_key().sign(BODY).to_base64();
    let headers =
        [("Content-Type", "application/json"), ("X-KeyId", "service-1"), ("X-Signature", signature.as_str())];
    let prepared = protocol.prepare(operation::get_status(&order)).unwrap();
    at_most("opening a reply", 9, || prepared.open(200, headers, BODY).is_ok());
    let verifier = WebhookVerifier::new(service().public_key());
    at_most("a webhook", 9, || verifier.verify(BODY, &signature, Some("service-1")).is_ok());
    let text = std::str::from_utf8(BODY).unwrap();
    at_most("parsing a payment", 8, || Payment::carried(text).is_some());
    let decoded = Signature::from_base64(&signature).unwrap();
    at_most("verifying", 0, || service().public_key().verifies(BODY, &decoded));
}

#[test]
fn call_on_a_kept_connection_allocates_little() {
    let body = format!(
        r#"{{"success":true,"orderId":"{ORDER}","status":"pending","availableAmounts":[1500.50],"otherAmountsPossible":true}}"#
    );
    let server = Server::replying(signed(body));
    let client = client(&server.url());
    at_most("a status call", 68, || client.get_status(ORDER).is_ok());
    server.finish();
}
