//! Rules of docs/decisions/journal-rules.md that the statements keep: the model has a database of its own.

use std::sync::{Arc, Mutex};

use merchantpay_journal::{
    Dialect, Journal, JournalConfig, Level, Rows, SqliteStore, Standing, Store, StoreError,
};
use merchantpay_sandbox::Delivery;

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

/// Another process that takes a webhook between the load and the write of this one.
struct Interrupted {
    inner: SqliteStore,
    webhook: Arc<Mutex<Option<(Journal, Delivery)>>>,
}

impl Store for Interrupted {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if sql.starts_with("UPDATE")
            && let Some((other, delivery)) = self.webhook.lock().unwrap().take()
        {
            assert_eq!(give(&other, &delivery).http_status, 200);
        }
        self.inner.run(sql, parameters)
    }
}

#[test]
fn version() {
    let shop = Shop::new();
    let other = shop.journal();
    let entry = other.pay("order", &request("10", "79001234567")).unwrap();
    shop.client.confirm(entry.order_id().unwrap()).unwrap();
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    let webhook = Arc::new(Mutex::new(Some((other, delivery))));
    let store = Interrupted { inner: SqliteStore::open(shop.folder.file()).unwrap(), webhook };
    let journal = Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store))).unwrap();
    journal.cancel(&entry).unwrap();
    assert_eq!(journal.find("order").unwrap().unwrap().standing(), Standing::Final);
}
