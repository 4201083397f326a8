//! With `check_later` the journal checks the database in the statement of its first read: the check needs no
//! statement of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{
    Dialect, Journal, JournalConfig, Rows, SqliteStore, Standing, Store, StoreError, Until,
};
use rusqlite::Connection;

use crate::shop::{Shop, give, request};

/// Records each statement.
#[derive(Clone)]
struct Noting {
    inner: Arc<SqliteStore>,
    statements: Arc<Mutex<Vec<String>>>,
}

impl Store for Noting {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        self.statements.lock().unwrap().push(sql.to_owned());
        self.inner.run(sql, parameters)
    }
}

impl Noting {
    fn new(shop: &Shop) -> Noting {
        let inner = Arc::new(SqliteStore::create(shop.folder.file()).unwrap());
        Noting { inner, statements: Arc::default() }
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.statements.lock().unwrap())
    }
}

fn open(shop: &Shop, store: &Noting, later: bool) -> Journal {
    let config = JournalConfig::over(store.clone()).check_later(later);
    Journal::open(&shop.client, shop.with_settings(config)).unwrap()
}

fn is_asked(statement: &str) -> bool {
    statement.contains("name = 'layout'")
}

#[test]
fn opening_and_each_operation_of_a_web_server_cost_no_statement_more() {
    let shop = Shop::new();
    let store = Noting::new(&shop);
    let good = request("10", "79001234567");
    let at_once = open(&shop, &store, false);
    assert_eq!(store.taken().len(), 1);
    at_once.pay("order-1", &good).unwrap();
    let paying = store.taken().len();

    let later = open(&shop, &store, true);
    assert_eq!(store.taken(), Vec::<String>::new());
    let entry = later.pay("order-2", &good).unwrap();
    let statements = store.taken();
    assert_eq!(statements.len(), paying, "{statements:#?}");
    // The check runs once, and before anything is written.
    assert_eq!(statements.iter().map(|statement| is_asked(statement)).filter(|asked| *asked).count(), 1);
    assert!(is_asked(&statements[0]));
    assert_eq!(entry.standing(), Standing::Open);
    later.derive().pay("order-3", &good).unwrap();
    assert!(!store.taken().iter().any(|statement| is_asked(statement)));

    let later = open(&shop, &store, true);
    assert_eq!(later.find("order-2").unwrap().unwrap().order_id(), entry.order_id());
    assert_eq!(store.taken().len(), 1);
    let confirmed = open(&shop, &store, true).confirm(&entry).unwrap();
    assert_eq!(confirmed.confirm().map(|state| state.name()), Some("accepted"));
    let delivery =
        shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", Duration::from_secs(20)).unwrap();
    store.taken();
    assert_eq!(give(&open(&shop, &store, true), &delivery).http_status, 200);
    assert_eq!(store.taken().iter().filter(|statement| is_asked(statement)).count(), 1);
    assert!(later.wait("order-2", Duration::ZERO, Until::Final).unwrap().succeeded());
}

#[test]
fn what_is_wrong_with_the_database_is_found_before_anything_is_written_or_sent() {
    let shop = Shop::new();
    let journal = shop.journal();
    let good = request("10", "79001234567");
    let entry = journal.pay("order", &good).unwrap();
    let delivery = {
        journal.confirm(&entry).unwrap();
        shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", Duration::from_secs(20)).unwrap()
    };
    drop(journal);
    let store = Noting::new(&shop);
    let database = Connection::open(shop.folder.file()).unwrap();
    database.execute_batch("UPDATE merchantpay_journal_settings SET value = '3'").unwrap();
    let fails = |what: &str, failed: merchantpay::Result<()>| {
        let error = failed.expect_err(what);
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{what}: {error}");
        assert!(error.message().contains("newer version"), "{what}: {error}");
    };
    let open = || open(&shop, &store, true);
    fails("pay", open().pay("another", &good).map(drop));
    fails("pay_async", open().pay_async("another", &good).map(drop));
    fails("confirm", open().confirm(&entry).map(drop));
    fails("cancel", open().cancel(&entry).map(drop));
    fails("settle", open().settle(10).map(drop));
    fails("news", open().news(10).map(drop));
    fails("list", open().list(None, 10, None).map(drop));
    fails("attention", open().attention(10).map(drop));
    fails("stats", open().stats().map(drop));
    fails("purge", open().purge(0).map(drop));
    fails("export", open().export(|_| Ok(())).map(drop));
    fails("import", open().import("{}").map(drop));
    let received = give(&open(), &delivery);
    assert_eq!(received.http_status, 503);
    fails("receive", Err(received.error.unwrap()));
    let written = store.taken();
    assert!(written.iter().all(|statement| statement.starts_with("SELECT")), "{written:#?}");
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
    // A failed check is repeated until it succeeds.
    let journal = open();
    fails("pay", journal.pay("another", &good).map(drop));
    database.execute_batch("UPDATE merchantpay_journal_settings SET value = '2'").unwrap();
    assert_eq!(journal.pay("another", &good).unwrap().standing(), Standing::Open);
}

#[test]
fn missing_tables_are_a_lasting_error_that_says_how_to_create_them() {
    let shop = Shop::new();
    let store = Noting::new(&shop);
    let tables = ["merchantpay_journal", "merchantpay_orphans", "merchantpay_journal_settings"];
    let database = Connection::open(shop.folder.file()).unwrap();
    database.execute_batch(&tables.map(|table| format!("DROP TABLE {table};")).concat()).unwrap();
    let good = request("10", "79001234567");
    let open = |later, create| {
        let config = JournalConfig::over(store.clone()).check_later(later).create(create);
        Journal::open(&shop.client, shop.with_settings(config))
    };
    let failures = [
        open(false, false).map(drop),
        open(true, false).and_then(|journal| journal.pay("order", &good)).map(drop),
        open(true, false).and_then(|journal| journal.settle(10)).map(drop),
        open(true, false).and_then(|journal| journal.find("order")).map(drop),
    ];
    for failure in failures {
        let error = failure.unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.is_transient()),
            (Code::Storage, Outcome::NotSent, false)
        );
        for cure in
            ["`merchantpay journal schema sqlite`", "`merchantpay journal init`", "the setting `create`"]
        {
            assert!(error.message().contains(cure), "{error}");
        }
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert_eq!(open(true, true).unwrap().pay("order", &good).unwrap().standing(), Standing::Open);
}

#[test]
fn a_journal_of_another_account_is_refused() {
    let shop = Shop::new();
    let entry = shop.journal().pay("order", &request("10", "79001234567")).unwrap();
    let store = Noting::new(&shop);
    let open = || {
        let config = JournalConfig::over(store.clone()).check_later(true).account("another");
        Journal::open(&shop.client, shop.with_settings(config)).unwrap()
    };
    for (what, result) in [
        ("pay", open().pay("order-2", &request("10", "79001234567")).map(drop)),
        ("confirm", open().confirm(&entry).map(drop)),
        ("find", open().find("order").map(drop)),
        ("news", open().news(10).map(drop)),
    ] {
        assert_eq!(result.expect_err(what).code(), Code::InvalidArgument, "{what}");
    }
    assert_eq!((shop.sandbox.requests("newPayment"), shop.sandbox.requests("confirm")), (1, 0));
}

#[test]
fn acknowledging_again_in_a_transaction_is_a_conflict_and_no_wrong_argument() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    let transaction = shop.folder.store();
    transaction.run("BEGIN", &[]).unwrap();
    journal.acknowledge_with(&entry, &*transaction).unwrap();
    let error = journal.acknowledge_with(&entry, &*transaction).unwrap_err();
    assert_eq!(
        (error.code(), error.outcome(), error.is_transient()),
        (Code::Conflict, Outcome::NotSent, false)
    );
    transaction.run("ROLLBACK", &[]).unwrap();
    assert_eq!(journal.news(10).unwrap().len(), 1);
}
