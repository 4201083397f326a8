//! This is the client library for the Merchant Payment Acceptance API. It signs every request, verifies the
//! signature of every response, keeps amounts exact, and reports for every failure whether the request may
//! have taken effect.
//!
//! - [`Client`] calls the seven operations over HTTP. Its calls block.
//! - [`WebhookVerifier`] turns a webhook's bytes and signature into an [`Event`].
//! - [`Protocol`] prepares requests and opens replies without I/O, for programs with their own HTTP client.
//! - [`Amount`] is a sum of money; [`to_balance`] converts a sum to the currency of the merchant's balance.
//!
//! "Contract" in these pages is the service's *Merchant Payment Acceptance API v1*.
//!
//! # The log
//!
//! This crate writes no log lines; [`Config::observer`] receives an entry for each attempt. The HTTP library
//! ureq, which this crate uses, writes to the `log` crate. Up to the level DEBUG, ureq writes nothing secret.
//! At TRACE, its dependency `ureq_proto` writes all bytes that are sent and received, among them
//! `X-Signature`, accounts and names. A host that enables TRACE must filter these lines, for example with
//! `RUST_LOG=trace,ureq_proto=debug`.
//!
//! ```
//! use merchantpay::{Keypair, WebhookVerifier};
//!
//! let service = Keypair::generate()?; // in production: PublicKey::from_base64(the service's key)
//! let body = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#;
//! let signature = service.private_key().sign(body).to_base64();
//!
//! let event = WebhookVerifier::new(service.public_key()).verify(body, &signature, None)?;
//! assert_eq!(event.payment().sum(), Some("1500.50".parse()?));
//! assert!(event.payment().is_final());
//! # Ok::<(), merchantpay::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

// The layers, from bottom to top. No module imports a module of a higher layer.
mod text;
mod words;

mod error;

mod setting_text;
mod url;

mod amount;
mod balance;
mod keys;

mod json;
mod setting;
mod status;

mod payment;
mod receipt;
mod request;
mod request_field;

pub mod operation;

mod verified;

mod cause;
mod explain;

mod exchange;
mod webhook;

mod attempt;
mod spki_pin;

mod settings;

mod config;
mod environment;

mod client;

pub use amount::{Amount, MAX_DIGITS};
pub use attempt::Attempt;
#[doc(hidden)]
pub use attempt::{Exchanged, RawReply};
pub use balance::{Balance, Rounding, to_balance};
pub use cause::Cause;
pub use client::{
    CertificateFault, Client, ConnectionFailure, ConnectionReport, ConnectionStep, NextStep, StatusWait,
    TlsReport,
};
#[doc(hidden)]
pub use client::{ReceiptListener, trusted_certificates};
#[doc(hidden)]
pub use environment::{private_key_file, read_key_file};
pub use error::{Code, Error, Outcome, Reason, Result};
pub use exchange::{Prepared, Protocol, SignedRequest};
pub use explain::{Explainer, Explanation, Keys};
pub use keys::{Keypair, PrivateKey, PublicKey, Signature, Signer};
pub use operation::{Gives, OPERATIONS, OperationInfo, Takes, UnsignedRequest};
pub use payment::{AvailableAmounts, PAYMENT_FIELDS, Paid, Payment, PaymentField, PaymentFieldKind};
pub use receipt::{RECEIPT_TYPES, Receipt};
pub use request::{AmountsRequest, PaymentRequest, REQUEST_FIELDS, RequestValues};
pub use request_field::{Currency, PaymentMethod, RequestField, RequestFieldKind};
#[doc(hidden)]
pub use setting::{Refused, SettingValue, check_missing, key_text};
pub use setting::{Setting, SettingKind};
pub use setting_text::check_path;
pub use settings::{Config, SETTINGS};
pub use status::Status;
pub use url::BASE_PATH;
pub use webhook::{Event, EventKind, WebhookVerifier};
pub use words::Word;

// A Rust program shares these between its threads. No other code needs `Sync` of values.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Client>();
    shared::<Error>();
    shared::<Payment>();
    shared::<AvailableAmounts>();
    shared::<Event>();
    shared::<Receipt>();
};
