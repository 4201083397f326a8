//! A payment is taken once, whatever happens.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod words;

mod guards;
mod standing;

mod json;
mod record;
mod request;

mod event;
mod schedule;

mod transition;

mod driver;

mod schema;
mod sql;
mod store;
mod table;

mod files;
mod sqlite;

mod config;
mod entry;
mod journal;

mod attention;
mod call;
mod find;
mod instruct;
mod maintain;
mod news;
mod pay;
mod receive;
mod settle;
mod wait;

/// What the model and the tests walk through. Not for programs: it changes without notice.
#[doc(hidden)]
pub mod internals {
    pub use crate::driver::{Answer, Done, Fresh, Key, Misplaced, Run, Step, Task};
    pub use crate::event::{Call, CallEnd, Change, Event, Instruction, Report, Source};
    pub use crate::guards::Guards;
    pub use crate::record::{Intent, Problem, Record};
    pub use crate::request::Asked;
    pub use crate::transition::{Decision, Facts, apply, decide};
}

pub use attention::{Attention, Resolution};
pub use config::JournalConfig;
pub use entry::{Entry, paid_name};
pub use journal::Journal;
pub use maintain::Stats;
pub use receive::Received;
pub use record::Problem;
pub use schema::schema;
pub use settle::Settled;
pub use sqlite::SqliteStore;
pub use store::{Dialect, Placeholders, Rows, Store, StoreError};
pub use table::Orphan;
pub use wait::Until;

pub use standing::{IntentState, Level, Reason, Standing};
pub use words::Word;
