//! Interrupts, deadlines and waits.

use std::time::{Duration, Instant};

use merchantpay::{Code, Error, Outcome};
use merchantpay_journal::{Journal, Standing, Until};
use merchantpay_sandbox::Fault;

use crate::shop::{PATIENCE, Shop, good, request, sql};

#[test]
fn derived_journal_is_interrupted_alone() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay("order", &request("10", "stays-pending")).unwrap();
    let (derived, other) = (journal.derive(), journal.derive());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| derived.wait("order", Until::Final, PATIENCE));
        derived.interrupt();
        assert_eq!(waiting.join().unwrap().unwrap_err().code(), Code::Cancelled);
    });
    for going in [&journal, &other] {
        assert_eq!(going.wait("order", Until::Final, Duration::ZERO).unwrap().order_id, entry.order_id);
    }
    journal.interrupt();
    assert_eq!(other.wait("order", Until::Final, PATIENCE).unwrap_err().code(), Code::Cancelled);
}

#[test]
fn waiting_pay_is_interrupted_and_gets_the_end_of_the_running_call() {
    let shop = Shop::new();
    let journal = Journal::open(&shop.client, shop.config().pay_wait(PATIENCE)).unwrap();
    let (first, waiting) = (journal.derive(), journal.derive());
    shop.sandbox.misbehave(Fault::StallBeforeCommit, Some("newPayment"), 1);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| first.pay("order", &good()).unwrap());
        while shop.sandbox.requests("newPayment") == 0 {
            std::thread::yield_now();
        }
        let error = journal.pay("order", &request("11", "79001234567")).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
        let waits = scope.spawn(|| waiting.pay("order", &good()).unwrap());
        waiting.interrupt();
        assert_eq!(waits.join().unwrap().standing, Standing::Sending);
        let waits = scope.spawn(|| journal.pay("order", &good()).unwrap());
        first.interrupt();
        assert_eq!(
            call.join().unwrap().standing,
            Standing::Unknown,
            "what the interrupted call knows is stored"
        );
        assert_eq!(waits.join().unwrap().standing, Standing::Unknown);
    });
    assert_eq!(shop.sandbox.requests("newPayment"), 1);
}

#[test]
fn error_of_the_hosts_pause_ends_settle_and_wait() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "stays-pending")).unwrap();
    let stop = |_| Err(Error::invalid_argument("a signal"));
    assert_eq!(journal.settle_with(10, stop).unwrap_err().message(), "a signal");
    assert_eq!(journal.wait_with("order", Until::Final, PATIENCE, stop).unwrap_err().message(), "a signal");
}

#[test]
fn short_waits_ask_no_more_often_than_a_long_one() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &request("10", "stays-pending")).unwrap();
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    for _ in 0..30 {
        journal.wait("order", Until::Final, Duration::from_millis(5)).unwrap();
    }
    assert_eq!(shop.sandbox.requests("getStatus"), 1);
}

#[test]
fn wait_returns_credentials_or_the_end() {
    let shop = Shop::new();
    let journal = shop.journal();
    let entry = journal.pay_async("order", &good()).unwrap();
    shop.delivery(entry.order_id.as_deref().unwrap(), "credentials");
    assert!(journal.wait("order", Until::default(), PATIENCE).unwrap().credentials.is_some());
    journal.confirm(&entry).unwrap();
    assert!(journal.wait("order", Until::Final, PATIENCE).unwrap().succeeded);
    assert_eq!(journal.wait("none", Until::Final, PATIENCE).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn short_wait_ends_although_the_service_does_not_answer() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &good()).unwrap();
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    shop.sandbox.misbehave(Fault::StallBeforeCommit, Some("getStatus"), 100);
    let begun = Instant::now();
    let entry = journal.wait("order", Until::Final, Duration::from_millis(300)).unwrap();
    assert_eq!((entry.standing, entry.error.unwrap().code.as_str()), (Standing::Open, "timeout"));
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn settle_stops_after_failures_in_a_row() {
    let shop = Shop::new();
    let journal = shop.journal();
    for number in 0..6 {
        journal.pay(&format!("order-{number}"), &good()).unwrap();
    }
    sql(&shop.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    shop.sandbox.misbehave(Fault::HtmlBadGateway, Some("getStatus"), 100);
    assert_eq!(journal.settle(100).unwrap().done, 3);
}
