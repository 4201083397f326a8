//! Executes a task's steps: the statements and calls that the driver asks for.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use merchantpay::{Code, Error, Outcome, PaymentRequest, Result};

use crate::api::journal::{Journal, unusable};
use crate::api::pause::paused;
use crate::api::progress::{Clock, Finished, Progress, Stage};
use crate::api::random::random;
use crate::model::driver::{Answer, Key, RandomTexts, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event};
use crate::model::record::{Problem, Record};
use crate::model::transition;
use crate::storage::queries::{Loaded, Opening, Pause, Stored, not_sent, storage};
use crate::storage::schema::LAYOUT;
use crate::storage::store::StoreError;

/// The time after the deadline during which the journal still tries to store a response.
const AFTERWARDS: Duration = Duration::from_secs(5);
/// The time for which a webhook or a worker retries a store that failed without an effect.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// The pause before a statement is retried.
pub(crate) const PAUSE: Duration = Duration::from_millis(50);
/// The first pause after a lost compare-and-swap, when another process wrote first.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

impl Journal {
    /// Applies an event to a record's attempt, and makes the resulting calls.
    pub(crate) fn apply(&self, record: &Record, event: Event) -> Result<Finished> {
        self.run(Task::Apply(Key::of(record), Box::new(event)), None, self.deadline())
    }

    /// Like [`apply`](Journal::apply), but `getStatus` ends at `question_end`.
    pub(crate) fn apply_until(
        &self,
        record: &Record,
        event: Event,
        question_end: Instant,
    ) -> Result<Finished> {
        let task = Task::Apply(Key::of(record), Box::new(event));
        let mut progress = Progress::new(Run::new(task), Clock::default(), self.deadline());
        progress.question_end = progress.deadline.min(question_end);
        self.finish(&mut progress, None)
    }

    /// Executes a task's steps until the task is done. After the deadline, the method still tries for a short
    /// time to store the result of a call.
    pub(crate) fn run(
        &self,
        task: Task,
        request: Option<&PaymentRequest>,
        deadline: Instant,
    ) -> Result<Finished> {
        let mut progress = Progress::new(Run::new(task), Clock::default(), deadline);
        let finished = self.finish(&mut progress, request);
        if let (Err(error), Some(record)) = (&finished, progress.unsent) {
            self.refuse_unsent(&record, error);
        }
        finished
    }

    fn finish(&self, progress: &mut Progress, request: Option<&PaymentRequest>) -> Result<Finished> {
        loop {
            match self.advance(progress)? {
                Stage::Done(finished) => return Ok(finished),
                Stage::Call(record, call) => {
                    let deadline = match call {
                        Call::Status => progress.question_end,
                        _ => progress.deadline,
                    };
                    progress.take(self.call(&record, call, request, deadline));
                }
            }
        }
    }

    /// Executes the steps up to the next call, or to the end.
    pub(crate) fn advance(&self, progress: &mut Progress) -> Result<Stage> {
        loop {
            let Progress { run, clock, deadline, claim, pause, .. } = progress;
            // The random texts are made before the step. If they cannot be made, the step is not executed.
            let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
            let texts = RandomTexts::new(outcome).map_err(|failed| failed.with_order_id(run.order_id()))?;
            let answer = match run.step() {
                Step::Done(done) => {
                    if let Some(pause) = pause.take_if(|_| done.is_paused) {
                        progress.unsent = None;
                        return Err(paused(&pause));
                    }
                    let order_id = run.order_id().map(str::to_owned);
                    let (now, error) = (clock.now(), progress.error.take());
                    return Ok(Stage::Done(Finished { done: *done, now, error, order_id }));
                }
                Step::Load(key) => match self.load(&key) {
                    Ok((loaded, opening)) => {
                        opening.map_or(Ok(()), |opening| self.check_opening(&opening))?;
                        self.check_account(loaded.record.as_ref())?;
                        clock.set(loaded.now);
                        *pause = loaded.pause;
                        Ok(Answer::Loaded(loaded.record.map(Arc::new), pause.is_some()))
                    }
                    Err(error) => match self.missing_tables() {
                        Some(why) => return Err(why),
                        None => Err(error),
                    },
                },
                Step::Insert(record) => {
                    progress.unsent = Some(record.clone());
                    self.queries.insert_new(&record).map(|()| Answer::Written)
                }
                Step::Update(record) => {
                    let ends_claim = claim.is_some() && !run.calls_next();
                    let written = match claim.as_deref().filter(|_| ends_claim) {
                        Some(claim) => self.queries.update_claimed(&record, clock.now(), claim),
                        None => self.queries.update(&record, clock.now()),
                    };
                    if ends_claim && matches!(written, Ok(true)) {
                        *claim = None;
                    }
                    written.map(|written| if written { Answer::Written } else { Answer::Lost })
                }
                Step::StoreOrphan(misplaced) => {
                    self.queries.insert_orphan(&misplaced).map(|()| Answer::Written)
                }
                Step::Check(record) => {
                    *pause = self.check_stored(&record)?;
                    Ok(if pause.is_some() { Answer::Paused } else { Answer::Written })
                }
                Step::Call(record, call) => {
                    if call == Call::Create {
                        progress.unsent = None;
                    }
                    progress.texts = texts;
                    return Ok(Stage::Call(record, call));
                }
            };
            let answer = match answer {
                Ok(Answer::Lost) => {
                    progress.lost += 1;
                    self.counters.count_lost_write();
                    pause_after_lost(run, progress.lost, *deadline)?;
                    Answer::Lost
                }
                Ok(answer) => answer,
                Err(StoreError::Duplicate) => Answer::Duplicate,
                Err(failure) => {
                    self.store_failed(run, &failure, *deadline)?;
                    match failure {
                        StoreError::Unclear(_) => Answer::Unclear,
                        // Repeats the same step.
                        _ => continue,
                    }
                }
            };
            run.answer(answer, clock.now(), &texts);
        }
    }

    /// Makes an attempt `refused` if its request was not sent, so that no operator has to decide about the
    /// attempt. The method tries this once, and writes only the row of this task: after a failover another
    /// task's row may have the same attempt number.
    fn refuse_unsent(&self, record: &Record, error: &Error) {
        let event = Event::NotCreated(CallEnd::NotSent, Problem::of(error));
        let mut refused = transition::apply(record, &event, record.created_at).record;
        let Ok([writer]) = random(Outcome::NotSent) else { return };
        (refused.version, refused.writer) = (record.version + 1, writer);
        let _ = self.queries.update_own(&refused, record.created_at, &record.writer);
    }

    /// Decides whether a failed statement is retried. Until the time is up, a statement is retried if it
    /// follows a call, or if it may have taken effect.
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

    /// Checks that an attempt is committed before its request is sent: if a transaction is open, a rollback
    /// would undo the INSERT. Returns the operator's pause, if the journal is paused: `pause` waits only for
    /// attempts that were stored before the pause.
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

    /// Reads the clock and the attempt of a key. If the database is not checked yet, the method also reads
    /// the values for this check.
    fn load(&self, key: &Key) -> Result<(Loaded, Option<Opening>), StoreError> {
        if self.is_checked.load(Ordering::Relaxed) {
            return self.queries.look(key).map(|loaded| (loaded, None));
        }
        match self.queries.look_and_open(key) {
            Ok((loaded, opening)) => Ok((loaded, Some(opening))),
            // Tables of another layout can lack columns. The version in the tables then explains the error.
            Err(StoreError::Failed(why)) => match self.queries.opening() {
                Ok(opening) if opening.layout != Some(LAYOUT) => {
                    Ok((Loaded { now: 0, record: None, pause: None }, Some(opening)))
                }
                _ => Err(StoreError::Failed(why)),
            },
            Err(error) => Err(error),
        }
    }

    /// Retries an idempotent write until the database gives a clear answer, or the time is up.
    pub(crate) fn until_clear(&self, write: impl Fn() -> Result<(), StoreError>) -> Result<()> {
        let end = self.deadline();
        loop {
            match write() {
                Err(StoreError::Unclear(_)) if Instant::now() < end => std::thread::sleep(PAUSE),
                result => return result.map_err(not_sent),
            }
        }
    }

    /// The deadline of an operation that starts now.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// Retries a step until `end` while it fails without an effect and the failure is transient, such as a
/// deadlock or a failover.
pub(crate) fn while_passing<T>(end: Instant, mut step: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match step() {
            Err(error) if is_passing(&error) && Instant::now() < end => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
}

fn is_passing(error: &Error) -> bool {
    error.code() == Code::Storage && error.outcome() == Outcome::NotSent && error.is_transient()
}

/// The time until which the journal tries to store a result.
fn storing_end(run: &Run, deadline: Instant) -> Instant {
    if run.is_after_call() { deadline + AFTERWARDS } else { deadline }
}

/// Pauses after another process wrote first. The pause grows, so that the other process can finish, and so
/// that a lagging replica is not read too often.
fn pause_after_lost(run: &Run, lost: u32, deadline: Instant) -> Result<()> {
    if Instant::now() >= storing_end(run, deadline) {
        let outcome = if run.is_after_call() { Outcome::Unknown } else { Outcome::NotSent };
        let why = "the row that was read is older than the stored row: the journal must read from the \
             primary server, not from a replica";
        return Err(storage(outcome, &StoreError::Failed(why.to_owned())).with_order_id(run.order_id()));
    }
    std::thread::sleep((FIRST_PAUSE * (1 << lost.min(8))).min(LONGEST_PAUSE));
    Ok(())
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
    use crate::storage::test_folder::TestFolder;

    /// A store that behaves as if its reads were stale: while `lags` is set, no UPDATE finds the version that
    /// was read.
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
        let folder = TestFolder::new();
        let inner = SqliteStore::create(folder.file()).unwrap();
        let (lags, statements) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let store = Lagging { inner, lags: lags.clone(), statements: statements.clone() };
        let key = Keypair::generate().unwrap();
        // No server listens on this address.
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
    }
}
