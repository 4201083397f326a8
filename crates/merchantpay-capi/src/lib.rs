#![doc = include_str!("../README.md")]
// The names follow C's conventions.
#![allow(non_camel_case_types)]

// The modules that all others use.
mod boundary;
mod handle;
mod resident;
mod texts;
mod user_data;

// From here on, modules are in the order of the header.
mod version;

mod constants;

mod error;
mod names;

mod config;

mod log;
mod signer;

mod client;

mod payment_request;
mod payment_request_fields;
mod receipt;

mod amounts;
mod payment;
mod payment_fields;

mod operations;

mod webhook;

mod explanation;

mod keypair;

mod balance;

mod http_request;
mod http_response;
mod protocol;
mod protocol_operations;

#[cfg(feature = "journal")]
mod journal_constants;

#[cfg(feature = "journal")]
mod journal_config;
#[cfg(feature = "journal")]
mod journal_settings;

#[cfg(feature = "journal")]
mod field_text;

#[cfg(feature = "journal")]
mod entry_texts;

#[cfg(feature = "journal")]
mod entry_fields;

#[cfg(feature = "journal")]
mod entry;
#[cfg(feature = "journal")]
mod journal;
#[cfg(feature = "journal")]
mod journal_operations;
#[cfg(feature = "journal")]
mod journal_persons;

mod waist;

// The functions of `bindings` have a separate header.
mod bindings;

#[cfg(test)]
mod tests;

pub use amounts::*;
pub use balance::*;
pub use bindings::*;
pub use client::*;
pub use config::*;
pub use constants::*;
#[cfg(feature = "journal")]
pub use entry::*;
#[cfg(feature = "journal")]
pub use entry_fields::*;
pub use error::*;
pub use explanation::*;
pub use http_request::*;
pub use http_response::*;
#[cfg(feature = "journal")]
pub use journal::*;
#[cfg(feature = "journal")]
pub use journal_config::*;
#[cfg(feature = "journal")]
pub use journal_constants::*;
#[cfg(feature = "journal")]
pub use journal_operations::*;
#[cfg(feature = "journal")]
pub use journal_persons::*;
#[cfg(feature = "journal")]
pub use journal_settings::*;
pub use keypair::*;
pub use log::*;
pub use names::*;
pub use operations::*;
pub use payment::*;
pub use payment_fields::*;
pub use payment_request::*;
pub use payment_request_fields::*;
pub use protocol::*;
pub use protocol_operations::*;
pub use receipt::*;
pub use signer::*;
pub use user_data::*;
pub use version::*;
pub use waist::*;
pub use webhook::*;
