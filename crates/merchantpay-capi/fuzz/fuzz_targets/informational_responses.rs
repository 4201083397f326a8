//! Sends any bytes before the response to `getStatus`. The client must skip informational responses. After
//! any other bytes the call must end with an error, and the outcome must not be `not_sent`.
#![no_main]

mod common;
mod service;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use merchantpay::Outcome;
use service::{Service, reply};

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

fuzz_target!(|data: &[u8]| {
    let before = SERVICE.requests();
    SERVICE.replies([[data, &reply(b"Connection: close\r\n")].concat()]);
    let result = SERVICE.client.get_status("o-1");
    let was_sent = SERVICE.requests() > before;
    match result {
        Ok(payment) => assert!(was_sent && payment.order_id() == "o-1"),
        Err(error) => {
            assert!(!data.is_empty() || !was_sent, "{error}");
            assert!(!was_sent || error.outcome() != Outcome::NotSent, "{error}");
        }
    }
});
