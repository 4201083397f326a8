//! `docs/sizing.md` states the number of statements of each operation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use merchantpay_journal_old::{Dialect, Journal, JournalConfig, Placeholders, Rows, Store, StoreError};

use merchantpay_sandbox::Fault;

use crate::shop::{PATIENCE, Shop, give, request};

const PAGE: &str = include_str!("../../../../docs/sizing.md");

struct Counting {
    inner: Box<dyn Store>,
    statements: Arc<AtomicUsize>,
}

impl Store for Counting {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn placeholders(&self) -> Placeholders {
        self.inner.placeholders()
    }

    fn checks_rows(&self) -> bool {
        self.inner.checks_rows()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        self.statements.fetch_add(1, Ordering::Relaxed);
        self.inner.run(sql, parameters)
    }
}

#[test]
fn each_operation_runs_as_many_statements_as_the_page_has() {
    let shop = Shop::new();
    drop(shop.journal());
    let statements = Arc::new(AtomicUsize::new(0));
    let store = Counting { inner: shop.folder.store(), statements: Arc::clone(&statements) };
    let config = shop.with_settings(JournalConfig::over(store));
    let journal = Journal::open(&shop.client, config).unwrap();
    statements.store(0, Ordering::Relaxed);
    let mut counted = Vec::new();
    let mut count =
        |operation: &'static str| counted.push((operation, statements.swap(0, Ordering::Relaxed)));
    let asked = request("10", "79001234567");
    let entry = journal.pay("order", &asked).unwrap();
    count("pay");
    journal.pay("order", &asked).unwrap();
    count("pay, again");
    journal.confirm(&entry).unwrap();
    count("confirm");
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    assert_eq!(give(&journal, &delivery).http_status, 200);
    count("receive");
    assert_eq!(give(&journal, &delivery).http_status, 200);
    count("receive, again");
    let news = journal.news(10).unwrap();
    count("news, one entry");
    assert!(journal.acknowledge(&news[0]).unwrap());
    count("acknowledge");
    assert!(journal.news(10).unwrap().is_empty());
    count("news, none");
    journal.find("order").unwrap();
    count("find");
    assert_eq!(journal.settle(10).unwrap().done, 0);
    count("settle, none due");
    // Only a webhook named the order, so the status is queried at once.
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    journal.pay("lost", &request("10", "never-pays")).unwrap();
    let delivery = shop.delivery(|other| Some(other.order_id.as_str()) != entry.order_id());
    assert_eq!(give(&journal, &delivery).http_status, 200);
    statements.store(0, Ordering::Relaxed);
    assert_eq!(journal.settle(10).unwrap().done, 1);
    count("settle, one entry");
    // On PostgreSQL one statement claims the entries and returns them. Other databases need two statements.
    if let (Some((_, count)), Dialect::Postgresql) = (counted.last_mut(), journal.dialect()) {
        *count += 1;
    }
    let rows = counted.iter().map(|(operation, count)| {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| {operation} |")));
        let cell = row.and_then(|row| row.split('|').nth(2)).map_or("", str::trim);
        (*operation, cell == count.to_string())
    });
    let wrong: Vec<_> = rows.filter(|(_, is_right)| !is_right).collect();
    assert!(wrong.is_empty(), "{wrong:?} of {counted:?}");
}
