//! Tests with a MariaDB server.

use merchantpay_journal::{Journal, JournalConfig, Level, Standing, Store, StoreError};

use crate::databases::{
    Databases, Place, Shared, assert_is_refused, assert_nothing_is_sent_within_a_transaction,
    assert_two_workers_ship_once, confirmed, journal, run_all, status_of,
};
use crate::shop::{Shop, request};

fn connection(place: &Place) -> Shared<mysql::Conn> {
    Shared::new(place.mysql().connection().unwrap())
}

pub fn keys(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    let journal = journal(&shop, place.mysql());
    let orders: Vec<String> = ["order", "Order"]
        .iter()
        .map(|reference| {
            let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
            entry.order_id().unwrap().to_owned()
        })
        .collect();
    assert_ne!(orders[0], orders[1]);
    for order_id in ["o", "O", "o ", "o"] {
        let insert = "INSERT INTO merchantpay_orphans (order_id, received_at, updated_at, version, seen, record) VALUES (?, 0, 0, 1, 0, '{}')";
        let result = place.mysql().run(insert, &[Some(order_id)]);
        let is_there = place
            .mysql()
            .run("SELECT COUNT(*) FROM merchantpay_orphans WHERE order_id = ?", &[Some(order_id)])
            .unwrap();
        assert_eq!(is_there.rows, [[Some("1".to_owned())]], "{order_id:?}");
        assert!(matches!(result, Ok(_) | Err(StoreError::Duplicate)), "{result:?}");
    }
    let count = place.mysql().run("SELECT COUNT(*) FROM merchantpay_orphans", &[]).unwrap();
    assert_eq!(count.rows, [[Some("3".to_owned())]]);
}

pub fn found_rows(databases: &Databases) {
    for found_rows in [false, true] {
        let (shop, place) = (Shop::new(), databases.mariadb());
        let store = || if found_rows { place.mysql().found_rows() } else { place.mysql() };
        let (one, other) = (journal(&shop, store()), journal(&shop, store()));
        let (entry, delivery) = confirmed(&shop, &one);
        assert_eq!(other.pay("order", &request("10", "79001234567")).unwrap().order_id(), entry.order_id());
        assert_eq!((status_of(&one, &delivery), status_of(&other, &delivery)), (200, 200));
        let news = one.news(10).unwrap();
        assert_eq!((news.len(), other.news(10).unwrap().len()), (1, 0), "it is claimed");
        assert_eq!(
            (one.acknowledge(&news[0]).unwrap(), other.acknowledge(&news[0]).unwrap()),
            (true, false),
            "{found_rows}"
        );
        assert_eq!((news[0].reported(), shop.sandbox.requests("newPayment")), (Level::Final, 1));
    }
}

pub fn what_is_refused(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    drop(journal(&shop, place.mysql()));
    assert_is_refused(&shop, place.mysql().first("SET sql_mode = ''"), "would shorten long texts");
    assert_is_refused(&shop, place.mysql().first("SET autocommit = 0"), "autocommit is off");
    for (variable, bad, good) in [("innodb_flush_log_at_trx_commit", "2", "1"), ("sync_binlog", "0", "1")] {
        run_all(&place.mysql(), &[&format!("SET GLOBAL {variable} = {bad}")]);
        assert_is_refused(&shop, place.mysql(), &format!("{variable} is {bad} and must be {good}"));
        let config = JournalConfig::over(place.mysql()).durability_vouched(variable);
        let vouched = Journal::open(&shop.client, shop.with_settings(config)).unwrap();
        assert_eq!(vouched.stats().unwrap().durability_vouched, [variable]);
        run_all(&place.mysql(), &[&format!("SET GLOBAL {variable} = {good}")]);
    }
    run_all(&place.mysql(), &["SET GLOBAL read_only = 1"]);
    assert_is_refused(&shop, place.mysql(), "only be read");
    run_all(&place.mysql(), &["SET GLOBAL read_only = 0"]);
    drop(journal(&shop, place.mysql()));
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
}

/// When summer time ends, the same local time occurs twice.
pub fn summer_time(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    // 2025-10-26, 00:30 and 01:30 UTC: both are 02:30 in Berlin, the server's time zone.
    for seconds in [1_761_438_600, 1_761_442_200] {
        let store = place.mysql().first(&format!("SET timestamp = {seconds}"));
        let entry = journal(&shop, store).pay(&format!("order-{seconds}"), &request("10", "79001234567"));
        assert_eq!(entry.unwrap().created_at() / 1000, seconds);
    }
}

pub fn insert_within_a_transaction(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    let good = journal(&shop, place.mysql());
    assert_nothing_is_sent_within_a_transaction(connection(&place), &good, &shop);
}

pub fn locked_row(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    let journal = journal(&shop, place.mysql().first("SET innodb_lock_wait_timeout = 1"));
    let (_, delivery) = confirmed(&shop, &journal);
    let transaction = connection(&place);
    run_all(&transaction, &["BEGIN", "UPDATE merchantpay_journal SET purged = purged + 1"]);
    assert_eq!(status_of(&journal, &delivery), 503);
    run_all(&transaction, &["ROLLBACK"]);
    assert_eq!(status_of(&journal, &delivery), 200);
    assert_eq!(journal.find("order").unwrap().unwrap().standing(), Standing::Final);
}

pub fn repeatable_read(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    let journal = journal(&shop, place.mysql());
    let (entry, delivery) = confirmed(&shop, &journal);
    let transaction = connection(&place);
    run_all(&transaction, &["BEGIN", "SELECT attempt FROM merchantpay_journal"]);
    assert_eq!(status_of(&journal, &delivery), 200);
    // Only the level that the merchant has seen is acknowledged.
    journal.acknowledge_with(&entry, &transaction).unwrap();
    run_all(&transaction, &["COMMIT"]);
    let news = journal.news(10).unwrap();
    assert_eq!(
        news.iter().map(|entry| (entry.acknowledged(), entry.reported())).collect::<Vec<_>>(),
        [(Level::Credentials, Level::Final)]
    );
}

pub fn ship_once(databases: &Databases) {
    let (shop, place) = (Shop::new(), databases.mariadb());
    let journal = journal(&shop, place.mysql());
    let (_, delivery) = confirmed(&shop, &journal);
    assert_eq!(status_of(&journal, &delivery), 200);
    assert_two_workers_ship_once(&journal, || connection(&place));
}
