//! Sends any bytes as a request to the command `merchantpay webhook listen`. The program must answer or close
//! the connection. It may answer 200 only if the signature verifies.
#![no_main]

mod common;
mod raw_http;

use std::net::{SocketAddr, TcpListener};
use std::sync::LazyLock;

use common::KEY;
use libfuzzer_sys::fuzz_target;

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(|| merchantpay_cli::webhook_listen(listener, KEY.public_key()).expect("it listens"));
    address
});

fuzz_target!(|data: &[u8]| {
    let Some(status) = raw_http::send(*ADDRESS, data, &KEY) else { return };
    assert!((200..600).contains(&status) && status != 500, "{status}");
    if status == 200 {
        // Only the fuzz target's own key can sign.
        assert!(data.windows(4).any(|window| window == b"SIGN"));
    }
});
