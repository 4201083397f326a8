//! PostgreSQL's primary dies, and its standby is promoted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use merchantpay::{Client, Result};
use merchantpay_crash::{Kind, Postgresql, Servers, wait_until};
use merchantpay_journal::{Attention, Entry, Journal, Until};

use crate::audit::{compare, listed};
use crate::shop::{PATIENCE, Shop, request};

fn psql(server: &Postgresql, sql: &str) -> String {
    let mut psql = std::process::Command::new("psql");
    psql.args(["-XAtq", "-U", "shop", "-d", "postgres", "-h"]).arg(server.host());
    let output = sql.split(';').fold(&mut psql, |psql, sql| psql.args(["-c", sql])).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

fn patiently<T>(mut call: impl FnMut() -> Result<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        match call() {
            Ok(value) => return value,
            Err(error) => assert!(error.is_transient() && Instant::now() < end, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A journal over whichever of the servers is the primary.
fn open(shop: &Shop, servers: [&Postgresql; 2]) -> (Client, Journal) {
    let [one, two] = servers.map(|server| server.host().display());
    let place = format!("postgresql:///postgres?user=shop&target_session_attrs=read-write&host={one},{two}");
    patiently(|| shop.open(&place, true))
}

/// A sandbox; its own journal is not used.
fn shop() -> Shop {
    Shop::new(&Servers::new(Kind::Sqlite))
}

fn is_synchronous(primary: &Postgresql, state: &str) -> bool {
    psql(primary, "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'") == state
}

/// The rows of a lost commit are gone: their orders become orphans, and no number that was read before covers what
/// nobody has read since.
pub fn lost_commit() {
    let (shop, mut primary) = (shop(), Postgresql::new());
    let standby = primary.standby();
    let (client, journal) = open(&shop, [&primary, &standby]);
    let kept = journal.pay("kept", &request()).unwrap();
    let order = kept.order_id.clone().unwrap();
    wait_until("the standby follows", || {
        psql(&standby, "SELECT COUNT(*) FROM merchantpay_attempts WHERE state = 'open'") == "1"
    });
    psql(&standby, "ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()");
    wait_until("the standby is cut off", || {
        psql(&standby, "SELECT COUNT(*) FROM pg_stat_wal_receiver") == "0"
    });

    // On the old primary alone: news that are read, and an order.
    let read = journal.news(10).unwrap().remove(0);
    journal.confirm(&kept).unwrap();
    let end = journal.wait("kept", Until::Final, PATIENCE).unwrap();
    let read_last = journal.news(10).unwrap().remove(0);
    assert!(end.succeeded && read_last.news > read.news);
    let lost = journal.pay("lost", &request()).unwrap();
    client.confirm(lost.order_id.as_deref().unwrap()).unwrap();
    primary.kill();
    standby.promote();

    let is_open = |entry: Option<Entry>| entry.is_some_and(|entry| !entry.succeeded);
    assert!(is_open(patiently(|| journal.find("kept"))), "the end of the payment is forgotten");
    let delivery = shop.sandbox.wait_for_delivery(&order, "status", PATIENCE).unwrap();
    let again = patiently(|| {
        let received = journal.receive(&delivery.url, &delivery.body, &delivery.signature, None);
        received.error.map_or(Ok(received.entry), Err)
    });
    let again = again.unwrap();
    assert!(again.succeeded && ![read.news, read_last.news].contains(&again.news), "the change is new news");
    assert!(!journal.acknowledge(&read_last).unwrap() && !journal.acknowledge(&read).unwrap());
    assert_eq!(journal.news(10).unwrap(), std::slice::from_ref(&again));
    assert!(journal.acknowledge(&again).unwrap());

    assert_eq!(journal.find("lost").unwrap(), None);
    let order = lost.order_id.unwrap();
    let delivery = shop.sandbox.wait_for_delivery(&order, "status", PATIENCE).unwrap();
    let received = journal.receive(&delivery.url, &delivery.body, &delivery.signature, None);
    assert_eq!(received.http_status, 404);
    let items = journal.attention(10).unwrap();
    let [Attention::Orphan(orphan)] = &items[..] else { panic!("{items:?}") };
    assert_eq!((orphan.order_id.as_str(), orphan.status.as_deref()), (order.as_str(), Some("doneSuccess")));
    journal.resolve_orphan(&order, Some("doneSuccess"), "money is returned").unwrap();
    assert_eq!(journal.attention(10).unwrap(), []);
}

/// With a synchronous standby nothing is lost: four threads pay meanwhile, each reference once.
pub fn synchronous() {
    const REFERENCES: usize = 60;
    let (shop, mut primary) = (shop(), Postgresql::new());
    let standby = primary.standby();
    psql(&primary, "ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()");
    wait_until("the standby is synchronous", || is_synchronous(&primary, "sync"));
    let (_, journal) = open(&shop, [&primary, &standby]);
    let is_promoted = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (shop, journal, is_promoted) = (&shop, journal.derive(), &is_promoted);
            scope.spawn(move || {
                for number in 0..REFERENCES {
                    let reference = format!("order-{}", (number + thread * REFERENCES / 4) % REFERENCES);
                    let entry = patiently(|| journal.pay(&reference, &request()));
                    if entry.credentials.is_some() && entry.intent.is_none() {
                        patiently(|| journal.confirm(&entry));
                    }
                    if thread == 0 && shop.sandbox.requests("newPayment") > 20 {
                        is_promoted.store(true, Ordering::SeqCst);
                    }
                }
            });
        }
        wait_until("payments are made", || is_promoted.load(Ordering::SeqCst));
        primary.kill();
        standby.promote();
        // It has no standby, and must not wait for one.
        psql(&standby, "ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf()");
    });
    // A call whose process saw the primary die is over.
    psql(&standby, "UPDATE merchantpay_attempts SET call_until = 1 WHERE state = 'sent'");
    let names: Vec<String> = (0..REFERENCES).map(|number| format!("order-{number}")).collect();
    for name in &names {
        let entry = journal.pay(name, &request()).unwrap();
        if entry.credentials.is_some() && entry.intent.is_none() {
            journal.confirm(&entry).unwrap();
        }
        assert!(journal.wait(name, Until::Final, PATIENCE).unwrap().succeeded, "{entry:?}");
    }
    let ledger = compare(&journal, names, |_| true, listed(shop.sandbox.url()).unwrap()).unwrap();
    assert_eq!((ledger.payments, ledger.succeeded), (REFERENCES, REFERENCES));
}
