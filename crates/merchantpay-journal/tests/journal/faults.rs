//! A database that loses answers, fails, and forgets; and what each method costs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::{Code, Outcome};
use merchantpay_journal::store::SqliteStore;
use merchantpay_journal::{
    Attention, Connection, Dialect, Failure, Journal, JournalConfig, Rows, Standing, Store, Value,
};

use crate::service::{Service, TIMEOUT, good, settings};

#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The statement takes effect.
    LostAnswer,
    /// The statement does not arrive.
    LostStatement,
    /// As in a deadlock.
    Failed,
    /// As if what was read before had come from a lagging replica.
    Stale,
    /// As after a failover that has lost the last commits.
    Forgotten,
    /// It takes longer than the deadline of a payment.
    Slow,
}

type Plan = Arc<Mutex<Vec<(&'static str, Fault)>>>;

/// A Rust program's own store over SQLite. `plan` has faults for the next statements that begin so.
#[derive(Clone)]
struct Faulty {
    sqlite: Arc<SqliteStore>,
    plan: Plan,
    statements: Arc<Mutex<Vec<String>>>,
}

struct FaultyConnection {
    connection: Box<dyn Connection>,
    store: Faulty,
}

impl Faulty {
    fn over(sqlite: SqliteStore) -> Faulty {
        Faulty { sqlite: Arc::new(sqlite), plan: Plan::default(), statements: Arc::default() }
    }
}

impl Store for Faulty {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn place(&self) -> String {
        "faulty".to_owned()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Failure> {
        Ok(Box::new(FaultyConnection { connection: self.sqlite.connect()?, store: self.clone() }))
    }
}

impl FaultyConnection {
    /// Returns every value as text, as some drivers do.
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let mut rows = self.connection.run(sql, parameters)?;
        for value in rows.rows.iter_mut().flatten() {
            *value = value.clone().into_text().map_or(Value::Null, Value::Text);
        }
        Ok(rows)
    }
}

impl Connection for FaultyConnection {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        self.store.statements.lock().unwrap().push(sql.to_owned());
        let fault = {
            let mut plan = self.store.plan.lock().unwrap();
            let place = plan.iter().position(|(begin, _)| sql.starts_with(begin));
            place.map(|place| plan.remove(place).1)
        };
        match fault {
            None => self.execute(sql, parameters),
            Some(Fault::LostAnswer) => {
                self.execute(sql, parameters)?;
                Err(Failure::Unclear("the connection is lost".to_owned()))
            }
            Some(Fault::LostStatement) => Err(Failure::Unclear("the connection is lost".to_owned())),
            Some(Fault::Failed) => Err(Failure::failed("deadlock detected")),
            Some(Fault::Stale) => Ok(Rows::default()),
            Some(Fault::Slow) => {
                std::thread::sleep(TIMEOUT + Duration::from_millis(100));
                self.execute(sql, parameters)
            }
            Some(Fault::Forgotten) => {
                self.execute("DELETE FROM merchantpay_attempts", &[])?;
                self.execute(sql, parameters)
            }
        }
    }
}

struct Faults {
    service: Service,
    store: Faulty,
    journal: Journal,
}

impl Faults {
    fn new() -> Faults {
        let service = Service::new();
        drop(service.journal());
        let store = Faulty::over(SqliteStore::at(service.place.url().as_ref()));
        let journal = Journal::open(&service.client(), settings(JournalConfig::over(store.clone()))).unwrap();
        let faults = Faults { service, store, journal };
        faults.count("opening: its checks, and whose it is", 2);
        faults
    }

    fn plan(&self, begin: &'static str, fault: Fault, times: usize) {
        self.store.plan.lock().unwrap().extend(std::iter::repeat_n((begin, fault), times));
    }

    /// The statements since the last time.
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.store.statements.lock().unwrap())
    }

    fn count(&self, what: &str, expected: usize) {
        let found = self.taken();
        assert_eq!(found.len(), expected, "{what}: {found:#?}");
    }
}

const INSERT: &str = "INSERT INTO merchantpay_attempts";
const UPDATE: &str = "UPDATE merchantpay_attempts";

#[test]
fn lost_insert_is_made_again_and_sent_once() {
    for fault in [Fault::LostAnswer, Fault::LostStatement] {
        let faults = Faults::new();
        faults.plan(INSERT, fault, 1);
        // If the row is not there, `pay` may as well be called again.
        let entry = faults.journal.pay("order", &good()).or_else(|error| {
            assert!(error.outcome() == Outcome::NotSent && error.is_transient(), "{error}");
            faults.journal.pay("order", &good())
        });
        let entry = entry.unwrap();
        assert_eq!((entry.attempt, entry.standing, entry.error), (1, Standing::Open, None), "{fault:?}");
        assert!(entry.credentials.is_some());
        assert_eq!(faults.service.count("new"), 1, "{fault:?}");
        let is_reused = faults.taken().iter().any(|sql| sql.starts_with(UPDATE) && sql.contains(" token = "));
        assert_eq!(is_reused, matches!(fault, Fault::LostAnswer), "sent only for a row that was reported");
    }
}

#[test]
fn nothing_is_sent_after_the_deadline() {
    let faults = Faults::new();
    faults.plan(INSERT, Fault::Slow, 1);
    let entry = faults.journal.pay("order", &good()).unwrap();
    assert_eq!((entry.standing, entry.error.unwrap().outcome.as_str()), (Standing::Refused, "not_sent"));
    assert_eq!(faults.service.count("new"), 0);
    assert_eq!(faults.journal.pay("order", &good()).unwrap().standing, Standing::Open);
}

#[test]
fn reply_is_stored_although_the_database_fails_for_a_while() {
    for (fault, times) in
        [(Fault::Failed, 5), (Fault::LostStatement, 1), (Fault::LostAnswer, 1), (Fault::Stale, 1)]
    {
        let faults = Faults::new();
        faults.plan(UPDATE, fault, times);
        let entry = faults.journal.pay("order", &good()).unwrap();
        assert_eq!((entry.standing, entry.credentials.is_some()), (Standing::Open, true), "{fault:?}");
        assert_eq!(faults.service.count("new"), 1);
    }
}

#[test]
fn write_that_was_unclear_and_not_read_back_is_found_by_its_stamp() {
    let faults = Faults::new();
    faults.plan(UPDATE, Fault::LostAnswer, 1);
    // The read-back and its repetition.
    faults.plan("SELECT stamp", Fault::LostStatement, 2);
    let entry = faults.journal.pay("order", &good()).unwrap();
    assert_eq!((entry.standing, entry.credentials.is_some()), (Standing::Open, true));
}

#[test]
fn attempt_that_the_database_forgot_is_an_error_with_the_order_of_the_reply() {
    let faults = Faults::new();
    faults.plan(UPDATE, Fault::Forgotten, 1);
    let error = faults.journal.pay("order", &good()).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::Unknown));
    let order_id = error.order_id().unwrap();
    assert!(faults.service.client().get_status(order_id).is_ok());
    let items = faults.journal.attention(10).unwrap();
    let is_listed =
        |item: &Attention| matches!(item, Attention::Orphan(orphan) if orphan.order_id == order_id);
    assert!(items.iter().any(is_listed), "{items:?}");
}

#[test]
fn webhook_outlasts_faults_and_gives_up_after_a_while() {
    let faults = Faults::new();
    faults.journal.pay("order", &good()).unwrap();
    faults.service.set(0, "doneSuccess");
    faults.plan(UPDATE, Fault::Stale, 10_000);
    faults.taken();
    let received = faults.service.send_status(&faults.journal, 0);
    assert_eq!(received.http_status, 503);
    let error = received.error.unwrap();
    assert!(error.is_transient() && error.message().contains("replica"), "{error}");
    let count = faults.taken().len();
    assert!(count < 100, "{count} statements");
    faults.store.plan.lock().unwrap().clear();
    faults.plan(UPDATE, Fault::Failed, 5);
    faults.plan("INSERT INTO merchantpay_messages", Fault::LostAnswer, 1);
    let received = faults.service.send_status(&faults.journal, 0);
    assert_eq!((received.http_status, received.entry.unwrap().succeeded), (200, true));
}

#[test]
fn unclear_acknowledgement_is_not_reported_as_done() {
    let faults = Faults::new();
    faults.journal.pay("order", &good()).unwrap();
    let news = faults.journal.news(10).unwrap();
    faults.plan(UPDATE, Fault::LostAnswer, 1);
    let error = faults.journal.acknowledge(&news[0]).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::Unknown));
    assert!(!faults.journal.acknowledge(&news[0]).unwrap(), "it was acknowledged");
}

#[test]
fn failure_before_the_call_sends_nothing_and_leaves_nothing() {
    let faults = Faults::new();
    for begin in ["SELECT", INSERT] {
        faults.plan(begin, Fault::Failed, 1);
        let error = faults.journal.pay("order", &good()).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent));
        assert!(error.is_transient() && error.message().contains("faulty"), "{error}");
    }
    assert_eq!(faults.service.count("new"), 0);
    assert_eq!(faults.service.sql("SELECT COUNT(*) FROM merchantpay_attempts"), "0");
}

#[test]
fn statements_of_each_method() {
    let faults = Faults::new();
    let journal = &faults.journal;
    let entry = journal.pay("order", &good()).unwrap();
    faults.count("pay: look, insert, store", 3);
    journal.pay("order", &good()).unwrap();
    faults.count("pay again", 1);
    journal.find("order").unwrap();
    faults.count("find", 1);
    let news = journal.news(10).unwrap();
    faults.count("news: the pause, a page, a lease", 3);
    journal.acknowledge(&news[0]).unwrap();
    faults.count("acknowledge", 1);
    journal.confirm(&entry).unwrap();
    faults.count("confirm: read, store, store the answer", 3);
    faults.service.set(0, "doneSuccess");
    faults.service.send_status(journal, 0);
    faults.count("receive: token, message, due, claim, store the answer", 5);
    faults.service.send_status(journal, 0);
    faults.count("receive again: token, message", 2);
    journal.settle(10).unwrap();
    faults.count("settle of nothing: due, next", 2);
    faults.service.sql("UPDATE merchantpay_attempts SET due_at = 1, status = 'doneFail'");
    journal.settle(10).unwrap();
    faults.count("settle of one: due, claim, store the answer, next", 4);
}

#[test]
fn own_store_is_checked_like_the_librarys() {
    let service = Service::new();
    drop(service.journal());
    std::fs::hard_link(service.place.url(), service.place.folder().join("link")).unwrap();
    let config = JournalConfig::over(Faulty::over(SqliteStore::at(service.place.url().as_ref())));
    let error = Journal::open(&service.client(), config).unwrap_err();
    assert_eq!((error.code(), error.is_transient()), (Code::Storage, false));
    assert!(error.message().contains("hard links"), "{error}");
}
