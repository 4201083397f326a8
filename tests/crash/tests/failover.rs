//! Eight processes pay while PostgreSQL's primary is killed and its standby is promoted. With a synchronous
//! standby each reference has one payment. With an asynchronous standby the last payments may be missing
//! after the promotion.

#[allow(dead_code, reason = "shared with the stores' tests")]
#[path = "stores/place.rs"]
mod place;
#[allow(dead_code, reason = "shared with the journal's tests")]
#[path = "../../../crates/merchantpay-journal-old/tests/journal/shop.rs"]
mod shop;

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use merchantpay_crash::{PostgresStore, Postgresql};
use merchantpay_journal::{Entry, Journal, JournalConfig, Standing, Store};
use rustix::process::{Pid, Signal, kill_process};

use shop::{CALLBACK, PATIENCE, Shop, request};

const DATABASE: &str = "failover";
const PROCESSES: usize = 8;
/// The payments of a round.
const REFERENCES: u64 = 160;
const ROUNDS: u64 = 10;
/// The least number of payments that are missing on a standby that does not get the last commits.
const LAG: u64 = 20;

fn value(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn config(hosts: &[&Path]) -> JournalConfig {
    JournalConfig::over(PostgresStore::of_primary(hosts, DATABASE))
        .callback_url(CALLBACK)
        .timeout(Duration::from_secs(30))
}

/// Retries until the database answers.
fn patiently<T>(mut attempt: impl FnMut() -> merchantpay::Result<T>) -> T {
    let patience = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Ok(value) => return value,
            Err(error) => assert!(Instant::now() < patience, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A process of the shop. It pays every reference until each reference has an entry that is not refused.
fn customer() {
    let key = PrivateKey::from_base64(&value("PRIVATE_KEY")).unwrap();
    let server = PublicKey::from_base64(&value("SERVER_KEY")).unwrap();
    let client = Client::new(Config::new(value("BASE_URL"), value("KEY_ID"), key, server)).unwrap();
    let (old, new) = (value("OLD"), value("NEW"));
    let hosts = [Path::new(&old), Path::new(&new)];
    let journal = patiently(|| Journal::open(&client, config(&hosts)));
    let (round, first): (u64, u64) = (value("ROUND").parse().unwrap(), value("FIRST").parse().unwrap());
    for number in 0..REFERENCES {
        let reference = format!("order-{round}-{}", (first + number) % REFERENCES);
        let is_paid = |entry: &Entry| entry.standing() != Standing::Refused;
        let entry = patiently(|| journal.pay(&reference, &request("10", "79001234567")));
        if !is_paid(&entry) {
            patiently(|| journal.pay(&reference, &request("10", "79001234567")));
        }
    }
}

fn start(shop: &Shop, round: u64, place: usize, old: &Path, new: &Path) -> Child {
    let first = place as u64 * REFERENCES / PROCESSES as u64;
    Command::new(std::env::current_exe().unwrap())
        .env("ROUND", round.to_string())
        .env("FIRST", first.to_string())
        .env("OLD", old)
        .env("NEW", new)
        .env("BASE_URL", shop.sandbox.url())
        .env("KEY_ID", shop.sandbox.merchant_key_id())
        .env("PRIVATE_KEY", shop.sandbox.merchant_private_key().unwrap().to_base64().as_str())
        .env("SERVER_KEY", shop.sandbox.server_public_key().to_base64())
        .spawn()
        .unwrap()
}

fn wait_for(what: &str, mut is_reached: impl FnMut() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !is_reached() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills the primary during a round and promotes the standby. Returns the number of requests minus the number
/// of references, and the new primary.
fn round(shop: &Shop, round: u64, primary: Postgresql, is_synchronous: bool) -> (u64, Postgresql) {
    let standby = primary.standby();
    let admin = PostgresStore::new(primary.host(), "postgres");
    let ask = |query: &str| admin.run(query, &[]).unwrap().rows.first().and_then(|row| row[0].clone());
    let names = if is_synchronous { "*" } else { "" };
    admin.run(&format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"), &[]).unwrap();
    admin.run("SELECT CAST(pg_reload_conf() AS TEXT)", &[]).unwrap();
    let state = if is_synchronous { "sync" } else { "async" };
    wait_for("the standby follows", || {
        ask("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'").as_deref() == Some(state)
    });
    let before = shop.sandbox.requests("newPayment");
    let (old, new) = (primary.host().to_owned(), standby.host().to_owned());
    let processes: Vec<Child> = (0..PROCESSES).map(|place| start(shop, round, place, &old, &new)).collect();
    // In each round the primary is killed at another moment.
    let enough = 1 + (round * 37) % (REFERENCES / 2);
    wait_for("payments are made", || shop.sandbox.requests("newPayment") >= before + enough);
    if !is_synchronous {
        // The process that sends the commits is stopped, so later commits of the primary do not reach the
        // standby.
        let sender: Option<i32> =
            ask("SELECT CAST(pid AS TEXT) FROM pg_stat_replication").and_then(|pid| pid.parse().ok());
        kill_process(sender.and_then(Pid::from_raw).expect("a sender"), Signal::STOP).unwrap();
        wait_for("more payments are made", || shop.sandbox.requests("newPayment") >= before + enough + LAG);
    }
    drop(primary);
    standby.promote();
    // The new primary has no standby yet, so it must not wait for one.
    let admin = PostgresStore::new(standby.host(), "postgres");
    admin.run("ALTER SYSTEM SET synchronous_standby_names = ''", &[]).unwrap();
    admin.run("SELECT CAST(pg_reload_conf() AS TEXT)", &[]).unwrap();
    for mut process in processes {
        assert!(process.wait().unwrap().success(), "round {round}");
    }
    let journal = Journal::open(&shop.client, config(&[standby.host()])).unwrap();
    let sent = shop.sandbox.requests("newPayment") - before;
    for number in 0..REFERENCES {
        let entry = journal.find(&format!("order-{round}-{number}")).unwrap().expect("an entry");
        if is_synchronous {
            let payable = 1 + entry.earlier().len();
            let orders =
                std::iter::once(&entry).chain(entry.earlier()).filter(|entry| entry.order_id().is_some());
            assert!(orders.count() <= 1, "{payable} attempts: {entry:?}");
        }
    }
    (sent.saturating_sub(REFERENCES), standby)
}

fn main() {
    if !value("ROUND").is_empty() {
        return customer();
    }
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    for (kind, rounds) in [("synchronous", ROUNDS), ("asynchronous", 2)] {
        let shop = Shop::new();
        let mut primary = Postgresql::new();
        PostgresStore::create(primary.host(), DATABASE);
        drop(Journal::open(&shop.client, config(&[primary.host()]).create(true)).unwrap());
        let (is_synchronous, mut twice) = (kind == "synchronous", 0);
        for number in 0..rounds {
            let more;
            (more, primary) = round(&shop, number, primary, is_synchronous);
            assert!(!is_synchronous || more == 0, "round {number}: {more} payments were sent twice");
            twice += more;
        }
        // Without a synchronous standby, payments are sent twice. So a failover needs a synchronous standby.
        assert!(is_synchronous || twice >= LAG, "{twice}");
        println!("{kind} standby: {rounds} failovers, {} payments, {twice} sent twice", rounds * REFERENCES);
    }
}
