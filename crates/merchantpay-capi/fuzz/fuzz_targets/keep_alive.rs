//! Any text as `Keep-Alive` of a response: the next call succeeds whatever it says, on the same connection or on
//! another one, and each call is sent once.
#![no_main]

mod common;
mod service;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use merchantpay::Outcome;
use service::{Service, reply};

static SERVICE: LazyLock<Service> = LazyLock::new(Service::start);

fuzz_target!(|data: &[u8]| {
    // These are no part of a header's value.
    if data.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return;
    }
    let before = SERVICE.requests();
    // The next input begins with a connection of its own.
    SERVICE.replies([reply(&[b"Keep-Alive: ", data, b"\r\n"].concat()), reply(b"Connection: close\r\n")]);
    for call in 1..=2 {
        match SERVICE.client.get_status("o-1") {
            Ok(payment) => assert_eq!(payment.order_id(), "o-1"),
            // The system has no port left for another connection.
            Err(error) if error.outcome() == Outcome::NotSent => return,
            Err(error) => panic!("call {call}: {error}"),
        }
        assert_eq!(SERVICE.requests(), before + call);
    }
});
