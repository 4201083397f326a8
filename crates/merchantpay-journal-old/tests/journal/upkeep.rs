//! An operator's tasks on any database: counting, erasing, pausing.

use merchantpay::{Code, Error, Outcome};
use merchantpay_journal_old::{Journal, Standing, Stats, Until};
use merchantpay_sandbox::Fault;

use crate::shop::{PATIENCE, Shop, give, request};

fn counted(stats: &Stats, name: &str) -> u64 {
    stats.standings.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
}

fn assert_refused<T>(result: merchantpay::Result<T>, text: &str) {
    let error = result.map(drop).unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent), "{error}");
    assert!(error.message().contains(text), "{error}");
}

/// Asserts that the journal was paused: nothing was sent, and the same call can succeed later.
fn assert_paused(error: &Error, note: &str) {
    assert_eq!((error.code(), error.outcome()), (Code::Storage, Outcome::NotSent), "{error}");
    assert!(error.is_transient() && error.message().contains(note), "{error}");
}

/// Completes a payment and acknowledges it.
fn finish(journal: &Journal, reference: &str) {
    let entry = journal.pay(reference, &request("10", "79001234567")).unwrap();
    journal.confirm(&entry).unwrap();
    journal.wait(reference, PATIENCE, Until::Final).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
}

#[test]
fn stats_count_few_rows_and_estimate_many_final_ones() {
    let shop = Shop::new();
    let (journal, store) = (shop.journal(), shop.folder.store());
    finish(&journal, "paid");
    journal.pay("open", &request("10", "79001234567")).unwrap();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
    journal.pay("lost", &request("10", "79001234567")).unwrap();
    store.run("UPDATE merchantpay_journal SET due_at = 1 WHERE reference = 'open'", &[]).unwrap();
    let stats = journal.stats().unwrap();
    assert_eq!(["final", "open", "unknown"].map(|name| counted(&stats, name)), [1, 1, 1]);
    assert_eq!((stats.is_estimated, stats.due, stats.attention), (false, 1, 1));
    assert_eq!(stats.reasons, [("unknown".to_owned(), 1)]);
    assert!(stats.overdue.is_some_and(|overdue| overdue > 0));
    assert!(stats.pause.is_none() && stats.server_before.is_none());
    assert!(stats.to_json().contains("\"standings\":{\"final\":1,\"open\":1,\"unknown\":1}"), "{stats:?}");

    let copied = "attempt, account, standing, status, sum_asked, sum_paid, reported, acknowledged, created_at, \
        updated_at, version, writer, record";
    let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)";
    let insert = format!(
        "INSERT INTO merchantpay_journal (reference, token, {copied}) {numbers} \
         SELECT CONCAT('r', a.i * 40 + b.i), CONCAT('t', a.i * 40 + b.i), {copied} \
         FROM merchantpay_journal AS j CROSS JOIN n AS a CROSS JOIN n AS b WHERE j.reference = 'paid'"
    );
    store.run(&insert, &[]).unwrap();
    let stats = journal.stats().unwrap();
    assert_eq!(["open", "unknown"].map(|name| counted(&stats, name)), [1, 1]);
    assert!(stats.is_estimated && counted(&stats, "final") >= 999, "{stats:?}");
}

#[test]
fn what_is_forgotten_has_no_name_left_and_is_never_paid_again() {
    let shop = Shop::new();
    let (journal, store) = (shop.journal(), shop.folder.store());
    assert_refused(journal.forget("nobody"), "no such entry");
    let first = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_refused(journal.forget("order"), "attempt 1");
    journal.cancel(&first).unwrap();
    let status = shop.sandbox.wait_for_delivery(first.order_id().unwrap(), "status", PATIENCE).unwrap();
    journal.pay("other", &request("10", "79001234567")).unwrap();
    assert_eq!(give(&journal, &status).http_status, 200);
    assert_refused(journal.forget("order"), "attempt 1");
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    let next = journal.replace("order", &request("10", "79001234567"), 1).unwrap();
    assert_refused(journal.forget("order"), "attempt 2");
    journal.confirm(&next).unwrap();
    let end = journal.wait("order", PATIENCE, Until::Final).unwrap();
    for entry in journal.news(10).unwrap() {
        journal.acknowledge(&entry).unwrap();
    }
    // Another order's message arrives at the attempt's URL.
    let asked = request("11", "79001234567").credentials_webhook_url("http://127.0.0.1:9/elsewhere");
    let foreign = shop.client.new_payment_async(&asked).unwrap();
    let mut strange = shop.sandbox.wait_for_delivery(foreign.order_id(), "credentials", PATIENCE).unwrap();
    strange.url.clone_from(&status.url);
    assert_eq!(give(&journal, &strange).http_status, 409);
    assert_refused(journal.forget("order"), "an orphan");
    assert!(journal.resolve_orphan(foreign.order_id(), "another shop's").unwrap());

    assert_eq!((journal.forget("order").unwrap(), journal.forget("order").unwrap()), (3, 0));
    let names = |table: &str| {
        let query = format!("SELECT COUNT(*) FROM {table} WHERE record LIKE '%payeeName%'");
        store.run(&query, &[]).unwrap().rows[0][0].clone().unwrap()
    };
    assert_eq!(["merchantpay_journal", "merchantpay_orphans"].map(names), ["1", "0"], "the other's own");
    let sent = shop.sandbox.requests("newPayment");
    let again = journal.pay("order", &request("10", "79001234567")).unwrap();
    assert_eq!(
        (again.standing(), again.attempt(), again.order_id(), again.succeeded()),
        (Standing::Final, 2, end.order_id(), true)
    );
    // After the payment is forgotten, a late webhook stores no name.
    let late = shop.sandbox.wait_for_delivery(end.order_id().unwrap(), "status", PATIENCE).unwrap();
    assert_eq!(give(&journal, &late).http_status, 200);
    assert_eq!(names("merchantpay_journal"), "1");
    assert_eq!(shop.sandbox.requests("newPayment"), sent);
}

#[test]
fn a_paused_journal_sends_no_payment_and_gives_no_news_until_it_is_resumed() {
    let shop = Shop::new();
    let journal = shop.journal();
    let before = journal.pay("before", &request("10", "79001234567")).unwrap();
    assert_refused(journal.pause(" "), "note");
    journal.pause("moving to \"db2\"").unwrap();
    journal.pause("moving to db2").unwrap();
    let other = shop.journal();
    for error in [
        other.pay("order", &request("10", "79001234567")).unwrap_err(),
        other.pay("before", &request("10", "79001234567")).unwrap_err(),
        other.pay_async("order", &request("10", "79001234567")).unwrap_err(),
        other.replace("before", &request("10", "79001234567"), 1).unwrap_err(),
        other.news(10).unwrap_err(),
    ] {
        assert_paused(&error, "moving to db2");
    }
    assert_eq!((shop.sandbox.requests("newPayment"), journal.find("order").unwrap()), (1, None));
    let pause = journal.stats().unwrap().pause.unwrap();
    assert!(pause.note == "moving to db2" && pause.at > 0);

    // While the journal is paused, replies of the service are still stored.
    journal.confirm(&before).unwrap();
    assert!(journal.wait("before", PATIENCE, Until::Final).unwrap().succeeded());
    journal.settle(10).unwrap();
    assert!(journal.attention(10).unwrap().is_empty());

    journal.resume("moved").unwrap();
    journal.resume("moved").unwrap();
    assert_eq!(journal.stats().unwrap().pause, None);
    assert_eq!(other.news(10).unwrap().len(), 1);
    assert!(other.pay("order", &request("10", "79001234567")).unwrap().credentials().is_some());
}

#[test]
fn pause_returns_when_the_call_that_runs_has_ended() {
    let shop = Shop::new();
    let journal = shop.journal();
    std::thread::scope(|scope| {
        // In the sandbox the search for credentials takes some time, so the call still runs at the `pause`.
        let paying = scope.spawn(|| journal.pay("order", &request("10", "no-credentials")).unwrap());
        while shop.sandbox.requests("newPayment") == 0 {
            std::thread::yield_now();
        }
        journal.pause("looking").unwrap();
        let entry = journal.find("order").unwrap().unwrap();
        assert_eq!((entry.standing(), entry.error().is_some()), (Standing::Refused, true));
        assert_eq!(paying.join().unwrap().standing(), Standing::Refused);
    });
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn an_export_is_read_line_by_line_in_the_order_of_the_references() {
    let shop = Shop::new();
    let journal = shop.journal();
    for reference in ["b", "a"] {
        journal.pay(reference, &request("10", "79001234567")).unwrap();
    }
    let mut lines = journal.export_lines();
    assert!(lines.next().unwrap().unwrap().contains("\"reference\":\"a\""));
    // The rows are read in pages. The next page starts after the last key, so it contains this new row.
    journal.pay("c", &request("10", "79001234567")).unwrap();
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(rest.len() == 2 && rest[1].contains("\"reference\":\"c\""), "{rest:?}");
}
