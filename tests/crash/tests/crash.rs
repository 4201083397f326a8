//! A process is killed before or after any statement of the journal, alone or together with the database:
//! PostgreSQL, MariaDB or SQLite. Then another process continues. Every committed row is there, no payment is
//! sent twice, and the journal has a row for every payment that was sent.

#[allow(dead_code, reason = "shared with the stores' tests")]
#[path = "stores/place.rs"]
mod place;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../crates/merchantpay-journal-old/tests/journal/shop.rs"]
mod shop;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use merchantpay_crash::{Mariadb, MariadbStore, PostgresStore, Postgresql, random};
use merchantpay_journal::{
    Dialect, Entry, Journal, JournalConfig, Rows, SqliteStore, Standing, Store, StoreError, Until,
};

use shop::{CALLBACK, PATIENCE, Shop, request};

/// Stops before or after a statement: prints the stored row, and waits until its process is killed.
struct Dying {
    inner: Box<dyn Store>,
    reference: String,
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
        if !is_it {
            return self.inner.run(sql, parameters);
        }
        if self.after {
            self.inner.run(sql, parameters).unwrap();
        }
        println!("{}", stored(&*self.inner, &self.reference));
        loop {
            std::thread::park();
        }
    }
}

/// The stored row of a reference.
fn stored(store: &dyn Store, reference: &str) -> String {
    let sql = format!(
        "SELECT version, acknowledged, standing, writer, record FROM merchantpay_journal \
         WHERE reference = '{reference}' ORDER BY attempt"
    );
    format!("{:?}", store.run(&sql, &[]).unwrap().rows)
}

fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn store(dialect: &str, place: &Path, database: &str) -> Box<dyn Store> {
    match dialect {
        "postgresql" => Box::new(PostgresStore::new(place, database)),
        "mariadb" => Box::new(MariadbStore::new(place, database)),
        _ => Box::new(SqliteStore::create(place.join(database)).unwrap()),
    }
}

fn settings(config: JournalConfig, vouched: &str) -> JournalConfig {
    config
        .callback_url(CALLBACK)
        .timeout(std::time::Duration::from_secs(15))
        .calls_per_second(1000)
        .pay_wait(std::time::Duration::ZERO)
        .durability_vouched(vouched)
}

/// The process that is killed. It runs one operation on a store that stops at a statement, and exits with 7
/// if the operation completes.
fn customer() {
    let key = PrivateKey::from_base64(&value("PRIVATE_KEY")).unwrap();
    let server = PublicKey::from_base64(&value("SERVER_KEY")).unwrap();
    let client = Client::new(Config::new(value("BASE_URL"), value("KEY_ID"), key, server)).unwrap();
    let inner = store(&value("DIALECT"), Path::new(&value("PLACE")), &value("DATABASE"));
    let (at, reference) = (value("AT").parse().unwrap(), value("REFERENCE"));
    let after = value("WHEN") == "after";
    let dying = Dying { inner, reference: reference.clone(), count: AtomicU32::new(0), at, after };
    let journal = Journal::open(&client, settings(JournalConfig::over(dying), &value("VOUCHED"))).unwrap();
    match value("OPERATION").as_str() {
        "pay" => drop(journal.pay(&reference, &request("10", "79001234567")).unwrap()),
        "settle" => drop(journal.settle(1).unwrap()),
        _ => finish(&journal, &reference),
    }
    std::process::exit(7);
}

/// Confirms the payment, waits for its final status, and acknowledges the reported change.
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

/// The processes that are killed, and the place of the journals.
enum Dies {
    Process { dialect: &'static str, place: PathBuf },
    PostgresqlToo(Postgresql),
    MariadbToo(Mariadb),
}

impl Dies {
    fn name(&self) -> &'static str {
        match self {
            Dies::Process { .. } => "killed",
            _ => "without power",
        }
    }

    fn dialect(&self) -> &'static str {
        match self {
            Dies::Process { dialect, .. } => dialect,
            Dies::PostgresqlToo(_) => "postgresql",
            Dies::MariadbToo(_) => "mariadb",
        }
    }

    fn place(&self) -> &Path {
        match self {
            Dies::Process { place, .. } => place,
            Dies::PostgresqlToo(server) => server.host(),
            Dies::MariadbToo(server) => server.socket(),
        }
    }

    fn lose_power(&mut self) {
        match self {
            Dies::Process { .. } => {}
            Dies::PostgresqlToo(server) => server.lose_power(),
            Dies::MariadbToo(server) => server.lose_power(),
        }
    }
}

/// A journal in its own database.
struct Trial {
    shop: Shop,
    dies: Dies,
    database: String,
    operation: &'static str,
    vouched: &'static str,
}

impl Trial {
    fn new(dies: Dies, operation: &'static str, vouched: &'static str) -> Trial {
        let database = format!("crash_{}", random());
        match dies.dialect() {
            "postgresql" => PostgresStore::create(dies.place(), &database),
            "mariadb" => MariadbStore::create(dies.place(), &database),
            _ => {}
        }
        let trial = Trial { shop: Shop::new(), dies, database, operation, vouched };
        drop(trial.journal(true));
        trial
    }

    fn store(&self) -> Box<dyn Store> {
        store(self.dies.dialect(), self.dies.place(), &self.database)
    }

    fn journal(&self, create: bool) -> Journal {
        let config = JournalConfig::over(self.store()).create(create);
        Journal::open(&self.shop.client, settings(config, self.vouched)).unwrap()
    }

    fn make_due(&self) {
        let sql = "UPDATE merchantpay_journal SET due_at = 0, due_claimed_until = 1 WHERE standing = 'open'";
        self.store().run(sql, &[]).unwrap();
    }

    /// Kills a process at a statement. Returns the row that was stored before the kill; `None` if the
    /// operation completed before this statement.
    fn kill(&mut self, reference: &str, at: u32, when: &str) -> Option<String> {
        let sandbox = &self.shop.sandbox;
        let mut process = Command::new(std::env::current_exe().unwrap());
        process.env("OPERATION", self.operation).env("REFERENCE", reference).env("AT", at.to_string());
        process.env("WHEN", when).env("DIALECT", self.dies.dialect()).env("PLACE", self.dies.place());
        process.env("DATABASE", &self.database).env("VOUCHED", self.vouched);
        process.env("BASE_URL", sandbox.url()).env("KEY_ID", sandbox.merchant_key_id());
        process.env("PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str());
        process.env("SERVER_KEY", sandbox.server_public_key().to_base64());
        let mut process = process.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut said).unwrap();
        if said.is_empty() {
            assert_eq!(process.wait().unwrap().code(), Some(7), "{reference}");
            return None;
        }
        self.dies.lose_power();
        process.kill().unwrap();
        process.wait().unwrap();
        Some(said.trim_end().to_owned())
    }

    /// Kills a process at a statement, and continues with another process. Returns whether the first process
    /// completed its operation, and whether a row was lost.
    fn run(&mut self, at: u32, when: &str, loses: bool) -> (bool, bool) {
        let reference = format!("{}-{at}-{when}", self.operation);
        if self.operation != "pay" {
            self.journal(false).pay(&reference, &request("10", "79001234567")).unwrap();
        }
        if self.operation == "settle" {
            self.make_due();
        }
        let before = self.shop.sandbox.requests("newPayment");
        let answered = self.kill(&reference, at, when);
        let is_lost =
            answered.as_ref().is_some_and(|answered| *answered != stored(&*self.store(), &reference));
        if loses && is_lost {
            return (false, true);
        }
        assert!(!is_lost, "{answered:?} was answered");

        let journal = self.journal(false);
        if self.operation == "settle" {
            // The claim of the killed process must end before another process can settle the attempt.
            self.make_due();
            assert_eq!(journal.settle(10).unwrap().done, 1, "{reference}");
        }
        let entry = journal.pay(&reference, &request("10", "79001234567")).unwrap();
        let sent = self.shop.sandbox.requests("newPayment") - before;
        assert!(sent <= u64::from(self.operation == "pay"), "{reference} was sent {sent} times more");
        // If the attempt was stored, it is not sent again. If it was not stored, it was not sent.
        let is_stuck = entry.standing() == Standing::Sending;
        assert!(is_stuck || entry.credentials().is_some() || entry.succeeded(), "{entry:?}");
        if !is_stuck {
            finish(&journal, &reference);
        }
        (answered.is_none(), false)
    }
}

fn at_each_statement(dies: Dies, operation: &'static str) -> Dies {
    let mut trial = Trial::new(dies, operation, "");
    for at in 1..100 {
        let [(before, _), (after, _)] = ["before", "after"].map(|when| trial.run(at, when, false));
        if before && after {
            let entries = trial.journal(false).list(None, 1000, None).unwrap();
            let orders: Vec<&str> = entries.iter().filter_map(Entry::order_id).collect();
            assert_eq!(orders.iter().collect::<BTreeSet<_>>().len(), orders.len());
            let (dialect, how) = (trial.dies.dialect(), trial.dies.name());
            println!("test {how} at each of {} statements of {operation} over {dialect} ... ok", at - 1);
            return trial.dies;
        }
    }
    panic!("{operation} does not end");
}

/// Checks that the emulated power loss has an effect. Otherwise the other tests would prove nothing.
fn a_binary_log_that_is_not_synced_loses_what_was_answered() {
    let mut trial = Trial::new(Dies::MariadbToo(Mariadb::that_loses_power(0)), "pay", "sync_binlog");
    // The tables survive the power loss, because the complete log is synced here.
    trial.store().run("FLUSH BINARY LOGS", &[]).unwrap();
    let lost = (1..100).find(|at| trial.run(*at, "after", true).1);
    println!("test a binary log that is not synced loses statement {} of pay ... ok", lost.expect("a loss"));
}

fn main() {
    if !value("OPERATION").is_empty() {
        return customer();
    }
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let (postgresql, mariadb) = (Postgresql::new(), Mariadb::new());
    let file = std::env::temp_dir();
    for (dialect, place) in
        [("sqlite", &*file), ("postgresql", postgresql.host()), ("mariadb", mariadb.socket())]
    {
        let dies = Dies::Process { dialect, place: place.to_owned() };
        at_each_statement(at_each_statement(at_each_statement(dies, "pay"), "finish"), "settle");
    }
    drop(mariadb);
    for dies in [Dies::PostgresqlToo(postgresql), Dies::MariadbToo(Mariadb::that_loses_power(1))] {
        at_each_statement(at_each_statement(dies, "pay"), "finish");
    }
    a_binary_log_that_is_not_synced_loses_what_was_answered();
}
