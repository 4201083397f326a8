//! Tests with a PostgreSQL server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use merchantpay::Code;
use merchantpay_crash::PostgresStore;
use merchantpay_journal::{Dialect, Journal, JournalConfig, Level, Rows, Standing, Store, StoreError};
use merchantpay_sandbox::Fault;

use crate::databases::{
    Databases, Place, Shared, assert_is_refused, assert_nothing_is_sent_within_a_transaction, confirmed,
    journal, journal_as_it_is, run_all, status_of,
};
use crate::shop::{PATIENCE, Shop, request};

fn client(place: &Place) -> Shared<postgres::Client> {
    Shared::new(place.postgres().client().unwrap())
}

pub fn insert_within_a_transaction(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let good = journal(&shop, place.postgres());
    assert_nothing_is_sent_within_a_transaction(client(&place), &good, &shop);
}

/// A store that writes on a connection in a transaction, and reads on other connections.
struct Split(Shared<postgres::Client>, PostgresStore);

impl Store for Split {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if sql.starts_with("INSERT") { self.0.run(sql, parameters) } else { self.1.run(sql, parameters) }
    }
}

pub fn row_that_others_do_not_see(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let writer = client(&place);
    drop(journal(&shop, place.postgres()));
    run_all(&writer, &["BEGIN"]);
    let split = journal_as_it_is(&shop, Split(writer, place.postgres())).unwrap();
    let error = split.pay("order", &request("10", "79001234567")).unwrap_err();
    assert!(error.message().contains("other connections cannot see"), "{error}");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
}

pub fn long_acknowledge(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let journal = journal(&shop, place.postgres().first("SET statement_timeout = '1000ms'"));
    let (entry, delivery) = confirmed(&shop, &journal);
    let transaction = client(&place);
    run_all(&transaction, &["BEGIN"]);
    journal.acknowledge_with(&entry, &transaction).unwrap();
    // The transaction has locked the row, so the answer is 503, after which the service retries the webhook.
    assert_eq!(status_of(&journal, &delivery), 503);
    run_all(&transaction, &["COMMIT"]);
    assert_eq!(status_of(&journal, &delivery), 200);
    let news = journal.news(10).unwrap();
    assert_eq!(
        news.iter().map(|entry| (entry.acknowledged(), entry.reported())).collect::<Vec<_>>(),
        [(Level::Credentials, Level::Final)]
    );
}

pub fn repeatable_read(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let journal = journal(&shop, place.postgres());
    let (entry, delivery) = confirmed(&shop, &journal);
    let transaction = client(&place);
    run_all(
        &transaction,
        &["BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT attempt FROM merchantpay_journal"],
    );
    assert_eq!(status_of(&journal, &delivery), 200);
    assert_eq!(journal.acknowledge_with(&entry, &transaction).unwrap_err().code(), Code::Storage);
    run_all(&transaction, &["ROLLBACK"]);
    assert_eq!(journal.news(10).unwrap()[0].acknowledged(), Level::None);
}

pub fn order_ids(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let journal = journal(&shop, place.postgres());
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 2);
    for reference in ["order-1", "order-2"] {
        let entry = journal.pay_async(reference, &request("10", "79001234567")).unwrap();
        assert_eq!((entry.standing(), entry.order_id()), (Standing::Unknown, None));
    }
    let mut deliveries = shop.sandbox.deliveries();
    while deliveries.len() < 2 {
        std::thread::yield_now();
        deliveries = shop.sandbox.deliveries();
    }
    assert_eq!(status_of(&journal, &deliveries[0]), 200);
    // The order of the first attempt does not also become the order of the second attempt.
    let misplaced = journal.receive(&deliveries[1].url, &deliveries[0].body, &deliveries[0].signature, None);
    assert_eq!(misplaced.http_status, 409);
    assert_eq!(status_of(&journal, &deliveries[1]), 200);
}

/// A store that loses its connection while its first UPDATE waits for a lock. The lock is released later.
struct Lost {
    place: Place,
    inner: PostgresStore,
    is_armed: Arc<AtomicBool>,
}

impl Store for Lost {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if !sql.starts_with("UPDATE") || !self.is_armed.swap(false, Ordering::SeqCst) {
            return self.inner.run(sql, parameters);
        }
        let lock = client(&self.place);
        run_all(&lock, &["BEGIN", "SELECT attempt FROM merchantpay_journal FOR UPDATE"]);
        let (late, sql) = (self.place.postgres(), sql.to_owned());
        let parameters: Vec<Option<String>> =
            parameters.iter().map(|parameter| parameter.map(str::to_owned)).collect();
        std::thread::spawn(move || {
            let parameters: Vec<Option<&str>> = parameters.iter().map(Option::as_deref).collect();
            assert_eq!(late.run(&sql, &parameters).unwrap().affected, 1);
        });
        let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        while self.inner.run(waits, &[])?.rows != [[Some("1".to_owned())]] {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            run_all(&lock, &["COMMIT"]);
        });
        Err(StoreError::Unclear("the connection was lost".to_owned()))
    }
}

pub fn late_commit(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let is_armed = Arc::new(AtomicBool::new(true));
    let store = Lost { inner: place.postgres(), place, is_armed: is_armed.clone() };
    let journal = journal(&shop, store);
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert!(!is_armed.load(Ordering::SeqCst));
    assert_eq!((entry.attempt(), entry.standing(), entry.credentials().is_some()), (1, Standing::Open, true));
    assert_eq!(journal.pay("order", &request("10", "79001234567")).unwrap().order_id(), entry.order_id());
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
    assert!(journal.attention(10).unwrap().is_empty());
}

pub fn eight_make_the_tables(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    for _ in 0..10 {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| drop(journal(&shop, place.postgres())));
            }
        });
        run_all(
            &place.postgres(),
            &["DROP TABLE merchantpay_journal, merchantpay_orphans, merchantpay_journal_settings"],
        );
    }
    // Without the setting `create`, opening makes no tables.
    assert!(journal_as_it_is(&shop, place.postgres()).is_err());
    let statements = merchantpay_journal::schema(Dialect::Postgresql);
    for _ in 0..2 {
        statements.iter().for_each(|statement| run_all(&place.postgres(), &[statement]));
    }
    journal_as_it_is(&shop, place.postgres()).unwrap();
}

pub fn explicit_casts(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let journal = journal(&shop, place.postgres());
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let plain =
        place.postgres().run("SELECT standing FROM merchantpay_journal WHERE attempt = $1", &[Some("1")]);
    assert!(matches!(plain, Err(StoreError::Failed(_))), "{plain:?}");
    let listed = journal.list(Some(Standing::Open), 10, None).unwrap();
    assert_eq!(listed.iter().map(|entry| entry.reference()).collect::<Vec<_>>(), ["order"]);
    assert!(journal.list(Some(Standing::Open), 10, Some(&entry)).unwrap().is_empty());
}

/// Runs a function while the server has a setting.
fn with_setting(place: &Place, setting: &str, value: &str, run: impl FnOnce()) {
    let change = |change: &str, is_reached: &dyn Fn(&str) -> bool| {
        run_all(&place.postgres(), &[change, "SELECT CAST(pg_reload_conf() AS TEXT)"]);
        let shown = || place.postgres().run(&format!("SHOW {setting}"), &[]).unwrap().rows[0][0].clone();
        let patience = Instant::now() + PATIENCE;
        while !is_reached(&shown().unwrap_or_default()) {
            assert!(Instant::now() < patience, "{change}");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    change(&format!("ALTER SYSTEM SET {setting} = '{value}'"), &|shown| shown == value);
    run();
    change(&format!("ALTER SYSTEM RESET {setting}"), &|shown| shown != value);
}

pub fn what_is_refused(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    drop(journal(&shop, place.postgres()));
    for (setting, why) in [
        ("SET synchronous_commit = off", "synchronous_commit"),
        ("SET default_transaction_read_only = on", "only be read"),
    ] {
        assert_is_refused(&shop, place.postgres().first(setting), why);
    }
    for (setting, value) in [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("synchronous_commit", "local"),
        ("synchronous_commit", "remote_write"),
    ] {
        with_setting(&place, setting, value, || {
            // Without a standby, synchronous_commit=local is as durable as on.
            if setting == "synchronous_commit" {
                drop(journal_as_it_is(&shop, place.postgres()).unwrap());
                // With this value of `synchronous_commit`, the server does not wait for the missing standby.
                return with_setting(&place, "synchronous_standby_names", "standby", || {
                    assert_is_refused(
                        &shop,
                        place.postgres(),
                        &format!("{setting} is {value} and must be on"),
                    );
                });
            }
            assert_is_refused(&shop, place.postgres(), &format!("{setting} is {value} and must be on"));
            let config = JournalConfig::over(place.postgres()).durability_vouched(setting);
            Journal::open(&shop.client, shop.with_settings(config)).unwrap();
        });
    }
    for (layout, why) in [("3", "newer version"), ("1", "export it with that version")] {
        run_all(&place.postgres(), &[&format!("UPDATE merchantpay_journal_settings SET value = '{layout}'")]);
        assert_is_refused(&shop, place.postgres(), why);
    }
    let config = JournalConfig::over(PostgresStore::new(&place.socket, "no such database"));
    assert_eq!(Journal::open(&shop.client, config).unwrap_err().code(), Code::Storage);
}

pub fn hot_standby(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    drop(journal(&shop, place.postgres()));
    let standby = databases.server().standby();
    let store = || PostgresStore::new(standby.host(), &place.name);
    assert_is_refused(&shop, store(), "the database can only be read: the journal needs the primary server");
    // The journal is also refused with `create`, because the tables exist.
    let created = Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store()).create(true)));
    assert!(created.unwrap_err().message().contains("needs the primary"));
    // The primary still works.
    let paid = journal(&shop, place.postgres()).pay("refused", &request("10", "79001234567")).unwrap();
    assert_eq!((paid.attempt(), shop.sandbox.requests("newPayment")), (1, 1));
}

/// A statement and its parameters.
type Asked = (String, Vec<Option<String>>);

/// A store that records the statements that it runs.
struct Noting {
    inner: PostgresStore,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Store for Noting {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let texts = parameters.iter().map(|parameter| parameter.map(str::to_owned)).collect();
        self.asked.lock().unwrap().push((sql.to_owned(), texts));
        self.inner.run(sql, parameters)
    }
}

pub fn due_by_index(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.postgresql());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let journal = journal(&shop, Noting { inner: place.postgres(), asked: asked.clone() });
    journal.pay("order", &request("10", "79001234567")).unwrap();
    let columns =
        "updated_at, attempt, version, reported, acknowledged, account, standing, sum_asked, writer, record";
    let copy = format!(
        "INSERT INTO merchantpay_journal (created_at, due_at, reference, order_id, token, {columns}) \
         SELECT created_at + n, due_at + 86400000, reference || n, order_id || n, token || n, {columns} \
         FROM merchantpay_journal, generate_series(1, 20000) AS n WHERE reference = 'order'"
    );
    run_all(
        &place.postgres(),
        &[&copy, "UPDATE merchantpay_journal SET due_at = 0 WHERE reference = 'order'", "ANALYZE"],
    );
    asked.lock().unwrap().clear();
    assert_eq!(journal.settle(10).unwrap().done, 1);
    journal.news(10).unwrap();
    journal.attention(10).unwrap();
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    let finds_due = |sql: &str| sql.contains("WHERE due_at <= ");
    assert!(asked.iter().any(|(sql, _)| finds_due(sql)), "{asked:#?}");
    let is_search = |sql: &str| sql.contains("FROM merchantpay_journal AS j") || finds_due(sql);
    for (sql, parameters) in asked.iter().filter(|(sql, _)| is_search(sql)) {
        let parameters: Vec<Option<&str>> = parameters.iter().map(Option::as_deref).collect();
        let plan = place.postgres().run(&format!("EXPLAIN {sql}"), &parameters).unwrap().rows;
        let plan: Vec<String> = plan.into_iter().flatten().flatten().collect();
        assert!(!plan.iter().any(|line| line.contains("Seq Scan on merchantpay_journal ")), "{plan:#?}");
        // Without this condition in its plan, the statement would read the whole index.
        let is_by_index = || plan.iter().any(|line| line.contains("Index Cond: (due_at <= "));
        assert!(!finds_due(sql) || is_by_index(), "{plan:#?}");
    }
}
