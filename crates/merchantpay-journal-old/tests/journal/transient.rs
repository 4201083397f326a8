//! Tests of transient store faults, and of `acknowledge_with` without an open transaction.

use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{
    Dialect, Journal, JournalConfig, Rows, SqliteStore, Standing, Store, StoreError,
};

use crate::shop::{PATIENCE, Shop, give, request};

/// A store in which the first `left` updates fail without an effect, as in a deadlock.
struct Deadlocked {
    inner: SqliteStore,
    left: AtomicU32,
}

impl Store for Deadlocked {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let is_failing =
            || self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match sql.starts_with("UPDATE") && is_failing().is_ok() {
            true => Err(StoreError::Failed("40P01 deadlock detected".to_owned())),
            false => self.inner.run(sql, parameters),
        }
    }
}

#[test]
fn a_webhook_outlasts_a_fault_of_the_store_that_has_no_effect() {
    let shop = Shop::new();
    let entry = shop.journal().pay("order", &request("10", "79001234567")).unwrap();
    shop.client.confirm(entry.order_id().unwrap()).unwrap();
    let delivery = shop.sandbox.wait_for_delivery(entry.order_id().unwrap(), "status", PATIENCE).unwrap();
    let inner = SqliteStore::open(shop.folder.file()).unwrap();
    let store = Deadlocked { inner, left: AtomicU32::new(3) };
    let journal = Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store))).unwrap();
    let received = give(&journal, &delivery);
    assert_eq!(received.http_status, 200, "{:?}", received.error);
    assert_eq!(received.entry.unwrap().standing(), Standing::Final);
}

#[test]
fn acknowledge_in_a_transaction_refuses_a_connection_in_autocommit_and_a_finished_transaction() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "79001234567")).unwrap();
    let entry = journal.news(1).unwrap().remove(0);
    let store = shop.folder.store();
    let assert_is_refused = || {
        let error = journal.acknowledge_with(&entry, &*store).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent), "{error}");
        assert!(error.message().contains("in autocommit"), "{error}");
        assert_eq!(
            journal.find("order").unwrap().unwrap().acknowledged(),
            merchantpay_journal_old::Level::None
        );
    };
    assert_is_refused();
    for end in ["ROLLBACK", "COMMIT"] {
        store.run("BEGIN", &[]).unwrap();
        store.run(end, &[]).unwrap();
        assert_is_refused();
    }
    store.run("BEGIN", &[]).unwrap();
    journal.acknowledge_with(&entry, &*store).unwrap();
    store.run("COMMIT", &[]).unwrap();
    assert_eq!(journal.find("order").unwrap().unwrap().acknowledged(), entry.reported());
}
