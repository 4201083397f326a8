//! Rules of docs/decisions/journal-rules.md that the SQL statements implement. The model cannot test these
//! rules, because the model simulates the database.

use merchantpay_journal_old::{Level, Standing};

use crate::shop::{PATIENCE, Shop, give, request};

#[test]
fn acknowledged_level() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert!(journal.acknowledge(&entry).unwrap());
    assert_eq!(journal.find("order").unwrap().unwrap().acknowledged(), Level::Credentials);
    journal.confirm(&entry).unwrap();
    shop.deliver(&journal, entry.order_id().unwrap(), "status");
    let news: Vec<_> = journal.news(10).unwrap().iter().map(|entry| entry.reported()).collect();
    assert_eq!(news, [Level::Final]);

    let entry = journal.pay("another", &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    shop.deliver(&journal, entry.order_id().unwrap(), "status");
    assert!(journal.acknowledge_by("another", 1, Level::Credentials).unwrap());
    let news: Vec<_> = journal.news(10).unwrap().iter().map(|entry| entry.reported()).collect();
    assert_eq!(news, [Level::Final], "what is above the given level is still news");
}

#[test]
fn news_of_all_attempts() {
    let shop = Shop::new();
    let journal = shop.journal();
    let asked = request("10", "79001234567");
    let first = journal.pay("order", &asked).unwrap();
    journal.cancel(&first).unwrap();
    journal.replace("order", &asked, 1).unwrap();
    let mut news: Vec<_> = journal.news(10).unwrap().iter().map(|entry| entry.attempt()).collect();
    news.sort_unstable();
    assert_eq!(news, [1, 2]);
}

#[test]
fn version() {
    let shop = Shop::new();
    let other = shop.journal();
    let entry = other.pay("order", &request("10", "79001234567")).unwrap();
    shop.client.confirm(entry.order_id().unwrap()).unwrap();
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    let journal = shop.interrupted(move || assert_eq!(give(&other, &delivery).http_status, 200));
    journal.cancel(&entry).unwrap();
    assert_eq!(journal.find("order").unwrap().unwrap().standing(), Standing::Final);
}
