//! Sends any text as the `Keep-Alive` header of a response. The next call must succeed, on the same or on
//! another connection, and each call is sent once.
#![no_main]

mod common;
mod service;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use merchantpay::Outcome;
use service::{Service, reply};

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

fuzz_target!(|data: &[u8]| {
    // A header's value cannot contain these bytes.
    if data.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return;
    }
    let before = SERVICE.requests();
    // Closes the connection, so that the next input starts with a new one.
    SERVICE.replies([reply(&[b"Keep-Alive: ", data, b"\r\n"].concat()), reply(b"Connection: close\r\n")]);
    for call in 1..=2 {
        match SERVICE.client.get_status("o-1") {
            Ok(payment) => assert_eq!(payment.order_id(), "o-1"),
            // This happens if the system has no free port for another connection.
            Err(error) if error.outcome() == Outcome::NotSent => return,
            Err(error) => panic!("call {call}: {error}"),
        }
        assert_eq!(SERVICE.requests(), before + call);
    }
});
