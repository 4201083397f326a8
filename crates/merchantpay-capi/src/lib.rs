//! The C library. `docs/c.md` has the rules of all functions, and `include/merchantpay.h` describes each.
// The names follow C's conventions.
#![allow(non_camel_case_types)]

// The constants, in the order of the header.
mod version;

mod constants;

// How values cross, from the bottom up.
mod arguments;
mod boundary;
mod handle;
mod object;
mod places;
mod record;
mod resident;
mod settings;

// The functions that are generated over them, and those for which no table has a row.
mod typed;

mod callbacks;
mod config;
#[cfg(feature = "journal")]
mod entry;
mod http;
#[cfg(feature = "journal")]
mod journal;
#[cfg(feature = "journal")]
mod journal_config;
mod payment;
mod payment_request;

mod waist;

// The functions of `bindings` have a separate header.
mod bindings;

#[cfg(test)]
mod tests;

pub use bindings::*;
pub use callbacks::*;
pub use config::*;
pub use constants::*;
#[cfg(feature = "journal")]
pub use entry::*;
pub use handle::MPAY_NO_MINOR;
pub use http::*;
#[cfg(feature = "journal")]
pub use journal::*;
#[cfg(feature = "journal")]
pub use journal_config::*;
pub use payment::*;
pub use payment_request::*;
pub use typed::*;
pub use version::*;
pub use waist::*;
