//! The settings of a sandbox.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use merchantpay::{Amount, Balance, PrivateKey, PublicKey};

use crate::base::assumptions;
use crate::base::clock::ClockMode;

/// The settings of a sandbox. Start from `Options::default()`.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen on. The default is any free port of 127.0.0.1.
    pub address: SocketAddr,
    /// The merchant's key id and public key. Unless set, the sandbox makes a pair of keys, and
    /// `Sandbox::merchant_private_key` returns the private key.
    pub merchant: Option<(String, PublicKey)>,
    /// The service's own private key. Unless set, the sandbox makes a pair of keys.
    pub server_private_key: Option<PrivateKey>,
    /// The service's key id.
    pub server_key_id: String,
    /// The currency of the merchant's balance; set it by [`Options::with_balance`] to get a fitting rate.
    pub balance: Balance,
    /// The contract's field `dealRate`: the exchange rate between rubles and the balance's currency.
    pub rate: Amount,
    /// The commission as a fraction of the converted sum, such as 0.03.
    pub commission: Amount,
    /// `true` if `payerBank` is required, as a merchant's agreement may say (contract, section 4.2).
    pub payer_bank_required: bool,
    /// The time that `/new` waits for credentials (contract, section 8: up to 10 s).
    pub credentials_wait: Duration,
    /// The duration of each simulated step: finding a payee, checking a payment, checking a receipt.
    pub pace: Duration,
    /// The time that a merchant has to answer a webhook.
    pub webhook_timeout: Duration,
    /// The pauses before a webhook is delivered again; empty for a single delivery attempt.
    pub webhook_retries: Vec<Duration>,
    /// The seed makes the ids the same in each run. With a manual clock, times and outcomes are also the
    /// same.
    pub seed: Option<u64>,
    /// The kind of clock.
    pub clock: ClockMode,
    /// The SQLite file that stores payments, webhooks, receipts and keys. Unless set, these data are lost
    /// when the sandbox ends.
    pub database: Option<PathBuf>,
    /// The URL by which clients reach the sandbox, if they cannot use its address: for example behind a proxy
    /// or in a container.
    pub public_url: Option<String>,
    /// Further names of the machine, which a `Host` header may have.
    pub allowed_hosts: Vec<String>,
    /// `true` if clients on other machines can use the console and the control API too. Then no answer has a
    /// private key, and webhooks go only to [`Options::webhook_hosts`] and the sandbox's own receiver.
    pub allow_remote: bool,
    /// The hosts, such as `shop` or `shop:8080`, to which a merchant on another machine can have webhooks sent.
    /// Unless named here, that is only the address from which the merchant calls.
    pub webhook_hosts: Vec<String>,
    /// A file with the PEM certificates of a CA to trust for webhooks to https, in addition to the operating
    /// system's CAs.
    pub ca_file: Option<PathBuf>,
    /// The time in which a client must send a request's head, and then its body.
    pub client_deadline: Duration,
    /// `true` if new payments wait for the operator after they got credentials. Then no check starts
    /// automatically.
    pub hold: bool,
}

impl Options {
    /// Sets another balance and the sandbox's rate for this balance.
    #[must_use]
    pub fn with_balance(mut self, balance: Balance) -> Options {
        self.balance = balance;
        self.rate = assumptions::rate(balance);
        self
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            merchant: None,
            server_private_key: None,
            server_key_id: "sandbox-server".to_owned(),
            balance: Balance::Rub,
            rate: assumptions::rate(Balance::Rub),
            commission: assumptions::commission(),
            payer_bank_required: false,
            credentials_wait: Duration::from_secs(10),
            pace: Duration::from_millis(300),
            webhook_timeout: assumptions::WEBHOOK_TIMEOUT,
            webhook_retries: assumptions::WEBHOOK_RETRIES.to_vec(),
            seed: None,
            clock: ClockMode::Real,
            database: None,
            public_url: None,
            allowed_hosts: Vec::new(),
            allow_remote: false,
            webhook_hosts: Vec::new(),
            ca_file: None,
            client_deadline: Duration::from_secs(60),
            hold: false,
        }
    }
}
