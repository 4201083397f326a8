//! Tests of conditions in the SQL statements.

use merchantpay::{Code, Outcome};
use merchantpay_journal_old::{Journal, Level, Standing};

use crate::shop::{PATIENCE, Shop, give, request};

#[test]
fn of_two_workers_that_read_the_same_news_one_claims_them() {
    let shop = Shop::new();
    let other = shop.journal();
    other.pay("order", &request("10", "79001234567")).unwrap();
    let journal = shop.interrupted(move || assert_eq!(other.news(10).unwrap().len(), 1));
    assert!(journal.news(10).unwrap().is_empty());
}

#[test]
fn news_that_another_worker_acknowledges_meanwhile_are_not_claimed() {
    let shop = Shop::new();
    let other = shop.journal();
    let entry = other.pay("order", &request("10", "79001234567")).unwrap();
    let journal = shop.interrupted(move || assert!(other.acknowledge(&entry).unwrap()));
    assert!(journal.news(10).unwrap().is_empty());
    assert_eq!(journal.find("order").unwrap().unwrap().acknowledged(), Level::Credentials);
}

#[test]
fn stats_count_a_call_that_has_ended_as_unknown_and_for_an_operator() {
    let shop = Shop::new();
    let journal = shop.journal();
    for reference in ["running", "over", "over too"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    let store = shop.folder.store();
    store.run("UPDATE merchantpay_journal SET standing = 'sending', due_at = 4102444800000", &[]).unwrap();
    store.run("UPDATE merchantpay_journal SET due_at = 1 WHERE reference <> 'running'", &[]).unwrap();
    let stats = journal.stats().unwrap();
    let counted =
        |name: &str| stats.standings.iter().find(|(known, _)| known == name).map(|(_, count)| *count);
    assert_eq!((counted("sending"), counted("unknown")), (Some(1), Some(2)));
    assert_eq!((stats.due, stats.attention), (2, 2));
    let shown = |standing| journal.list(Some(standing), 10, None).unwrap().len();
    assert_eq!([Standing::Sending, Standing::Unknown, Standing::Final].map(shown), [1, 2, 0]);
    assert_eq!(journal.attention(10).unwrap().len(), 2);
    store.run("UPDATE merchantpay_journal SET standing = 'final' WHERE reference = 'running'", &[]).unwrap();
    assert_eq!([Standing::Sending, Standing::Unknown, Standing::Final].map(shown), [0, 2, 1]);
}

#[test]
fn settle_leaves_the_rows_of_another_account() {
    let shop = Shop::new();
    let journal = shop.journal();
    for reference in ["own", "another's"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    let store = shop.folder.store();
    store.run("UPDATE merchantpay_journal SET due_at = 1", &[]).unwrap();
    store.run("UPDATE merchantpay_journal SET account = 'another' WHERE reference <> 'own'", &[]).unwrap();
    assert_eq!(journal.settle(10).unwrap().done, 1);
    assert_eq!(shop.sandbox.requests("getStatus"), 1);
}

#[test]
fn an_entry_that_changes_below_its_acknowledged_level_is_not_news() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert!(journal.acknowledge(&entry).unwrap());
    journal.cancel(&entry).unwrap();
    assert!(journal.news(10).unwrap().is_empty());
}

#[test]
fn pages_of_a_list_and_of_an_export_leave_nothing_out_and_repeat_nothing() {
    let shop = Shop::new();
    let journal = shop.journal();
    let asked = request("10", "79001234567");
    // The first page of the export ends between the two attempts of the reference `b`.
    let references: Vec<String> = (0..99).map(|number| format!("a-{number:02}")).collect();
    for reference in &references {
        journal.pay(reference, &asked).unwrap();
    }
    let first = journal.pay("b", &asked).unwrap();
    journal.cancel(&first).unwrap();
    journal.replace("b", &asked, 1).unwrap();
    assert_eq!(journal.export(|_| Ok(())).unwrap(), 101);

    // After this update many attempts have the same time of storing.
    shop.folder.store().run("UPDATE merchantpay_journal SET created_at = created_at / 100", &[]).unwrap();
    let mut listed: Vec<(String, u32)> = Vec::new();
    let mut page = journal.list(None, 7, None).unwrap();
    while let Some(last) = page.last().cloned() {
        listed.extend(page.iter().map(|entry| (entry.reference().to_owned(), entry.attempt())));
        page = journal.list(None, 7, Some(&last)).unwrap();
    }
    listed.sort_unstable();
    let expected = references.into_iter().map(|reference| (reference, 1)).chain([("b".to_owned(), 2)]);
    assert_eq!(listed, expected.collect::<Vec<_>>());
}

#[test]
fn a_message_is_merged_into_what_another_one_has_just_made_of_the_orphan() {
    let shop = Shop::new();
    let journal = shop.journal();
    let lost = Journal::open(&shop.client, shop.with_settings(shop.folder.another("lost"))).unwrap();
    let entry = lost.pay_async("order", &request("10", "79001234567")).unwrap();
    let order_id = entry.order_id().unwrap();
    let credentials = shop.sandbox.wait_for_delivery(order_id, "credentials", PATIENCE).unwrap();
    assert_eq!(give(&journal, &credentials).http_status, 404);
    assert!(journal.resolve_orphan(order_id, "nobody has paid").unwrap());
    let is_counted = || journal.stats().unwrap().attention == 1;
    assert!(!is_counted() && journal.attention(10).unwrap().is_empty());

    shop.client.confirm(order_id).unwrap();
    let status = shop.sandbox.wait_for_delivery(order_id, "status", PATIENCE).unwrap();
    let store = shop.folder.store();
    let other = "UPDATE merchantpay_orphans SET version = version + 1, record = '{\"other\":\"1\"}'";
    let interrupted = shop.interrupted(move || drop(store.run(other, &[]).unwrap()));
    assert_eq!(give(&interrupted, &status).http_status, 404);
    let records = shop.folder.store().run("SELECT record FROM merchantpay_orphans", &[]).unwrap().rows;
    assert!(records[0][0].as_deref().unwrap().contains("other"), "{records:?}");
    assert!(is_counted());

    assert!(journal.resolve_orphan(order_id, "called them").unwrap());
    let written = store_time(&shop);
    assert_eq!((journal.purge(written).unwrap(), journal.purge(written + 1).unwrap()), (0, 1));
}

/// The time of the orphan's last write.
fn store_time(shop: &Shop) -> i64 {
    let rows = shop.folder.store().run("SELECT updated_at FROM merchantpay_orphans", &[]).unwrap().rows;
    rows[0][0].as_deref().unwrap().parse().unwrap()
}

#[test]
fn nothing_is_sent_for_a_row_that_another_writer_has_stored_or_after_an_open_attempt() {
    let asked = request("10", "79001234567");
    for (attempt, change) in [(1, "writer = 'another'"), (2, "standing = 'open'")] {
        let shop = Shop::new();
        let store = shop.folder.store();
        if attempt == 2 {
            let journal = shop.journal();
            journal.cancel(&journal.pay("order", &asked).unwrap()).unwrap();
        }
        let change = format!("UPDATE merchantpay_journal SET {change} WHERE attempt = 1");
        let other = move || drop(store.run(&change, &[]).unwrap());
        let journal = shop.interrupted_before("SELECT (SELECT writer", other);
        let error = journal.replace("order", &asked, attempt - 1).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
        assert_eq!(shop.sandbox.requests("newPayment"), u64::from(attempt - 1));
    }
}
