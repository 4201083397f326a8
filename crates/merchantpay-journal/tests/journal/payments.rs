//! A payment from its reference to its end.

use merchantpay::{Code, Outcome};
use merchantpay_journal::{Entry, IntentState, Journal, Standing, Until};
use merchantpay_sandbox::Fault;
use std::time::Duration;

use crate::service::{Plan, Service};
use crate::shop::{PATIENCE, Shop, give, good, request, select, sql};

#[test]
fn payment_is_taken_once_and_is_news_until_acknowledged() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order-1", &request("1500.50", "79001234567")).unwrap();
    assert_eq!((entry.standing, entry.attempt, entry.credentials.is_some()), (Standing::Open, 1, true));
    assert_eq!((entry.sum_paid, entry.acknowledged), (None, false));
    let again = journal.pay("order-1", &request("1500.5", "79001234567")).unwrap();
    assert_eq!((&again.order_id, &again.credentials), (&entry.order_id, &entry.credentials));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);

    let news = journal.news(10).unwrap();
    assert_eq!(news.len(), 1);
    assert!(journal.news(10).unwrap().is_empty(), "it is leased");
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert!(!journal.acknowledge(&news[0]).unwrap(), "once");

    let confirmed = journal.confirm(&entry).unwrap();
    assert_eq!(confirmed.intent_state, Some(IntentState::Accepted));
    let received = give(&journal, &shop.delivery(entry.order_id.as_deref().unwrap(), "status"));
    assert_eq!((received.http_status, received.entry.unwrap().succeeded), (200, true));
    let news = journal.news(10).unwrap();
    assert_eq!((news.len(), news[0].succeeded, news[0].sum_paid), (1, true, Some(entry.sum_asked)));
    assert!(journal.acknowledge(&news[0]).unwrap());
    let found = journal.find("order-1").unwrap().unwrap();
    assert_eq!((found.standing, found.credentials, found.acknowledged), (Standing::Final, None, true));
    assert!(journal.news(10).unwrap().is_empty() && journal.attention(10).unwrap().is_empty());
    assert_eq!(journal.pay("order-1", &request("1500.5", "79001234567")).unwrap().standing, Standing::Final);
}

#[test]
fn lost_reply_is_unknown_until_its_webhook_makes_the_journal_ask() {
    let shop = Shop::new();
    let journal = shop.journal();
    shop.sandbox.misbehave(Fault::DropAfterCommit, Some("newPaymentAsync"), 1);
    let entry = journal.pay_async("order", &good()).unwrap();
    assert_eq!((entry.standing, &entry.order_id), (Standing::Unknown, &None));
    let error = entry.error.unwrap();
    assert_eq!((error.code.as_str(), error.outcome.as_str()), ("transport", "unknown"));
    assert_eq!(journal.pay_async("order", &good()).unwrap().standing, Standing::Unknown);
    assert_eq!(shop.sandbox.requests("newPaymentAsync"), 1);

    let received = give(&journal, &shop.first_delivery());
    let healed = received.entry.unwrap();
    assert_eq!((received.http_status, healed.standing), (200, Standing::Open));
    assert!(healed.credentials.is_some() && healed.order_id.is_some());
    journal.confirm(&healed).unwrap();
    assert!(journal.wait("order", Until::Final, PATIENCE).unwrap().succeeded);
}

#[test]
fn concurrent_calls_make_one_request() {
    let shop = Shop::new();
    let journal = Journal::open(&shop.client, shop.config().pay_wait(PATIENCE)).unwrap();
    shop.sandbox.misbehave(Fault::latency(Duration::from_millis(300)), Some("newPayment"), 1);
    let entries: Vec<Entry> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| journal.pay("order", &good()).unwrap())).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(entries.iter().all(|entry| entry.credentials.is_some() && entry.order_id == entries[0].order_id));
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn other_request_under_a_reference_is_refused() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &good()).unwrap();
    for other in [request("11", "79001234567"), request("10", "79001234568")] {
        let error = journal.pay("order", &other).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
    }
    assert_eq!(
        journal.pay_async("order", &good()).unwrap().attempt,
        1,
        "the operation is no part of the request"
    );
}

#[test]
fn refused_payment_is_tried_again_by_pay_alone_and_backs_off() {
    let shop = Shop::new();
    let journal = shop.journal();
    let bad = request("10", "no-credentials");
    for attempt in 1..=3 {
        let entry = journal.pay("order", &bad).unwrap();
        assert_eq!((entry.standing, entry.attempt, entry.news), (Standing::Refused, attempt, 0));
        assert_eq!(entry.error.unwrap().description.as_deref(), Some("credentials not found"));
    }
    for _ in 0..5 {
        assert_eq!(journal.pay("order", &good()).unwrap().attempt, 3);
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 3);
    // A person may go on at once.
    assert_eq!(journal.replace("order", 3, &bad).unwrap().attempt, 4);
    sql(&shop.file(), "UPDATE merchantpay_attempts SET updated_at = 0");
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!((entry.attempt, entry.standing), (5, Standing::Open));
}

#[test]
fn row_whose_request_was_not_sent_is_used_again_with_another_token() {
    let shop = Shop::new();
    let url = shop.sandbox.url().to_owned();
    let key = shop.sandbox.merchant_private_key().unwrap().clone();
    let nobody = merchantpay::Config::new(
        "http://127.0.0.1:9",
        shop.sandbox.merchant_key_id(),
        key,
        shop.sandbox.server_public_key(),
    );
    let journal = Journal::open(&merchantpay::Client::new(nobody).unwrap(), shop.config()).unwrap();
    let unsent = journal.pay("order", &good()).unwrap();
    assert_eq!((unsent.standing, unsent.attempt, unsent.news), (Standing::Refused, 1, 0));
    assert_eq!(unsent.error.unwrap().outcome, "not_sent");
    let token = || select(&shop.file(), "SELECT token FROM merchantpay_attempts").remove(0);
    let first = token();
    merchantpay_journal::operator::Operator::of(&journal).allow_url(&url).unwrap();
    let entry = shop.journal().pay("order", &request("20", "79001234567")).unwrap();
    assert_eq!((entry.attempt, entry.standing, entry.error), (1, Standing::Open, None));
    assert_ne!(first, token());
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn malformed_reply_is_a_hint_and_blocks_nothing() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Malformed);
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!((entry.standing, entry.order_id.as_deref()), (Standing::Open, Some("o-1")));
    assert!(entry.credentials.is_some(), "getStatus has them, and this call has made the order");
    let begun = std::time::Instant::now();
    let pause = |pause| {
        std::thread::sleep(pause);
        Ok(())
    };
    merchantpay_journal::operator::Operator::of(&journal).pause("a break", pause).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "the call has ended");
}

#[test]
fn async_payment_gets_credentials_by_webhook_or_ends_without() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay_async("order", &good()).unwrap();
    assert_eq!((entry.standing, entry.credentials.is_some()), (Standing::Open, false));
    let credentials = shop.delivery(entry.order_id.as_deref().unwrap(), "credentials");
    let shown = give(&journal, &credentials).entry.unwrap();
    assert!(shown.credentials.is_some() && !shown.acknowledged);

    let entry = journal.pay_async("none", &request("10", "no-credentials")).unwrap();
    let failed = shop.delivery(entry.order_id.as_deref().unwrap(), "credentials_failed");
    let refused = give(&journal, &failed).entry.unwrap();
    assert_eq!(
        (refused.standing, refused.credentials, refused.acknowledged),
        (Standing::Refused, None, false)
    );
    assert_eq!(journal.pay_async("none", &good()).unwrap().attempt, 2);
}

#[test]
fn settle_finds_the_end_without_a_webhook() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!(journal.settle(10).unwrap().done, 0, "not due yet");
    shop.client.confirm(entry.order_id.as_deref().unwrap()).unwrap();
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    assert_eq!(journal.stats().unwrap().due, 1);
    let settled = journal.settle(10).unwrap();
    assert_eq!((settled.done, settled.next_due), (1, None));
    assert!(journal.find("order").unwrap().unwrap().succeeded);
}

#[test]
fn instruction_without_an_answer_is_sent_again_after_asking() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &good()).unwrap();
    shop.sandbox.misbehave(Fault::DropBeforeCommit, Some("confirm"), 1);
    let confirmed = journal.confirm(&entry).unwrap();
    assert_eq!(
        (confirmed.intent_state, confirmed.error.unwrap().outcome.as_str()),
        (Some(IntentState::Stored), "unknown")
    );
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    assert_eq!(journal.settle(10).unwrap().done, 1);
    let confirmed = journal.find("order").unwrap().unwrap();
    assert_eq!(confirmed.intent_state, Some(IntentState::Accepted));
    assert_eq!((shop.sandbox.requests("confirm"), shop.sandbox.requests("getStatus")), (2, 1));
}

#[test]
fn credentials_of_a_reply_are_returned_only_if_the_row_is_still_the_calls_own() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Slow(Duration::from_millis(600)));
    let entry = std::thread::scope(|scope| {
        let paying = scope.spawn(|| journal.pay("order", &good()).unwrap());
        while service.count("new") == 0 {
            std::thread::yield_now();
        }
        let refuse =
            "UPDATE merchantpay_attempts SET state = 'refused', call_until = NULL, stamp = 'another'";
        sql(&service.file(), refuse);
        paying.join().unwrap()
    });
    assert_eq!((entry.standing, entry.order_id.as_deref()), (Standing::Refused, Some("o-1")));
    assert_eq!(entry.credentials, None, "nobody may pay a refused attempt");
    let details = select(&service.file(), "SELECT details FROM merchantpay_attempts");
    assert_eq!(details, [None], "they are not even stored");
}

#[test]
fn reply_with_another_attempts_order_is_left_to_a_person() {
    let service = Service::new();
    let journal = service.journal();
    let first = journal.pay("first", &good()).unwrap();
    service.plan(Plan::First);
    let entry = journal.pay("second", &good()).unwrap();
    assert_eq!((entry.standing, &entry.order_id, &entry.credentials), (Standing::Unknown, &None, &None));
    assert_eq!(entry.attention, [merchantpay_journal::Reason::OrderUnproven]);
    assert!(journal.find("first").unwrap().unwrap().credentials == first.credentials);
    let kept = select(&service.file(), "SELECT order_id FROM merchantpay_messages WHERE kind = 'reply'");
    assert_eq!(kept, [first.order_id]);
}
