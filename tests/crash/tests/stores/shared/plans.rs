//! The query plans of a journal with many rows: each statement uses an index, and no statement scans every
//! row.

use std::sync::{Arc, Mutex};

use merchantpay_journal::{Dialect, Journal, JournalConfig, Placeholders, Rows, Store, StoreError};

use crate::shop::{Shop, give, request};

/// A store that runs EXPLAIN for each statement before it runs the statement.
#[derive(Clone)]
struct Explaining {
    inner: Arc<dyn Store>,
    /// Statements that scan a table, and their plans.
    scans: Arc<Mutex<Vec<String>>>,
    explained: Arc<Mutex<u32>>,
}

impl Store for Explaining {
    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn placeholders(&self) -> Placeholders {
        self.inner.placeholders()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if sql.contains("merchantpay_journal ") {
            let explain = if self.dialect() == Dialect::Sqlite { "EXPLAIN QUERY PLAN" } else { "EXPLAIN" };
            let plan = self.inner.run(&format!("{explain} {sql}"), parameters)?.rows;
            let mut lines = plan.into_iter().map(|row| row.into_iter().flatten().collect::<Vec<_>>());
            *self.explained.lock().unwrap() += 1;
            if lines.any(|line| is_scan(self.dialect(), sql, &line)) {
                self.scans.lock().unwrap().push(sql.to_owned());
            }
        }
        // Purging every row would take long, so the query returns nothing.
        if sql.contains("j.purged = 0") { Ok(Rows::default()) } else { self.inner.run(sql, parameters) }
    }
}

/// Returns `true` if a line of a plan reads every row of the attempts.
fn is_scan(dialect: Dialect, sql: &str, line: &[String]) -> bool {
    // Three scans are allowed: an INSERT reads no rows, the count of rows has a limit, and reading the
    // account stops at the first row.
    if sql.starts_with("INSERT") || sql.contains(" AS counted") || sql.contains("(SELECT account FROM") {
        return false;
    }
    // This index also contains the purged rows.
    if sql.contains("j.purged = 0") && line.iter().any(|text| text.contains("merchantpay_journal_created_at"))
    {
        return true;
    }
    match dialect {
        Dialect::Postgresql => line[0].contains("Seq Scan on merchantpay_journal "),
        Dialect::Sqlite => {
            // In other statements `j` is the result of an inner statement.
            let table =
                if sql.contains("merchantpay_journal AS j") { "SCAN j" } else { "SCAN merchantpay_journal" };
            let partial = ["standing", "attention"].map(|index| format!("INDEX merchantpay_journal_{index}"));
            let detail = line.last().map_or("", String::as_str);
            let is_of_some = sql.contains(" LIMIT ") && detail.contains("INDEX");
            detail.starts_with(table) && !is_of_some && !partial.iter().any(|index| detail.contains(index))
        }
        // Without a range, the next page of this statement would scan from the first unpurged row again.
        _ if sql.contains("j.purged = 0") => line[3] != "range",
        _ => {
            let is_of_attempts = ["merchantpay_journal", "j"].contains(&line[2].as_str());
            is_of_attempts && (line[3] == "ALL" || line[3] == "index" && !sql.contains(" LIMIT "))
        }
    }
}

/// Doubles the number of attempts until there are several thousand attempts. All of them are final and
/// acknowledged.
fn multiply(store: &dyn Store) {
    let same = "updated_at, due_at, news_at, attempt, version, reported, acknowledged, account, standing, status, \
        sum_asked, sum_paid, acknowledged_by, writer, record";
    for number in 0..12 {
        let more =
            ["reference", "token", "order_id"].map(|name| format!("CONCAT({name}, '{number:x}')")).join(", ");
        let sql = format!(
            "INSERT INTO merchantpay_journal (reference, token, order_id, created_at, {same}) \
             SELECT {more}, created_at - {}, {same} FROM merchantpay_journal",
            1 << number
        );
        store.run(&sql, &[]).unwrap();
    }
    let analyze = if store.dialect() == Dialect::Mysql { "ANALYZE TABLE" } else { "ANALYZE" };
    store.run(&format!("{analyze} merchantpay_journal"), &[]).unwrap();
}

#[test]
fn no_operation_reads_every_row() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("first", &request("10", "79001234567")).unwrap();
    shop.client.confirm(entry.order_id().unwrap()).unwrap();
    make_due(&shop);
    assert_eq!(journal.settle(1).unwrap().done, 1);
    journal.acknowledge(&journal.find("first").unwrap().unwrap()).unwrap();
    multiply(&*shop.folder.store());

    let store =
        Explaining { inner: shop.folder.store().into(), scans: Arc::default(), explained: Arc::default() };
    let config = shop.with_settings(JournalConfig::over(store.clone()));
    let journal = Journal::open(&shop.client, config).unwrap();
    let [settled, received] = ["settled", "received"].map(|reference| {
        let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
        journal.confirm(&entry).unwrap();
        entry
    });
    for delivery in shop.sandbox.deliveries() {
        give(&journal, &delivery);
    }
    make_due(&shop);
    journal.settle(10).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    journal.attention(10).unwrap();
    journal.stats().unwrap();
    journal.purge(i64::MAX).unwrap();
    journal.list(None, 10, None).unwrap();
    for entry in [settled, received] {
        assert!(journal.find(entry.reference()).unwrap().is_some());
        assert!(journal.find_order(entry.order_id().unwrap()).unwrap().is_some());
    }
    journal.pause("a backup").unwrap();
    assert!(*store.explained.lock().unwrap() > 30);
    assert_eq!(*store.scans.lock().unwrap(), Vec::<String>::new());
}

fn make_due(shop: &Shop) {
    let sql = "UPDATE merchantpay_journal SET due_at = 0 WHERE standing = 'open'";
    shop.folder.store().run(sql, &[]).unwrap();
}
