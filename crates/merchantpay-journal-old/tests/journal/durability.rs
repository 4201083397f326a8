//! The journal refuses a database that could lose a stored payment.

use std::sync::{Arc, Mutex};

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{Database, Dialect, Journal, JournalConfig, Rows, StoreError};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::shop::{Shop, request};

/// A journal in a file that the host's own SQLite opens. The SQL in `first` runs before anything else.
fn of_host(shop: &Shop, first: &str) -> JournalConfig {
    let connection = Connection::open(shop.folder.file()).unwrap();
    connection.execute_batch(first).unwrap();
    over(&Arc::new(Mutex::new(connection)))
}

fn over(connection: &Arc<Mutex<Connection>>) -> JournalConfig {
    let connection = Arc::clone(connection);
    JournalConfig::over(Database::new(Dialect::Sqlite, move |sql, parameters| {
        run(&connection.lock().unwrap(), sql, parameters)
            .map_err(|error| StoreError::Failed(error.to_string()))
    }))
}

fn run(connection: &Connection, sql: &str, parameters: &[Option<&str>]) -> rusqlite::Result<Rows> {
    // Keeps compiled statements, as many drivers do.
    let mut statement = connection.prepare_cached(sql)?;
    let count = statement.column_count();
    if count == 0 {
        let affected = statement.execute(params_from_iter(parameters))? as u64;
        return Ok(Rows { rows: Vec::new(), affected });
    }
    let text = |value| match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Text(text) => Some(text),
        _ => None,
    };
    let rows = statement.query_map(params_from_iter(parameters), |row| {
        (0..count).map(|place| row.get(place).map(text)).collect()
    })?;
    Ok(Rows { rows: rows.collect::<rusqlite::Result<_>>()?, affected: 0 })
}

#[test]
fn a_hosts_sqlite_that_can_lose_a_commit_is_refused_and_names_the_setting() {
    for (first, setting, value) in [
        ("PRAGMA synchronous = OFF", "synchronous", "OFF (0)"),
        ("PRAGMA synchronous = NORMAL", "synchronous", "NORMAL (1)"),
        ("PRAGMA journal_mode = DELETE", "journal_mode", "delete"),
        ("PRAGMA journal_mode = MEMORY", "journal_mode", "memory"),
    ] {
        let shop = Shop::new();
        drop(shop.journal());
        let open = |config| Journal::open(&shop.client, shop.with_settings(config));
        let error = open(of_host(&shop, first)).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        let text = format!("{setting} is {value} and must be ");
        assert!(error.message().contains(&text), "{error}");
        assert!(error.message().contains(&format!("durability_vouched={setting} ")), "{error}");
        // With `check_later` the first operation fails too.
        let later = open(of_host(&shop, first).check_later(true)).unwrap();
        let error = later.pay("order", &request("10", "79001234567")).unwrap_err();
        assert!(error.message().contains(&text), "{error}");
        assert_eq!(shop.sandbox.requests("newPayment"), 0);
        let vouched = open(of_host(&shop, first).durability_vouched(setting)).unwrap();
        assert_eq!(vouched.stats().unwrap().durability_vouched, [setting]);
    }
}

#[test]
fn tables_made_in_a_hosts_sqlite_are_durable() {
    let shop = Shop::new();
    let config = of_host(&shop, "PRAGMA journal_mode = DELETE").create(true);
    let journal = Journal::open(&shop.client, shop.with_settings(config)).unwrap();
    assert!(journal.pay("order", &request("10", "79001234567")).unwrap().credentials().is_some());
}

#[test]
fn nothing_is_sent_while_a_hosts_sqlite_is_in_a_transaction() {
    let shop = Shop::new();
    drop(shop.journal());
    let connection = Arc::new(Mutex::new(Connection::open(shop.folder.file()).unwrap()));
    let journal = Journal::open(&shop.client, shop.with_settings(over(&connection))).unwrap();
    let begin_or_end = |sql| connection.lock().unwrap().execute_batch(sql).unwrap();
    for reference in ["first", "second"] {
        assert!(journal.pay(reference, &request("10", "79001234567")).unwrap().credentials().is_some());
        let sent = shop.sandbox.requests("newPayment");
        begin_or_end("BEGIN");
        let error = journal.pay("within", &request("10", "79001234567")).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        assert!(error.message().contains("in a transaction"), "{error}");
        assert_eq!(shop.sandbox.requests("newPayment"), sent);
        begin_or_end("ROLLBACK");
        assert!(journal.find("within").unwrap().is_none());
    }
}

#[test]
fn a_setting_that_is_not_known_cannot_be_vouched_for() {
    let shop = Shop::new();
    let error = Journal::open(&shop.client, shop.config().durability_vouched("sync_binlogs")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    assert!(error.message().contains("sync_binlogs") && error.message().contains("sync_binlog,"), "{error}");
}

#[test]
fn refuses_a_database_in_memory_and_a_temporary_one() {
    let shop = Shop::new();
    for name in [":memory:", "", "file::memory:", "file:shop?mode=memory&cache=shared"] {
        let connection = Arc::new(Mutex::new(Connection::open(name).unwrap()));
        for create in [false, true] {
            let config = shop.with_settings(over(&connection).create(create));
            let error = Journal::open(&shop.client, config).unwrap_err();
            assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{name}: {error}");
            assert!(error.message().contains("use the absolute path of a file"), "{name}: {error}");
            assert!(!error.message().contains("journal init") && !error.is_transient(), "{name}: {error}");
            let later = shop.with_settings(over(&connection).create(create).check_later(true));
            let paid = Journal::open(&shop.client, later)
                .and_then(|journal| journal.pay("order", &request("10", "79001234567")));
            assert_eq!(paid.unwrap_err().code(), Code::Storage, "{name}");
        }
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    let one = Arc::new(Mutex::new(Connection::open_in_memory().unwrap()));
    let config = shop.with_settings(over(&one).create(true).memory_for_tests());
    assert!(Journal::open(&shop.client, config).unwrap().pay("order", &request("10", "79001234567")).is_ok());
}

#[cfg(unix)]
#[test]
fn refuses_a_hosts_file_with_a_second_hard_link() {
    let shop = Shop::new();
    drop(shop.journal());
    std::fs::hard_link(shop.folder.file(), shop.folder.path().join("second.db")).unwrap();
    let config = shop.with_settings(of_host(&shop, "PRAGMA synchronous = FULL"));
    let error = Journal::open(&shop.client, config).unwrap_err();
    assert!(error.message().contains("2 hard links"), "{error}");
}
