//! How a task's steps are done: the statements and the calls that the driver asks for.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, PaymentRequest, Result};

use crate::api::entry::Entry;
use crate::api::journal::{Journal, unusable};
use crate::api::pause::paused;
use crate::model::driver::{Answer, Done, Key, RandomTexts, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event};
use crate::model::record::{Problem, Record};
use crate::model::transition;
use crate::storage::queries::{Loaded, Opening, Pause, Stored, not_sent, storage};
use crate::storage::schema::LAYOUT;
use crate::storage::store::StoreError;

/// After the deadline the journal tries for this long to store a response.
const AFTERWARDS: Duration = Duration::from_secs(5);
/// The pause before a statement is tried again.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);
/// The pauses after writes that another process was quicker with.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

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
        let mut run = Run::new(task);
        let (mut error, mut lost, mut pause) = (None, 0, None);
        loop {
            // Before the step: a call that could not be stored is not made.
            let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
            let [token, writer] = random(outcome).map_err(|failed| failed.with_order_id(run.order_id()))?;
            let answer = match run.step() {
                Step::Done(done) => {
                    if let Some(pause) = pause.filter(|_| done.is_paused) {
                        *unsent = None;
                        return Err(paused(&pause));
                    }
                    let order_id = run.order_id().map(str::to_owned);
                    return Ok(Finished { done: *done, now: clock.now(), error, order_id });
                }
                Step::Load(key) => match self.load(&key) {
                    Ok((loaded, opening)) => {
                        opening.map_or(Ok(()), |opening| self.check_opening(&opening))?;
                        self.check_account(loaded.record.as_ref())?;
                        clock.set(loaded.now);
                        pause = loaded.pause;
                        Ok(Answer::Loaded(loaded.record.map(Arc::new), pause.is_some()))
                    }
                    Err(error) => match self.missing_tables() {
                        Some(why) => return Err(why),
                        None => Err(error),
                    },
                },
                Step::Insert(record) => {
                    *unsent = Some(record.clone());
                    self.queries.insert(&record).map(|()| Answer::Written)
                }
                Step::Update(record) => {
                    let written = self.queries.update(&record, clock.now());
                    written.map(|written| if written { Answer::Written } else { Answer::Lost })
                }
                Step::StoreOrphan(misplaced) => {
                    self.queries.insert_orphan(&misplaced).map(|()| Answer::Written)
                }
                Step::Check(record) => {
                    pause = self.check_stored(&record)?;
                    Ok(if pause.is_some() { Answer::Paused } else { Answer::Written })
                }
                Step::Call(record, call) => {
                    if call == Call::Create {
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
                    self.counters.count_lost_write();
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
            run.answer(answer, clock.now(), &RandomTexts { token, writer });
        }
    }

    /// Turns an attempt whose request has not left into a refused one, so that no operator has to look at it.
    /// It is tried once, and only over the row that this task has stored: a database that failed over may have
    /// another one under that number.
    fn refuse_unsent(&self, record: &Record, error: &Error) {
        let event = Event::NotCreated(CallEnd::NotSent, Problem::of(error));
        let mut refused = transition::apply(record, &event, record.created_at).record;
        let Ok([writer]) = random(Outcome::NotSent) else { return };
        (refused.version, refused.writer) = (record.version + 1, writer);
        let _ = self.queries.update_own(&refused, record.created_at, &record.writer);
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
    /// that somebody has opened could still be undone. Returns the pause if there is one: an operator who has paused
    /// the journal waits only for attempts that are stored by then.
    fn check_stored(&self, record: &Record) -> Result<Option<Pause>> {
        let end = Instant::now() + AFTERWARDS;
        loop {
            match self.queries.stored(record) {
                Ok(Stored::Well) => return Ok(None),
                Ok(Stored::Paused(pause)) => return Ok(Some(pause)),
                Ok(Stored::Badly(why)) => {
                    return Err(unusable(&format!("the journal failed: {why}")));
                }
                Err(_) if Instant::now() < end => std::thread::sleep(PAUSE),
                Err(error) => return Err(not_sent(error)),
            }
        }
    }

    /// The clock, the attempt of a key, and what the database must give where nobody has looked at it yet.
    fn load(&self, key: &Key) -> Result<(Loaded, Option<Opening>), StoreError> {
        if self.is_checked.load(Ordering::Relaxed) {
            return self.queries.load(key).map(|loaded| (loaded, None));
        }
        match self.queries.load_and_open(key) {
            Ok((loaded, opening)) => Ok((loaded, Some(opening))),
            // Tables of another layout may lack the columns: their own word on it says why.
            Err(StoreError::Failed(why)) => match self.queries.opening() {
                Ok(opening) if opening.layout != Some(LAYOUT) => {
                    Ok((Loaded { now: 0, record: None, pause: None }, Some(opening)))
                }
                _ => Err(StoreError::Failed(why)),
            },
            Err(error) => Err(error),
        }
    }

    /// Repeats a write that has the same effect each time until the database answers, or the time is up.
    pub(crate) fn until_clear(&self, write: impl Fn() -> Result<(), StoreError>) -> Result<()> {
        let end = self.deadline();
        loop {
            match write() {
                Err(StoreError::Unclear(_)) if Instant::now() < end => std::thread::sleep(PAUSE),
                result => return result.map_err(not_sent),
            }
        }
    }

    /// The deadline of an operation that begins now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
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
        let why =
            "the row that was read is older than the stored one: does this connection read from a replica?";
        return Err(storage(outcome, &StoreError::Failed(why.to_owned())).with_order_id(run.order_id()));
    }
    std::thread::sleep((FIRST_PAUSE * (1 << lost.min(8))).min(LONGEST_PAUSE));
    Ok(())
}

/// The database's clock, carried on by our own between two readings.
#[derive(Default)]
struct Clock {
    read: Option<(i64, Instant)>,
}

impl Clock {
    fn set(&mut self, now: i64) {
        self.read = Some((now, Instant::now()));
    }

    fn now(&self) -> i64 {
        self.read.map_or(0, |(now, at)| {
            now.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
        })
    }
}

/// Random texts of 128 bits. Without them it is an error of this outcome.
pub(crate) fn random<const COUNT: usize>(outcome: Outcome) -> Result<[String; COUNT]> {
    let mut bytes = [[0; 16]; COUNT];
    getrandom::fill(bytes.as_flattened_mut())
        .map_err(|_| Error::storage(outcome, "the operating system returned no random numbers"))?;
    Ok(bytes.map(|bytes| format!("{:032x}", u128::from_be_bytes(bytes))))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32};

    use merchantpay::{Client, Code, Config, Keypair, PaymentMethod};

    use super::*;
    use crate::api::config::JournalConfig;
    use crate::model::event::Report;
    use crate::model::standing::Standing;
    use crate::storage::sqlite_store::SqliteStore;
    use crate::storage::store::Rows;
    use crate::storage::store::{Dialect, Store};

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
