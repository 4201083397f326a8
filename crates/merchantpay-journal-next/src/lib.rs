//! A journal that creates at most one payable payment for each order number.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod store;

pub use api::attention::{Attention, Orphan, Resolution};
pub use api::config::{JournalConfig, SETTINGS};
pub use api::entry::{Entry, EntryField};
pub use api::instruct::Key;
pub use api::journal::Journal;
pub use api::methods::{Argument, Kind, METHODS, Method};
pub use api::news::{AcknowledgeSql, NewsKey, Style};
pub use api::operator;
pub use api::receive::Received;
pub use api::settle::Settled;
pub use api::stats::Stats;
pub use api::wait::Until;
pub use merchantpay::Word;
pub use model::attempt::{Intent, IntentState, Reason, Standing};
pub use model::report::Problem;
pub use store::{Connection, Dialect, Failure, Rows, Store, Value};
