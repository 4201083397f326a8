//! The common parts of the tests: keys, a client for a loopback address, and the calls of every operation.

pub mod reply;
pub mod route;
pub mod server;
pub mod tls;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use merchantpay::{
    AmountsRequest, Client, Code, Config, Error, Keypair, Outcome, PaymentMethod, PaymentRequest, Protocol,
    Receipt,
};

pub const KEY_ID: &str = "merchant-1";
pub const SERVER_KEY_ID: &str = "service-1";
pub const ORDER: &str = "order-1";
pub const ACCOUNT: &str = "79001234567";

/// A test that waits longer than this fails, so that it does not hang.
pub const LONG: Duration = Duration::from_secs(20);

/// A call, with the path of its endpoint.
pub type Call = (&'static str, fn(&Client) -> Result<(), Error>);

pub fn merchant() -> &'static Keypair {
    static KEYS: OnceLock<Keypair> = OnceLock::new();
    KEYS.get_or_init(|| Keypair::generate().unwrap())
}

pub fn service() -> &'static Keypair {
    static KEYS: OnceLock<Keypair> = OnceLock::new();
    KEYS.get_or_init(|| Keypair::generate().unwrap())
}

pub fn config(base_url: &str) -> Config {
    Config::new(base_url, KEY_ID, merchant().private_key().clone(), service().public_key()).timeout(LONG)
}

pub fn client(base_url: &str) -> Client {
    Client::new(config(base_url)).unwrap()
}

/// A protocol that accepts the service's key with any key id.
pub fn protocol() -> Protocol {
    let signer = Arc::new(merchant().private_key().clone());
    Protocol::new("https://pay.example", KEY_ID, signer, &[service().public_key()], &[]).unwrap()
}

pub fn payment_request() -> PaymentRequest {
    PaymentRequest::new("1500.50".parse::<merchantpay::Amount>().unwrap(), PaymentMethod::Sbp, ACCOUNT)
}

pub fn asynchronous_request() -> PaymentRequest {
    payment_request().credentials_webhook_url("https://shop.example/credentials")
}

pub fn amounts_request() -> AmountsRequest {
    AmountsRequest::new("1500.50".parse::<merchantpay::Amount>().unwrap(), PaymentMethod::Card)
        .customer_account(ACCOUNT)
}

pub fn receipt() -> Receipt {
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes("receipt.pdf", "application/pdf", b"%PDF-1.7 receipt").unwrap();
    receipt
}

/// Every operation, in the contract's order.
pub fn every_call() -> [Call; 7] {
    [
        ("/available", |client| client.get_available_amounts(&amounts_request()).map(drop)),
        ("/new", |client| client.new_payment(&payment_request()).map(drop)),
        ("/new-async", |client| client.new_payment_async(&asynchronous_request()).map(drop)),
        ("/confirm", |client| client.confirm(ORDER).map(drop)),
        ("/cancel", |client| client.cancel(ORDER).map(drop)),
        ("/status", |client| client.get_status(ORDER).map(drop)),
        ("/receipt/attach", |client| client.attach_receipt(&receipt()).map(drop)),
    ]
}

pub fn is_repeatable(path: &str) -> bool {
    matches!(path, "/available" | "/status")
}

pub fn summary(error: &Error) -> (Code, Outcome, Option<u16>) {
    (error.code(), error.outcome(), error.http_status())
}

/// Runs a test again in a process of its own, with these variables. `true` in that process.
pub fn is_own_process(test: &str, variables: &[(&str, &std::ffi::OsStr)]) -> bool {
    const CHILD: &str = "MERCHANTPAY_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--nocapture"]).env(CHILD, "1").env_remove("SSL_CERT_DIR");
    let output = child.envs(variables.iter().copied()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}{failed}");
    false
}
