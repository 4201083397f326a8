//! The journal: what it is opened with, and how a task's steps are done.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use merchantpay::{Client, Error, Outcome, PaymentRequest, Result, WebhookVerifier};

use crate::config::{JournalConfig, Place};
use crate::driver::{Answer, Done, Key, RandomTexts, Run, Step, Task};
use crate::entry::Entry;
use crate::event::{Call, Event};
use crate::facts::Facts;
use crate::guards::Guards;
use crate::record::Record;
use crate::schema::{LAYOUT, schema_at_once};
use crate::sqlite::SqliteStore;
use crate::store::{Dialect, Placeholders, Store, StoreError};
use crate::table::{Opening, Table, not_sent, storage};

/// How long is tried to store what a reply has reported, after the deadline has passed.
const AFTERWARDS: Duration = Duration::from_secs(5);
/// The pause before a statement is tried again.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);

/// Payments by the merchant's own order numbers: at most one that a customer could pay for each, whatever
/// happens. Shared by threads as it is.
pub struct Journal {
    pub(crate) client: Client,
    pub(crate) verifier: WebhookVerifier,
    pub(crate) table: Table,
    pub(crate) account: String,
    pub(crate) callback_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) calls_per_second: u32,
    pub(crate) durability_vouched: Vec<String>,
    /// Whether what the database must give was looked at.
    is_checked: AtomicBool,
}

/// A task that has ended, and what the last call said.
pub(crate) struct Finished {
    pub(crate) done: Done,
    /// The database's clock at the end.
    pub(crate) now: i64,
    /// Why the last call failed.
    pub(crate) error: Option<Error>,
}

impl Finished {
    pub(crate) fn entry(self) -> Option<Entry> {
        let now = self.now;
        self.done.record.map(|record| Entry::new(Arc::unwrap_or_clone(record), now))
    }
}

impl Journal {
    /// Opens the journal: in a SQLite file, which belongs to the journal alone and is made if it is not
    /// there, or in a database.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a setting that cannot be used, or if the journal is another account's;
    /// `storage` if the file or the database cannot be used.
    pub fn open(client: &Client, config: JournalConfig) -> Result<Journal> {
        config.check()?;
        let (store, check_later): (Arc<dyn Store>, bool) = match config.place {
            Place::File(file) => (Arc::new(SqliteStore::open(file)?), false),
            Place::Database(store) => {
                if config.create_tables {
                    create_tables(&Table::new(store.clone())).map_err(not_sent)?;
                }
                (store, config.check_later)
            }
        };
        let journal = Journal {
            client: client.clone(),
            verifier: client.verifier(),
            table: Table::new(store),
            account: config.account.unwrap_or_else(|| client.base_url().to_owned()),
            callback_url: config.callback_url.map(|url| url.trim_end_matches('/').to_owned()),
            timeout: config.timeout,
            calls_per_second: config.calls_per_second,
            durability_vouched: config.durability_vouched,
            is_checked: AtomicBool::new(false),
        };
        if !check_later {
            journal.check()?;
        }
        Ok(journal)
    }

    /// Looks at what the database must give, unless that was done.
    ///
    /// # Errors
    ///
    /// As [`open`](Journal::open).
    pub(crate) fn check(&self) -> Result<()> {
        match self.is_checked.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.check_opening(&self.table.opening().map_err(not_sent)?),
        }
    }

    fn check_opening(&self, opening: &Opening) -> Result<()> {
        let unusable = |why: &str| Err(Error::storage(Outcome::NotSent, format!("the journal: {why}")));
        if let Some(fault) = opening.settings.fault(&self.durability_vouched) {
            return unusable(&fault);
        }
        match opening.layout {
            Some(LAYOUT) => {}
            Some(layout) if layout < LAYOUT => return unusable(OLDER),
            Some(_) => return unusable("its tables were made by a newer version of this library"),
            None => return unusable("its tables do not say which version they are"),
        }
        if opening.account.as_ref().is_some_and(|other| *other != self.account) {
            return Err(Error::invalid_argument(
                "the journal is another account's: open it with that account's client",
            ));
        }
        self.is_checked.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The same journal, whose calls can be interrupted alone; they are interrupted together with this one's
    /// too. It costs little, and may outlive this one.
    #[must_use]
    pub fn derive(&self) -> Journal {
        Journal {
            client: self.client.derive(Duration::ZERO),
            verifier: self.verifier.clone(),
            table: self.table.clone(),
            account: self.account.clone(),
            callback_url: self.callback_url.clone(),
            timeout: self.timeout,
            calls_per_second: self.calls_per_second,
            durability_vouched: self.durability_vouched.clone(),
            is_checked: AtomicBool::new(self.is_checked.load(Ordering::Relaxed)),
        }
    }

    /// Ends the calls to the service that run on this journal and on everything derived from it, in whatever
    /// threads, and lets no more start, for good: see [`Client::interrupt`]. What a call's end reports is
    /// stored all the same. The journal that it was derived from goes on.
    pub fn interrupt(&self) {
        self.client.interrupt();
    }

    /// Which SQL its database speaks.
    pub fn dialect(&self) -> Dialect {
        self.table.store.dialect()
    }

    /// How its database writes the place of a parameter.
    pub fn placeholders(&self) -> Placeholders {
        self.table.store.placeholders()
    }

    /// Applies an event to the attempt of a record, and makes the calls that follow from it.
    pub(crate) fn apply(&self, record: &Record, event: Event) -> Result<Finished> {
        self.run(Task::Apply(Key::of(record), Box::new(event)), None, self.deadline())
    }

    /// Does a task's steps until it is done. What is not stored yet when a call has ended is tried until the
    /// deadline, and a moment longer.
    pub(crate) fn run(
        &self,
        task: Task,
        request: Option<&PaymentRequest>,
        deadline: Instant,
    ) -> Result<Finished> {
        let mut clock = Clock::default();
        let mut run = Run::new(task, clock.facts());
        let mut error = None;
        loop {
            // Before the step: a call that could not be stored is not made.
            let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
            let [token, writer] = random(outcome).map_err(|failed| failed.with_order_id(run.order_id()))?;
            let answer = match run.step() {
                Step::Done(done) => {
                    return Ok(Finished { done: *done, now: clock.facts().now, error });
                }
                Step::Load(key) => match self.load(&key) {
                    Ok((now, record, opening)) => {
                        opening.map_or(Ok(()), |opening| self.check_opening(&opening))?;
                        self.check_account(record.as_ref())?;
                        clock.set(now);
                        Ok(Answer::Loaded(record.map(Arc::new)))
                    }
                    Err(error) => Err(error),
                },
                Step::Insert(record) => self.table.insert(&record).map(|()| Answer::Written),
                Step::Update(record) => {
                    let written = self.table.update(&record, clock.facts().now);
                    written.map(|written| if written { Answer::Written } else { Answer::Lost })
                }
                Step::StoreOrphan(misplaced) => {
                    self.table.insert_orphan(&misplaced).map(|()| Answer::Written)
                }
                Step::Call(record, call) => {
                    if call == Call::Create {
                        self.check_stored(&record)?;
                    }
                    let (event, failure) = self.call(&record, call, request, deadline);
                    error = failure;
                    Ok(Answer::Called(event))
                }
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(StoreError::Duplicate) => Answer::Duplicate,
                Err(failure) => {
                    self.store_failed(&run, &failure, deadline)?;
                    match failure {
                        StoreError::Unclear(_) => Answer::Unclear,
                        // The same step once more.
                        _ => continue,
                    }
                }
            };
            run.answer(answer, clock.facts(), &RandomTexts { token, writer });
        }
    }

    /// Whether a statement that failed is tried again: after a call, or where it may have taken effect, while
    /// there is time.
    fn store_failed(&self, run: &Run, failure: &StoreError, deadline: Instant) -> Result<()> {
        let is_unclear = matches!(failure, StoreError::Unclear(_));
        let end = if run.is_after_call() { deadline + AFTERWARDS } else { deadline };
        let is_over = Instant::now() >= end;
        if is_over || !(is_unclear || run.is_after_call()) {
            let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
            return Err(storage(outcome, failure).with_order_id(run.order_id()));
        }
        std::thread::sleep(PAUSE);
        Ok(())
    }

    /// Looks whether an attempt is stored for good before its request is sent: an INSERT within a transaction
    /// that somebody has opened could still be undone.
    fn check_stored(&self, record: &Record) -> Result<()> {
        if !self.table.store.checks_rows() {
            return Ok(());
        }
        let end = Instant::now() + AFTERWARDS;
        loop {
            match self.table.why_not_stored(record) {
                Ok(None) => return Ok(()),
                Ok(Some(why)) => {
                    return Err(Error::storage(Outcome::NotSent, format!("the journal failed: {why}")));
                }
                Err(_) if Instant::now() < end => std::thread::sleep(PAUSE),
                Err(error) => return Err(not_sent(error)),
            }
        }
    }

    /// The clock, the attempt of a key, and what the database must give where nobody has looked at it yet.
    fn load(&self, key: &Key) -> Result<(i64, Option<Record>, Option<Opening>), StoreError> {
        if self.is_checked.load(Ordering::Relaxed) {
            return self.table.load(key).map(|(now, record)| (now, record, None));
        }
        match self.table.load_and_open(key) {
            Ok((now, record, opening)) => Ok((now, record, Some(opening))),
            // Tables of another layout may lack the columns: their own word on it says why.
            Err(StoreError::Failed(why)) => match self.table.opening() {
                Ok(opening) if opening.layout != Some(LAYOUT) => Ok((0, None, Some(opening))),
                _ => Err(StoreError::Failed(why)),
            },
            Err(error) => Err(error),
        }
    }

    pub(crate) fn check_account(&self, record: Option<&Record>) -> Result<()> {
        match record {
            Some(record) if record.account != self.account => Err(Error::invalid_argument(
                "the entry is another account's: open the journal with that account's client",
            )),
            _ => Ok(()),
        }
    }

    /// The deadline of an operation that begins now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// Why the tables of version 0.2.0 are refused.
const OLDER: &str = "its tables were made by version 0.2.0: export it with that version, and import it with this \
    one into new tables";

/// The database's clock, carried on by our own between two readings.
#[derive(Default)]
struct Clock {
    read: Option<(i64, Instant)>,
}

impl Clock {
    fn set(&mut self, now: i64) {
        self.read = Some((now, Instant::now()));
    }

    fn facts(&self) -> Facts {
        let now = self.read.map_or(0, |(now, at)| {
            now.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
        });
        Facts { now, guards: Guards::ALL }
    }
}

/// Random texts of 128 bits. Without them it is an error of this outcome.
pub(crate) fn random<const COUNT: usize>(outcome: Outcome) -> Result<[String; COUNT]> {
    let mut bytes = [[0; 16]; COUNT];
    getrandom::fill(bytes.as_flattened_mut())
        .map_err(|_| Error::storage(outcome, "the system gives no random numbers"))?;
    Ok(bytes.map(|bytes| format!("{:032x}", u128::from_be_bytes(bytes))))
}

fn create_tables(table: &Table) -> Result<(), StoreError> {
    let store = &*table.store;
    // Tables of another layout are refused later, and left alone.
    if table.opening().is_ok_and(|opening| opening.layout.is_some()) {
        return Ok(());
    }
    // The file of a host keeps its mode; in the one of SQLite's own choice a power loss can undo a commit.
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
