//! A journal of payments. It makes sure that each order is paid at most once, even after a crash.
//!
//! After an error with the outcome `unknown` a payment may exist. The journal finds it. A merchant names each
//! payment by an order number, the *reference*. [`Journal::pay`] can be repeated safely: each reference has
//! at most one payment that a customer can pay. `docs/journal.md` states the promise and its preconditions.
//!
//! - The journal stores a row durably before it sends the first byte. The row has a random *token*, which is
//!   the last part of the payment's callback URL. So the journal can match the webhook to the payment even if
//!   the response was lost.
//! - [`receive`](Journal::receive) handles webhooks. [`settle`](Journal::settle) asks the service about open
//!   attempts that are due.
//! - [`news`](Journal::news) lists the changes that your program has not acknowledged, also after a crash.
//!   Act only on these changes.
//! - [`attention`](Journal::attention) lists what an operator must decide, and [`resolve`](Journal::resolve)
//!   stores the decision.
//!
//! The [`Standing`] alone does not prove that a payment is paid. Ask [`Entry::succeeded`].
//!
//! ```
//! use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};
//! use merchantpay_journal_old::{Journal, JournalConfig, Until};
//! # use merchantpay_sandbox::{Options, Sandbox};
//! # let sandbox = Sandbox::start(Options { pace: std::time::Duration::ZERO, ..Options::default() })?;
//! # let (base_url, key_id, server_key) = (sandbox.url(), sandbox.merchant_key_id(), sandbox.server_public_key());
//! # let key = sandbox.merchant_private_key().expect("made by the sandbox").clone();
//! # let folder = std::env::temp_dir().join(format!("merchantpay-journal-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("payments.db");
//!
//! let client = Client::new(Config::new(base_url, key_id, key, server_key))?;
//! let journal = Journal::open(&client, JournalConfig::new(file).create(true).callback_url("https://shop.example/pay/callback"))?;
//!
//! // At the till. It can be repeated safely.
//! let request = PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567");
//! let entry = journal.pay("order-1017", &request)?;
//! if let Some(credentials) = entry.credentials() {
//!     println!("pay {:?} to {:?}", credentials.sum(), credentials.payee_account());
//! }
//! // The customer says that he has paid.
//! journal.confirm(&entry)?;
//!
//! // In the web handler: `journal.receive(path, body, signature, key_id).http_status` is the answer.
//! // From cron or a loop:
//! journal.settle(100)?;
//! # journal.wait("order-1017", std::time::Duration::from_secs(20), Until::Final)?;
//!
//! // The one place to act, also after a crash.
//! for entry in journal.news(100)? {
//!     if entry.succeeded() {
//!         println!("ship {}", entry.reference());
//!     }
//!     journal.acknowledge(&entry)?;
//! }
//! # assert!(journal.find("order-1017")?.is_some_and(|entry| entry.succeeded()));
//! # drop(journal); // Windows removes no file that is open.
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The file
//!
//! **The SQLite file belongs to the journal alone.** If another copy of SQLite in the same process opens and
//! closes the file, the journal's locks on it are dropped, and an acknowledged write can be lost. The SQLite
//! driver of another language is such a copy. If the file was replaced, the journal fails with `storage`. To
//! read the file, use the journal's own [`list`](Journal::list). The file must not be on a network file
//! system. The web server and cron must run under the same user account. A forked child opens its own
//! connection. Closing the inherited connection writes nothing and releases no lock of the parent. Open the
//! journal after `fork` if possible, and do not fork while another thread uses the journal.
//!
//! # After a restore from a backup
//!
//! Rows that were stored after the backup are missing. First stop every call of [`pay`](Journal::pay). Then
//! wait for webhooks: a webhook without an attempt is stored as an orphan. Then decide every item of
//! [`attention`](Journal::attention).

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
mod model;
mod storage;

/// Items that the model in `tests/model` and the tests use. Programs must not use these items, because the
/// items change without notice.
#[doc(hidden)]
pub mod internals {
    pub use crate::model::driver::{Answer, Done, Key, Misplaced, RandomTexts, Run, Step, Task};
    pub use crate::model::event::{Call, CallEnd, Change, Event, Instruction, Report, Source};
    pub use crate::model::orphan::OrphanState;
    pub use crate::model::record::{Intent, NewerReasons, NotFound, Problem, Reasons, Record};
    pub use crate::model::request::Asked;
    pub use crate::model::transition::{Decision, apply, decide};
}

pub use api::activity::Activity;
pub use api::attention::{Attention, Resolution};
pub use api::config::JournalConfig;
pub use api::entry::Entry;
pub use api::journal::{Journal, create_tables};
pub use api::receive::Received;
pub use api::settle::Settled;
pub use api::stats::{ServerChange, Stats};
pub use api::transfer::Export;
pub use api::wait::Until;
pub use model::orphan::Orphan;
pub use model::record::Problem;
pub use storage::merchant_database::Database;
pub use storage::queries::Pause;
pub use storage::schema::schema;
pub use storage::sqlite_store::SqliteStore;
pub use storage::store::{Dialect, Placeholders, Rows, Store, StoreError};

pub use merchantpay::Word;
pub use model::standing::{IntentState, Level, Reason, Standing};
