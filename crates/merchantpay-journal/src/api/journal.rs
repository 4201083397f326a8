//! The journal: what it is opened with, and how a task's steps are done.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use merchantpay::{Client, Error, Outcome, PaymentRequest, Result, WebhookVerifier};

use crate::api::config::{JournalConfig, Place};
use crate::api::entry::Entry;
use crate::model::driver::{Answer, Done, Key, RandomTexts, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event};
use crate::model::facts::Facts;
use crate::model::guards::Guards;
use crate::model::record::{Problem, Record};
use crate::model::transition;
use crate::storage::queries::{Opening, Table, not_sent, storage};
use crate::storage::schema::{LAYOUT, schema_at_once};
use crate::storage::sqlite_store::SqliteStore;
use crate::storage::store::{Dialect, Placeholders, Store, StoreError};

/// How long is tried to store what a reply has reported, after the deadline has passed.
const AFTERWARDS: Duration = Duration::from_secs(5);
/// The pause before a statement is tried again.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);
/// The pauses after writes that another process was quicker with.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Payments by the merchant's own order numbers: at most one that a customer could pay for each, whatever
/// happens. Shared by threads as it is.
pub struct Journal {
    pub(crate) client: Client,
    pub(crate) verifier: WebhookVerifier,
    pub(crate) table: Table,
    pub(crate) account: String,
    pub(crate) callback_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) pay_wait: Duration,
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
    /// The order id of the last report, also where its attempt is gone.
    pub(crate) order_id: Option<String>,
}

impl Finished {
    pub(crate) fn entry(self) -> Option<Entry> {
        let now = self.now;
        self.done.record.map(|record| Entry::new(Arc::unwrap_or_clone(record), now))
    }
}

impl Journal {
    /// Opens the journal: in a SQLite file, which belongs to the journal alone, or in a database. Neither is
    /// created without [`JournalConfig::create`].
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a setting that cannot be used, or if the journal is another account's;
    /// `storage` if the file or the database is missing or cannot be used.
    pub fn open(client: &Client, config: JournalConfig) -> Result<Journal> {
        config.check()?;
        let (store, check_later): (Arc<dyn Store>, bool) = match config.place {
            Place::File(file) if config.create => (Arc::new(SqliteStore::create(file)?), false),
            Place::File(file) => (Arc::new(SqliteStore::open(file)?), false),
            Place::Database(store) => {
                if config.create {
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
            pay_wait: config.pay_wait,
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
            false => self.check_opening(&self.table.opening().map_err(|error| self.unreadable(error))?),
        }
    }

    /// Why nothing was read.
    pub(crate) fn unreadable(&self, error: StoreError) -> Error {
        self.missing_tables().unwrap_or_else(|| not_sent(error))
    }

    /// Asked until the database was found to be right: tables do not disappear later.
    fn missing_tables(&self) -> Option<Error> {
        if self.is_checked.load(Ordering::Relaxed) || !matches!(self.table.has_tables(), Ok(false)) {
            return None;
        }
        let dialect = self.dialect();
        Some(unusable(&format!(
            "the journal's tables are missing: create them once by the statements of `merchantpay journal schema \
             {dialect}` or with the setting create (`merchantpay journal init` creates a file)"
        )))
    }

    fn check_opening(&self, opening: &Opening) -> Result<()> {
        let unusable = |why: &str| Err(unusable(&format!("the journal: {why}")));
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
            pay_wait: self.pay_wait,
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
        let mut unsent = None;
        let finished = self.do_steps(task, request, deadline, &mut unsent);
        if let (Err(error), Some(record)) = (&finished, unsent) {
            self.refuse_unsent(&record, error);
        }
        finished
    }

    /// The steps. `unsent` is the attempt that was stored, or may have been, and whose request has not left.
    fn do_steps(
        &self,
        task: Task,
        request: Option<&PaymentRequest>,
        deadline: Instant,
        unsent: &mut Option<Arc<Record>>,
    ) -> Result<Finished> {
        let mut clock = Clock::default();
        let mut run = Run::new(task, clock.facts());
        let (mut error, mut lost) = (None, 0);
        loop {
            // Before the step: a call that could not be stored is not made.
            let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
            let [token, writer] = random(outcome).map_err(|failed| failed.with_order_id(run.order_id()))?;
            let answer = match run.step() {
                Step::Done(done) => {
                    let order_id = run.order_id().map(str::to_owned);
                    return Ok(Finished { done: *done, now: clock.facts().now, error, order_id });
                }
                Step::Load(key) => match self.load(&key) {
                    Ok((now, record, opening)) => {
                        opening.map_or(Ok(()), |opening| self.check_opening(&opening))?;
                        self.check_account(record.as_ref())?;
                        clock.set(now);
                        Ok(Answer::Loaded(record.map(Arc::new)))
                    }
                    Err(error) => match self.missing_tables() {
                        Some(why) => return Err(why),
                        None => Err(error),
                    },
                },
                Step::Insert(record) => {
                    *unsent = Some(record.clone());
                    self.table.insert(&record).map(|()| Answer::Written)
                }
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
                        *unsent = None;
                    }
                    let (event, failure) = self.call(&record, call, request, deadline);
                    error = failure;
                    Ok(Answer::Called(event))
                }
            };
            let answer = match answer {
                Ok(Answer::Lost) => {
                    lost += 1;
                    pause_after_lost(&run, lost, deadline)?;
                    Answer::Lost
                }
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

    /// Turns an attempt whose request has not left into a refused one, so that no operator has to look at it.
    /// It is tried once, and only over the row that this task has stored: a database that failed over may have
    /// another one under that number.
    fn refuse_unsent(&self, record: &Record, error: &Error) {
        let event = Event::NotCreated(CallEnd::NotSent, Problem::of(error));
        let facts = Facts { now: record.created_at, guards: Guards::ALL };
        let mut refused = transition::apply(record, &event, facts).record;
        let Ok([writer]) = random(Outcome::NotSent) else { return };
        (refused.version, refused.writer) = (record.version + 1, writer);
        let _ = self.table.update_own(&refused, record.created_at, &record.writer);
    }

    /// Whether a statement that failed is tried again: after a call, or where it may have taken effect, while
    /// there is time.
    fn store_failed(&self, run: &Run, failure: &StoreError, deadline: Instant) -> Result<()> {
        let is_unclear = matches!(failure, StoreError::Unclear(_));
        let is_over = Instant::now() >= storing_end(run, deadline);
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
                    return Err(unusable(&format!("the journal failed: {why}")));
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
            Some(record) if record.account != self.account => Err(another_account()),
            _ => Ok(()),
        }
    }

    /// The deadline of an operation that begins now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

pub(crate) fn another_account() -> Error {
    Error::invalid_argument("the entry is another account's: open the journal with that account's client")
}

/// Until when it is tried to store.
fn storing_end(run: &Run, deadline: Instant) -> Instant {
    if run.is_after_call() { deadline + AFTERWARDS } else { deadline }
}

/// Another process wrote first. A pause that grows lets it finish; reads from a replica that lags would else
/// be repeated without an end.
fn pause_after_lost(run: &Run, lost: u32, deadline: Instant) -> Result<()> {
    if Instant::now() >= storing_end(run, deadline) {
        let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
        let why = "what was read is older than what is stored: does it read from a replica?";
        return Err(storage(outcome, &StoreError::Failed(why.to_owned())).with_order_id(run.order_id()));
    }
    std::thread::sleep((FIRST_PAUSE * (1 << lost.min(8))).min(LONGEST_PAUSE));
    Ok(())
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

/// What an operator has to change.
fn unusable(why: &str) -> Error {
    Error::storage(Outcome::NotSent, why).permanent()
}

fn create_tables(table: &Table) -> Result<(), StoreError> {
    let store = &*table.store;
    // Tables of another layout are refused later, and left alone.
    if table.has_tables()? {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32};

    use merchantpay::{Code, Config, Keypair, PaymentMethod};

    use super::*;
    use crate::model::event::Report;
    use crate::model::standing::Standing;
    use crate::storage::store::Rows;

    /// Its reads lag: no write finds the version that was read.
    struct Lagging {
        inner: SqliteStore,
        lags: Arc<AtomicBool>,
        statements: Arc<AtomicU32>,
    }

    impl Store for Lagging {
        fn dialect(&self) -> Dialect {
            Dialect::Sqlite
        }

        fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
            self.statements.fetch_add(1, Ordering::SeqCst);
            match self.lags.load(Ordering::SeqCst) && sql.starts_with("UPDATE") {
                true => Ok(Rows::default()),
                false => self.inner.run(sql, parameters),
            }
        }
    }

    #[test]
    fn reads_that_lag_end_at_the_deadline_after_few_statements() {
        let folder = std::env::temp_dir().join(random::<1>(Outcome::NotSent).unwrap()[0].clone());
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("payments.db");
        let inner = SqliteStore::create(&file).unwrap();
        let (lags, statements) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let store = Lagging { inner, lags: lags.clone(), statements: statements.clone() };
        let key = Keypair::generate().unwrap();
        // Nobody listens there.
        let client = Client::new(Config::new(
            "http://127.0.0.1:9",
            "k",
            key.private_key().clone(),
            Keypair::generate().unwrap().public_key(),
        ))
        .unwrap();
        let mut journal = Journal::open(&client, JournalConfig::over(store)).unwrap();
        let request = PaymentRequest::new(10, PaymentMethod::Sbp, "79001234567");
        let entry = journal.pay("order", &request).unwrap();
        assert_eq!(entry.standing(), Standing::Refused);
        journal.timeout = Duration::from_millis(300);
        lags.store(true, Ordering::SeqCst);
        statements.store(0, Ordering::SeqCst);
        let report = Report {
            order_id: "o-1".to_owned(),
            status: Some("pending".to_owned()),
            sum: None,
            currency: None,
            has_credentials: false,
            fields: Default::default(),
        };
        let error = journal.apply(entry.record(), Event::WebhookReported(report)).map(drop).unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.order_id()),
            (Code::Storage, Outcome::NotSent, Some("o-1"))
        );
        let count = statements.load(Ordering::SeqCst);
        assert!(count < 50, "{count} statements");
        drop(journal);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
