//! A process that is killed before or after any statement of the journal, over PostgreSQL and MariaDB, and the
//! next one: nothing is sent twice, and what was sent is known.

#[allow(dead_code, reason = "shared with the stores' tests")]
#[path = "stores/place.rs"]
mod place;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../crates/merchantpay-journal/tests/journal/shop.rs"]
mod shop;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use merchantpay_databases::{Mariadb, MariadbStore, PostgresStore, Postgresql, random};
use merchantpay_journal::{Dialect, Entry, Journal, JournalConfig, Rows, Standing, Store, StoreError, Until};

use shop::{CALLBACK, PATIENCE, Shop, request};

/// Is killed at a statement: before it, or after it.
struct Dying {
    inner: Box<dyn Store>,
    count: AtomicU32,
    at: u32,
    after: bool,
}

impl Store for Dying {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let is_it = self.count.fetch_add(1, Ordering::SeqCst) + 1 == self.at;
        if is_it && !self.after {
            std::process::abort();
        }
        let rows = self.inner.run(sql, parameters);
        if is_it {
            std::process::abort();
        }
        rows
    }
}

fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn store(dialect: &str, socket: &Path, database: &str) -> Box<dyn Store> {
    match dialect {
        "postgresql" => Box::new(PostgresStore::new(socket, database)),
        _ => Box::new(MariadbStore::new(socket, database)),
    }
}

fn settings(config: JournalConfig) -> JournalConfig {
    config
        .callback_url(CALLBACK)
        .timeout(std::time::Duration::from_secs(15))
        .calls_per_second(1000)
        .pay_wait(std::time::Duration::ZERO)
}

/// The other process: one operation on a store that is killed at a statement. It ends with 7 where it came to
/// the end.
fn customer() {
    let key = PrivateKey::from_base64(&value("PRIVATE_KEY")).unwrap();
    let server = PublicKey::from_base64(&value("SERVER_KEY")).unwrap();
    let client = Client::new(Config::new(value("BASE_URL"), value("KEY_ID"), key, server)).unwrap();
    let inner = store(&value("DIALECT"), Path::new(&value("SOCKET")), &value("DATABASE"));
    let at = value("AT").parse().unwrap();
    let dying = Dying { inner, count: AtomicU32::new(0), at, after: value("WHEN") == "after" };
    let journal = Journal::open(&client, settings(JournalConfig::over(dying))).unwrap();
    let reference = value("REFERENCE");
    match value("OPERATION").as_str() {
        "pay" => drop(journal.pay(&reference, &request("10", "79001234567")).unwrap()),
        _ => finish(&journal, &reference),
    }
    std::process::exit(7);
}

/// Confirms, asks until it is final, and acknowledges the news.
fn finish(journal: &Journal, reference: &str) {
    let entry = journal.find(reference).unwrap().unwrap();
    if entry.confirm().is_none() {
        journal.confirm(&entry).unwrap();
    }
    assert!(journal.wait(reference, PATIENCE, Until::Final).unwrap().succeeded());
    for entry in journal.news(100).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
}

fn at_each_statement(dialect: &str, socket: &Path, database: &str, operation: &str) -> u32 {
    let shop = Shop::new();
    let config = JournalConfig::over(store(dialect, socket, database)).create(true);
    let journal = Journal::open(&shop.client, settings(config)).unwrap();
    for at in 1..100 {
        let mut came_to_the_end = 0;
        for when in ["before", "after"] {
            let reference = format!("{operation}-{at}-{when}");
            if operation != "pay" {
                journal.pay(&reference, &request("10", "79001234567")).unwrap();
            }
            let before = shop.sandbox.requests("newPayment");
            let mut process = Command::new(std::env::current_exe().unwrap());
            process.env("OPERATION", operation).env("REFERENCE", &reference).env("AT", at.to_string());
            process.env("WHEN", when).env("DIALECT", dialect).env("SOCKET", socket).env("DATABASE", database);
            process.env("BASE_URL", shop.sandbox.url()).env("KEY_ID", shop.sandbox.merchant_key_id());
            process.env("PRIVATE_KEY", shop.sandbox.merchant_private_key().unwrap().to_base64().as_str());
            process.env("SERVER_KEY", shop.sandbox.server_public_key().to_base64());
            let status = process.stderr(Stdio::null()).status().unwrap();
            assert!(status.code().is_none() || status.code() == Some(7), "{reference}: {status}");
            came_to_the_end += u32::from(status.code() == Some(7));

            let entry = journal.pay(&reference, &request("10", "79001234567")).unwrap();
            let sent = shop.sandbox.requests("newPayment") - before;
            assert!(sent <= u64::from(operation == "pay"), "{reference} was sent {sent} times more");
            // What is stored is not sent again; what was never stored was never sent.
            let is_stuck = entry.standing() == Standing::Sending;
            assert!(is_stuck || entry.credentials().is_some() || entry.succeeded(), "{entry:?}");
            if !is_stuck {
                finish(&journal, &reference);
            }
        }
        let entries = journal.list(None, 1000, None).unwrap();
        let orders: Vec<&str> = entries.iter().filter_map(Entry::order_id).collect();
        assert_eq!(orders.iter().collect::<BTreeSet<_>>().len(), orders.len());
        if came_to_the_end == 2 {
            return at - 1;
        }
    }
    panic!("{operation} does not end");
}

fn main() {
    if !value("OPERATION").is_empty() {
        return customer();
    }
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let (postgresql, mariadb) = (Postgresql::new(), Mariadb::new());
    for (dialect, socket, create) in [
        ("postgresql", postgresql.host(), PostgresStore::create as fn(&Path, &str)),
        ("mariadb", mariadb.socket(), MariadbStore::create),
    ] {
        for operation in ["pay", "finish"] {
            let database = format!("crash_{}", random());
            create(socket, &database);
            let statements = at_each_statement(dialect, socket, &database, operation);
            println!("test killed at each of {statements} statements of {operation} over {dialect} ... ok");
        }
    }
}
