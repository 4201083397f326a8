//! A merchant with its own sandbox, its own client, and a journal in a place of its own.

use std::time::Duration;

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_journal_old::{Journal, JournalConfig, Received};
use merchantpay_sandbox::{Delivery, Options, Sandbox};

pub use crate::place::Folder;

/// No server listens on this port. The test itself passes the webhooks to the journal.
pub const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// If a test waits for longer than this, the test fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct Shop {
    pub sandbox: Sandbox,
    pub folder: Folder,
    pub client: Client,
}

/// Options for a sandbox without delays that sends each webhook once.
pub fn options() -> Options {
    Options {
        pace: Duration::ZERO,
        webhook_retries: Vec::new(),
        credentials_wait: Duration::from_millis(300),
        ..Options::default()
    }
}

impl Shop {
    pub fn new() -> Shop {
        Shop::with(options())
    }

    pub fn with(options: Options) -> Shop {
        let sandbox = Sandbox::start(options).unwrap();
        let client = Client::new(config(&sandbox).timeout(Duration::from_secs(5))).unwrap();
        Shop { sandbox, folder: Folder::new(), client }
    }

    pub fn config(&self) -> JournalConfig {
        self.with_settings(self.folder.config())
    }

    pub fn with_settings(&self, config: JournalConfig) -> JournalConfig {
        config
            .callback_url(CALLBACK)
            .timeout(Duration::from_secs(15))
            .calls_per_second(1000)
            .pay_wait(Duration::ZERO)
    }

    pub fn journal(&self) -> Journal {
        Journal::open(&self.client, self.config()).unwrap()
    }
}

pub fn give(journal: &Journal, delivery: &Delivery) -> Received {
    journal.receive(&delivery.url, &delivery.body, &delivery.signature, None)
}

pub fn config(sandbox: &Sandbox) -> Config {
    let key = sandbox.merchant_private_key().expect("the sandbox made it").clone();
    Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key())
}

pub fn request(sum: &str, account: &str) -> PaymentRequest {
    PaymentRequest::new(sum.parse::<Amount>().unwrap(), PaymentMethod::Sbp, account)
}
