//! A fast sandbox, and a client for it.

use std::time::{Duration, Instant};

use merchantpay::{Amount, Client, Config, Payment, PaymentMethod, PaymentRequest, Status};
use merchantpay_sandbox::{Options, Sandbox};

pub const PATIENCE: Duration = Duration::from_secs(30);
pub const ACCOUNT: &str = "79001234567";

pub fn options() -> Options {
    Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(200),
        webhook_retries: vec![Duration::from_millis(5); 2],
        ..Options::default()
    }
}

pub fn sandbox() -> Sandbox {
    Sandbox::start(options()).unwrap()
}

pub fn client(sandbox: &Sandbox) -> Client {
    let key = sandbox.merchant_private_key().unwrap().clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    Client::new(config.server_key_id(sandbox.server_key_id())).unwrap()
}

pub fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

pub fn request(account: &str) -> PaymentRequest {
    PaymentRequest::new(amount("1500.50"), PaymentMethod::Sbp, account)
}

/// Makes a payment that waits for its customer.
pub fn awaiting(client: &Client, account: &str) -> String {
    client.new_payment(&request(account)).unwrap().order_id().to_owned()
}

/// Queries the payment until it has this status.
pub fn until(client: &Client, order_id: &str, status: Status) -> Payment {
    let end = Instant::now() + PATIENCE;
    loop {
        let payment = client.get_status(order_id).unwrap();
        if payment.status() == Some(&status) {
            return payment;
        }
        assert!(!payment.is_final() && Instant::now() < end, "{:?} in place of {status}", payment.status());
        std::thread::sleep(Duration::from_millis(2));
    }
}
