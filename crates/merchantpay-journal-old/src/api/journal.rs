//! The journal: how it is opened and checked.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use merchantpay::{Client, Error, Outcome, Result, WebhookVerifier};

use crate::api::activity::{Activity, Counters};
use crate::api::config::{JournalConfig, Place};
use crate::model::record::Record;
use crate::storage::file_names;
use crate::storage::queries::{Opening, Queries, not_sent};
use crate::storage::schema::{LAYOUT, schema_at_once};
use crate::storage::sqlite_files::NOT_IN_MEMORY;
use crate::storage::sqlite_store::SqliteStore;
use crate::storage::store::{Dialect, Placeholders, Store, StoreError};

/// A time that is longer than any call, and short enough to be added to any `Instant`.
pub(crate) const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// Creates payments under the merchant's own order numbers, the references. Each reference has at most one
/// payment that a customer can pay. Threads can share a journal without a lock.
pub struct Journal {
    pub(crate) client: Client,
    pub(crate) verifier: WebhookVerifier,
    pub(crate) queries: Queries,
    /// The store of the journal's file; `None` if the journal is in a database.
    pub(crate) file: Option<Arc<SqliteStore>>,
    pub(crate) account: String,
    pub(crate) callback_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) pay_wait: Duration,
    pub(crate) calls_per_second: u32,
    pub(crate) calls_at_once: u32,
    pub(crate) durability_vouched: Vec<String>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) memory_for_tests: bool,
    /// `true` if the database was checked.
    pub(crate) is_checked: AtomicBool,
}

impl Journal {
    /// Opens the journal: in a SQLite file, which only the journal uses, or in a database. A missing
    /// file or missing tables are created only with [`JournalConfig::create`].
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a setting that cannot be used, or if the journal belongs to another account;
    /// `storage` if the file or the database is missing or cannot be used.
    pub fn open(client: &Client, config: JournalConfig) -> Result<Journal> {
        let config = config.checked()?;
        let (store, file, check_later): (Arc<dyn Store>, _, bool) = match config.place {
            Place::File(path) => {
                let open = if config.create { SqliteStore::create_with } else { SqliteStore::open_with };
                let file = Arc::new(open(path, &config.durability_vouched)?);
                (file.clone(), Some(file), false)
            }
            Place::Database(store) => {
                if config.create {
                    let queries = Queries::new(store.clone());
                    if !config.memory_for_tests {
                        refuse_memory(&queries)?;
                    }
                    create(&queries).map_err(not_sent)?;
                }
                (store, None, config.check_later)
            }
        };
        let journal = Journal {
            client: client.clone(),
            verifier: client.verifier(),
            queries: Queries::new(store),
            file,
            account: config.account.unwrap_or_else(|| client.base_url().to_owned()),
            callback_url: config.callback_url.map(|url| url.trim_end_matches('/').to_owned()),
            timeout: config.timeout.min(LONGEST),
            pay_wait: config.pay_wait.min(LONGEST),
            calls_per_second: config.calls_per_second,
            calls_at_once: config.calls_at_once,
            durability_vouched: config.durability_vouched,
            counters: Arc::default(),
            memory_for_tests: config.memory_for_tests,
            is_checked: AtomicBool::new(false),
        };
        if !check_later {
            journal.check()?;
        }
        Ok(journal)
    }

    /// Checks the database, unless the database was checked before.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Journal::open).
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_checked.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.check_opening(&self.queries.opening().map_err(|error| self.unreadable(error))?),
        }
    }

    /// Makes the error of a read that failed.
    pub(crate) fn unreadable(&self, error: StoreError) -> Error {
        self.missing_tables().unwrap_or_else(|| not_sent(error))
    }

    /// Checks for missing tables. After the tables were found once, this does not check again: tables do not
    /// disappear later.
    pub(crate) fn missing_tables(&self) -> Option<Error> {
        if self.is_checked.load(Ordering::Relaxed) || !matches!(self.queries.has_tables(), Ok(false)) {
            return None;
        }
        if let Err(error) = refuse_memory(&self.queries) {
            return Some(error);
        }
        let dialect = self.dialect();
        Some(unusable(&format!(
            "the journal's tables are missing: if this journal existed before, check the database's address and \
             name; only for a new shop: `merchantpay journal init`, the statements that `merchantpay journal \
             schema {dialect}` prints, or the setting `create`"
        )))
    }

    pub(crate) fn check_opening(&self, opening: &Opening) -> Result<()> {
        let unusable = |why: &str| Err(unusable(&format!("the journal cannot be used: {why}")));
        match opening.settings.file().map(Path::new) {
            Some(file) if file.as_os_str().is_empty() && !self.memory_for_tests => return Err(in_memory()),
            // The store of a file has checked its own file.
            Some(file) if self.file.is_none() => {
                let file = file.canonicalize().ok();
                let fault = file.and_then(|file| file_names::fault(&file, &self.durability_vouched));
                if let Some(fault) = fault {
                    return unusable(&fault);
                }
            }
            _ => {}
        }
        if let Some(fault) = opening.settings.fault(&self.durability_vouched) {
            return unusable(&fault);
        }
        match opening.layout {
            Some(LAYOUT) => {}
            Some(layout) if layout < LAYOUT => return unusable(OLDER),
            Some(_) => return unusable("its tables were made by a newer version of this library"),
            None => return unusable("its tables contain no version number"),
        }
        if opening.account.as_ref().is_some_and(|other| *other != self.account) {
            return Err(Error::invalid_argument(
                "the journal belongs to another account: open it with that account's client",
            ));
        }
        self.is_checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Makes another handle of the same journal. The calls of the derived journal can be interrupted
    /// separately. Interrupting this journal also interrupts the calls of the derived journal. Deriving is
    /// cheap, and the derived journal can live longer than this journal.
    #[must_use]
    pub fn derive(&self) -> Journal {
        Journal {
            client: self.client.derive(Duration::ZERO),
            verifier: self.verifier.clone(),
            queries: self.queries.clone(),
            file: self.file.clone(),
            account: self.account.clone(),
            callback_url: self.callback_url.clone(),
            timeout: self.timeout,
            pay_wait: self.pay_wait,
            calls_per_second: self.calls_per_second,
            calls_at_once: self.calls_at_once,
            durability_vouched: self.durability_vouched.clone(),
            counters: self.counters.clone(),
            memory_for_tests: self.memory_for_tests,
            is_checked: AtomicBool::new(self.is_checked.load(Ordering::Relaxed)),
        }
    }

    /// Ends the calls to the service that run on this journal and on the journals derived from it, in all
    /// threads. No later call starts: see [`Client::interrupt`]. The result of an interrupted call is still
    /// stored. If this journal was derived from another journal, the other journal continues.
    pub fn interrupt(&self) {
        self.client.interrupt();
    }

    /// Counts of the work of this journal, and of the journals derived from it, since this process opened it.
    pub fn activity(&self) -> Activity {
        self.counters.activity().clone()
    }

    /// The SQL dialect of the journal's database.
    pub fn dialect(&self) -> Dialect {
        self.queries.store.dialect()
    }

    /// The syntax of parameters in the SQL of the journal's database.
    pub fn placeholders(&self) -> Placeholders {
        self.queries.store.placeholders()
    }

    pub(crate) fn check_account(&self, record: Option<&Record>) -> Result<()> {
        match record {
            Some(record) if record.account != self.account => Err(another_account()),
            _ => Ok(()),
        }
    }
}

pub(crate) fn another_account() -> Error {
    Error::invalid_argument(
        "the entry belongs to another account: open the journal with that account's client",
    )
}

/// The error text for the tables of version 0.2.0.
const OLDER: &str = "its tables were made by version 0.2.0: export it with that version, and import it with this \
    one into new tables";

/// An error that lasts until an operator changes something.
pub(crate) fn unusable(why: &str) -> Error {
    Error::storage(Outcome::NotSent, why).permanent()
}

/// Creates the tables of a journal in a database, like [`JournalConfig::create`] but without a client.
/// Existing tables stay as they are.
///
/// # Errors
///
/// `storage` if the tables cannot be created.
pub fn create_tables(store: impl Store + 'static) -> Result<()> {
    let queries = Queries::new(Arc::new(store));
    refuse_memory(&queries)?;
    create(&queries).map_err(not_sent)
}

/// Refuses a SQLite database without a file.
fn refuse_memory(queries: &Queries) -> Result<()> {
    match queries.file().map_err(not_sent)? {
        Some(file) if file.is_empty() => Err(in_memory()),
        _ => Ok(()),
    }
}

fn in_memory() -> Error {
    unusable(&format!("the journal cannot be used: {NOT_IN_MEMORY}"))
}

fn create(queries: &Queries) -> Result<(), StoreError> {
    let store = &*queries.store;
    // Tables with another layout stay as they are. Opening the journal refuses them.
    if queries.has_tables()? {
        return Ok(());
    }
    // A file that the host's SQLite opens keeps its journal mode. In SQLite's default mode a power loss can
    // undo a commit, so this sets the WAL mode.
    if store.dialect() == Dialect::Sqlite {
        store.run("PRAGMA journal_mode = WAL", &[])?;
    }
    schema_at_once(store.dialect()).iter().try_for_each(|statement| store.run(statement, &[]).map(drop))
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("account", &self.account).finish_non_exhaustive()
    }
}
