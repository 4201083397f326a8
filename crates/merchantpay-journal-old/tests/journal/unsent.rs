//! Tests of payments with a request that was not sent, and of rows that a database has lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{
    Dialect, Journal, JournalConfig, Rows, SqliteStore, Standing, Store, StoreError,
};

use crate::shop::{Shop, request};

/// A database that fails over: from one statement on, the statements reach a different server.
struct FailingOver {
    inner: SqliteStore,
    /// The statement at which the failover happens.
    at: &'static str,
    happens: Arc<AtomicBool>,
}

impl Store for FailingOver {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if !sql.starts_with(self.at) || !self.happens.swap(false, Ordering::SeqCst) {
            return self.inner.run(sql, parameters);
        }
        if sql.starts_with("UPDATE") {
            self.inner.run("DELETE FROM merchantpay_journal", &[])?;
            return self.inner.run(sql, parameters);
        }
        // Pretends that the connection is in a transaction.
        let mut rows = self.inner.run(sql, parameters)?;
        rows.rows.iter_mut().for_each(|row| row[2] = Some("1".to_owned()));
        Ok(rows)
    }
}

fn journal(shop: &Shop, at: &'static str) -> Journal {
    drop(shop.journal());
    let inner = SqliteStore::open(shop.folder.file()).unwrap();
    let store = FailingOver { inner, at, happens: Arc::new(AtomicBool::new(true)) };
    Journal::open(&shop.client, shop.with_settings(JournalConfig::over(store))).unwrap()
}

#[test]
fn a_payment_that_was_provably_not_sent_is_refused_and_pay_goes_on() {
    let shop = Shop::new();
    let journal = journal(&shop, "SELECT (SELECT writer");
    let error = journal.pay("order", &request("10", "79001234567")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent));
    // A retry could not succeed while the transaction is open.
    assert!(!error.is_transient() && error.message().contains("in a transaction"), "{error}");
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    assert_eq!(journal.find("order").unwrap().unwrap().standing(), Standing::Refused);
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!((entry.attempt(), entry.credentials().is_some()), (2, true));
    assert!(journal.attention(10).unwrap().is_empty());
}

#[test]
fn a_lost_attempt_is_an_error_with_the_order_id_of_the_response() {
    let shop = Shop::new();
    let journal = journal(&shop, "UPDATE");
    let error = journal.pay("order", &request("10", "79001234567")).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::Unknown));
    assert!(shop.client.get_status(error.order_id().unwrap()).is_ok(), "{error}");
}

#[test]
fn after_three_refused_attempts_in_a_row_pay_backs_off() {
    let shop = Shop::new();
    let journal = shop.journal();
    let good = request("10", "79001234567");
    // The service refuses each of these requests.
    let refused = request("10", "no-credentials");
    for attempt in 1..=3 {
        assert_eq!(journal.pay("order", &refused).unwrap().attempt(), attempt);
    }
    for _ in 0..20 {
        let entry = journal.pay("order", &good).unwrap();
        assert_eq!((entry.standing(), entry.attempt()), (Standing::Refused, 3));
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 3);
    // If a person decides to replace the attempt, there is no pause. After the pause `pay` makes a new
    // attempt.
    assert_eq!(journal.replace("order", &refused, 3).unwrap().attempt(), 4);
    shop.folder.store().run("UPDATE merchantpay_journal SET updated_at = 0", &[]).unwrap();
    assert_eq!(journal.pay("order", &good).unwrap().attempt(), 5);
}
