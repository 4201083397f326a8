//! A journal of payments, which makes at most one payable payment for each of the merchant's order numbers.
//!
//! After an error with the outcome `unknown` a payment may exist. The journal finds it. A merchant names a
//! payment by his own order number, the *reference*; [`Journal::pay`] can then be repeated at any time, by any
//! process, also after a crash.
//!
//! - An attempt is stored before its request is sent. Its random *token* is the last part of its webhook URLs.
//! - [`receive`](Journal::receive) takes webhooks. They are hints: they make the journal ask the service.
//! - [`settle`](Journal::settle) asks about what is due. Run it from cron, in one process or several.
//! - [`news`](Journal::news) lists what you have not acknowledged. Act on these entries, and on nothing else.
//! - [`attention`](Journal::attention) lists what a person must look at, and [`resolve`](Journal::resolve)
//!   stores the decision.
//!
//! Ship if [`Entry::succeeded`] says so, never because of a standing or a status.
//!
//! ```
//! use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};
//! use merchantpay_journal::{Journal, JournalConfig, Until};
//! # use merchantpay_sandbox::{Options, Sandbox};
//! # let sandbox = Sandbox::start(Options { pace: std::time::Duration::ZERO, ..Options::default() })?;
//! # let (base_url, key_id, server_key) = (sandbox.url(), sandbox.merchant_key_id(), sandbox.server_public_key());
//! # let key = sandbox.merchant_private_key().expect("made by the sandbox").clone();
//! # let folder = std::env::temp_dir().join(format!("merchantpay-journal-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let place = folder.join("payments.db").display().to_string();
//!
//! let client = Client::new(Config::new(base_url, key_id, key, server_key))?;
//! let config = JournalConfig::new(place).create(true).callback_url("https://shop.example/pay/callback");
//! let journal = Journal::open(&client, config)?;
//!
//! // At the till.
//! let request = PaymentRequest::new("1500.50".parse::<Amount>()?, PaymentMethod::Sbp, "79001234567");
//! let entry = journal.pay("order-1017", &request)?;
//! if let Some(credentials) = &entry.credentials {
//!     println!("pay {:?} to {:?}", credentials.sum(), credentials.payee_account());
//! }
//! // The customer says that he has paid.
//! journal.confirm(&entry)?;
//!
//! // In the web handler: `journal.receive(path, body, signature, key_id).http_status` is the answer.
//! // From cron or a loop:
//! journal.settle(100)?;
//! # journal.wait("order-1017", Until::Final, std::time::Duration::from_secs(20))?;
//!
//! // The one place to act.
//! for entry in journal.news(100)? {
//!     if entry.succeeded {
//!         println!("ship {}", entry.reference);
//!     }
//!     journal.acknowledge(&entry)?;
//! }
//! # assert!(journal.find("order-1017")?.is_some_and(|entry| entry.succeeded));
//! # drop(journal); // Windows removes no file that is open.
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file belongs to the journal alone: if another SQLite library in the process opens and closes it, the locks
//! of this one are dropped. After `fork` the child opens a connection of its own.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod store;

pub use api::attention::{Attention, Orphan, Resolution};
pub use api::config::{JournalConfig, SETTINGS};
pub use api::entry::{Entry, EntryField, VisitField};
pub use api::instruct::Key;
pub use api::journal::Journal;
pub use api::methods::{Argument, Kind, METHODS, Method};
pub use api::news::{AcknowledgeSql, NewsKey, Style};
pub use api::operator;
pub use api::receive::Received;
pub use api::settle::Settled;
pub use api::stats::{Standings, Stats};
pub use api::wait::Until;
pub use merchantpay::Word;
pub use model::attempt::{Intent, IntentState, Reason, Standing};
pub use model::report::Problem;
pub use store::{Connection, Dialect, Failure, Rows, Store, Value};
