//! The service of the contract as a real HTTP server, to develop and test against. No money moves here.
//!
//! The sandbox implements the whole *Merchant Payment Acceptance API v1*: signatures both ways, the state
//! machine, the wait of `/new`, signed webhooks with retries, arbitration and receipts. A `customerAccount`
//! may be a test account, which determines what happens to a payment: see [`TEST_ACCOUNTS`]. While the
//! sandbox runs, the control API below the path `/sandbox` shows and changes the sandbox's state, as
//! `CONTROL.md` describes. If the contract leaves a behaviour open, this crate makes an assumption:
//! `base/assumptions.rs` lists all assumptions.
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

mod api;
mod app;
mod base;
mod console;
mod control;
mod model;
mod sandbox;
mod service;
mod settings;
mod store;
mod stories;

/// What the sandbox and its console share with the program's other servers and pages.
#[doc(hidden)]
pub mod pages {
    pub use crate::base::hosts::{OwnHosts, joined, with_targets_host};
    pub use crate::base::read_up_to;
    pub use crate::console::{ICON, PARTS, STYLE, guard_file, guard_page, names_us};
    pub use crate::sandbox::{MOST_CONNECTIONS, each_connection};
    pub use crate::settings::shell_word;
}

/// Some assumptions of the sandbox: a program can compare a real service with them. `base/assumptions.rs`
/// lists all assumptions.
pub mod assumptions {
    pub use crate::base::assumptions::{NOT_FOUND, is_order_id};
    pub use crate::model::body::to_latin;
}

pub use base::clock::ClockMode;
pub use base::options::Options;
pub use model::fault::{Fault, PlannedFault};
pub use model::state::{MerchantAction, OperatorAction, Pays, TEST_ACCOUNTS, TestAccount, WebhookAction};
pub use model::webhook::Delivery;
pub use sandbox::Sandbox;
#[doc(hidden)]
pub use service::deliveries::agent as webhook_agent;
pub use settings::{ClientSettings, SettingsFormat};
#[doc(hidden)]
pub use stories::{STORIES, Story};
