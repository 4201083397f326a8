//! A payment from its reference to its final status.

use std::time::Duration;

use merchantpay::{Code, Outcome, Paid};
use merchantpay_journal_old::{Entry, Journal, Level, Standing, Until};
use merchantpay_sandbox::Fault;

use crate::progress::settle_until;
use crate::shop::{PATIENCE, Shop, request};

#[test]
fn a_payment_is_taken_once_and_reported_until_it_is_acknowledged() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order-1", &request("1500.50", "79001234567")).unwrap();
    assert_eq!((entry.standing(), entry.attempt(), entry.credentials().is_some()), (Standing::Open, 1, true));
    let again = journal.pay("order-1", &request("1500.5", "79001234567")).unwrap();
    assert_eq!(
        (again.order_id(), again.attempt(), again.credentials()),
        (entry.order_id(), 1, entry.credentials())
    );
    assert_eq!(shop.sandbox.requests("newPayment"), 1);

    let news = journal.news(10).unwrap();
    assert_eq!(news.iter().map(|entry| entry.reported()).collect::<Vec<_>>(), [Level::Credentials]);
    assert!(journal.news(10).unwrap().is_empty(), "it is claimed");
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(!journal.acknowledge(&news[0]).unwrap(), "once");

    let confirmed = journal.confirm(&entry).unwrap();
    assert_eq!(confirmed.confirm(), Some(merchantpay_journal_old::IntentState::Accepted));
    let received = shop.deliver(&journal, entry.order_id().unwrap(), "status");
    assert_eq!((received.http_status, received.entry.unwrap().succeeded()), (200, true));
    let news = journal.news(10).unwrap();
    assert_eq!(
        (news.len(), news[0].reported(), news[0].paid(), news[0].succeeded()),
        (1, Level::Final, Some(Paid::Exactly), true)
    );
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(journal.news(10).unwrap().is_empty());
    let found = journal.find("order-1").unwrap().unwrap();
    assert_eq!((found.standing(), found.credentials(), found.due_at()), (Standing::Final, None, None));
    assert!(journal.attention(10).unwrap().is_empty());
}

#[test]
fn a_lost_reply_is_unknown_until_the_callback_comes() {
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    let entry = journal.pay_async("order-2", &request("10", "79001234567")).unwrap();
    assert_eq!((entry.standing(), entry.order_id()), (Standing::Unknown, None));
    assert_eq!(
        entry.error().map(|error| (error.code.as_str(), error.outcome.as_str())),
        Some(("transport", "unknown"))
    );
    // A repeated `pay` sends nothing.
    assert_eq!(
        journal.pay_async("order-2", &request("10", "79001234567")).unwrap().standing(),
        Standing::Unknown
    );
    assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);

    let order_id = loop {
        if let Some(delivery) = shop.sandbox.deliveries().first() {
            break delivery.order_id.clone();
        }
        std::thread::yield_now();
    };
    let received = shop.deliver(&journal, &order_id, "credentials");
    let healed = received.entry.unwrap();
    assert_eq!(
        (received.http_status, healed.standing(), healed.order_id()),
        (200, Standing::Open, Some(order_id.as_str()))
    );
    assert!(healed.credentials().is_some());
    journal.confirm(&healed).unwrap();
    let end = settle_until(&journal, "order-2", |entry| entry.standing() == Standing::Final);
    assert!(end.succeeded());
}

#[test]
fn sixteen_calls_of_pay_make_one_request_and_return_the_same_entry() {
    let shop = Shop::new();
    let journal = Journal::open(&shop.client, shop.config().pay_wait(PATIENCE)).unwrap();
    shop.sandbox.misbehave(Fault::Latency(Duration::from_millis(300)), Some("newPayment"), 1);
    let entries: Vec<Entry> = std::thread::scope(|scope| {
        let pay = || journal.pay("order", &request("10", "79001234567")).unwrap();
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(pay)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(entries.iter().all(|entry| entry.credentials().is_some()));
    assert!(entries.iter().all(|entry| entry.order_id() == entries[0].order_id() && entry.attempt() == 1));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn a_pay_that_waits_is_interrupted_and_another_request_does_not_wait() {
    let shop = Shop::new();
    let journal = Journal::open(&shop.client, shop.config().pay_wait(PATIENCE)).unwrap();
    let (first, waiting) = (journal.derive(), journal.derive());
    let good = request("10", "79001234567");
    shop.sandbox.misbehave(Fault::StallBeforeCommit, Some("newPayment"), 1);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| first.pay("order", &good).unwrap());
        while shop.sandbox.requests("newPayment") == 0 {
            std::thread::yield_now();
        }
        let error = journal.pay("order", &request("11", "79001234567")).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
        let waits = scope.spawn(|| waiting.pay("order", &good).unwrap());
        waiting.interrupt();
        assert_eq!(waits.join().unwrap().standing(), Standing::Sending);
        // If the waiting `pay` is not interrupted, it returns the result of the first call.
        let waits = scope.spawn(|| journal.pay("order", &good).unwrap());
        first.interrupt();
        assert_eq!(call.join().unwrap().standing(), Standing::Unknown);
        assert_eq!(waits.join().unwrap().standing(), Standing::Unknown);
    });
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn waiting_in_slices_asks_the_service_no_more_often() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "stays-pending")).unwrap();
    for _ in 0..60 {
        journal.wait("order", Duration::from_millis(5), Until::Final).unwrap();
    }
    // The pause depends on the attempt's number of queries and grows: about twenty queries fit into sixty
    // seconds.
    let asked = shop.sandbox.requests("getStatus");
    assert!((1..20).contains(&asked), "{asked}");
}

#[test]
fn another_request_under_the_same_reference_is_refused() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order-3", &request("10", "79001234567")).unwrap();
    for other in [request("11", "79001234567"), request("10", "79001234568")] {
        let error = journal.pay("order-3", &other).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}
