//! Sends any bytes as a request to the sandbox: its merchant API, its control API and its console. The
//! sandbox must answer or close the connection.
#![no_main]

mod common;
mod raw_http;

use std::net::SocketAddr;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use common::{KEY, MERCHANT_KEY};
use libfuzzer_sys::fuzz_target;
use merchantpay_sandbox::{Options, Sandbox};

/// A sandbox keeps its payments and faults, so a new one starts after this many requests.
const REQUESTS: u32 = 2000;

static SANDBOX: LazyLock<Mutex<(Sandbox, u32)>> = LazyLock::new(|| Mutex::new((start(), 0)));

fn start() -> Sandbox {
    let options = Options {
        merchant: Some(("merchant".to_owned(), MERCHANT_KEY.public_key())),
        server_private_key: Some(KEY.clone()),
        credentials_wait: Duration::from_millis(20),
        pace: Duration::from_millis(1),
        webhook_timeout: Duration::from_millis(100),
        webhook_retries: Vec::new(),
        ..Options::default()
    };
    Sandbox::start(options).expect("a sandbox")
}

fuzz_target!(|data: &[u8]| {
    // A URL in the request would make the sandbox call other machines.
    let text = data.to_ascii_lowercase();
    let has_url = |(at, window): (usize, &[u8])| window == b"http" && !text[at..].starts_with(b"http/1.");
    if text.windows(4).enumerate().any(has_url) || text.windows(2).any(|window| window == br"\u") {
        return;
    }
    let mut sandbox = SANDBOX.lock().expect("no panic");
    if sandbox.1 == REQUESTS {
        *sandbox = (start(), 0);
    }
    sandbox.1 += 1;
    let address: SocketAddr =
        sandbox.0.url().strip_prefix("http://").expect("a URL").parse().expect("an address");
    if let Some(status) = raw_http::send(address, data, &MERCHANT_KEY) {
        assert!((100..600).contains(&status), "{status}");
    }
});
