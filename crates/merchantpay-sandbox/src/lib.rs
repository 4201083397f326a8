//! The service of the contract as a real HTTP server, to develop and test against. No money moves here.
//!
//! It plays the whole *Merchant Payment Acceptance API v1*: signatures both ways, the state machine, the wait
//! of `/new`, signed webhooks with retries, arbitration and receipts. A `customerAccount` may be a test
//! account, which determines what happens to a payment: see [`TEST_ACCOUNTS`]. While it runs, its control API
//! below `/sandbox` of its URL shows and changes its state, as `CONTROL.md` describes. What the contract does
//! not show is an assumption of this crate, and all of them are in `assumptions.rs`.
//!
//! ```
//! use merchantpay::{Client, Config, PaymentMethod, PaymentRequest};
//! use merchantpay_sandbox::{Options, Sandbox};
//!
//! let sandbox = Sandbox::start(Options::default())?;
//! let key = sandbox.merchant_private_key().expect("the sandbox has made the merchant's keys").clone();
//! let client = Client::new(Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key()))?;
//! let payment = client.new_payment(&PaymentRequest::new(100, PaymentMethod::Sbp, "79001234567"))?;
//! assert!(payment.payee_account().is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod app;
mod assumptions;
mod body;
mod clock;
mod console;
mod control;
mod database;
mod deliveries;
mod delivery;
mod endpoints;
mod event_bus;
mod exchange;
mod exchange_log;
mod fault;
mod fault_queue;
mod http;
mod json;
mod keys;
mod lock;
mod merchant;
mod merchant_api;
mod options;
mod outgoing_reply;
mod payment;
mod payment_store;
mod random;
mod receipt;
mod receipt_store;
mod record;
mod reply;
mod reply_signer;
mod request_counts;
mod sandbox;
mod scheduler;
mod service;
mod stall;
mod stallable_stream;
mod state;
mod test_accounts;
mod timeline;
mod transliteration;
mod view;
mod webhook;
mod webhook_client;
mod webhook_fault;
mod webhook_log;
mod webhook_plans;

pub use clock::ClockMode;
pub use delivery::Delivery;
pub use fault::Fault;
pub use options::Options;
pub use sandbox::Sandbox;
pub use test_accounts::{TEST_ACCOUNTS, TestAccount};
