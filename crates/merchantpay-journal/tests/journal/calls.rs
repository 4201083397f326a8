//! Calls beside each other, and calls that wait, are interrupted, or get a reply that the sandbox never gives.

use std::time::{Duration, Instant};

use merchantpay::{Code, Error, Outcome};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, Entry, Journal, Reason, Standing, Until};

use crate::service::{Health, PATIENCE, Plan, Service, good, nap, request};

fn patient(service: &Service) -> Journal {
    Journal::open(&service.client(), service.config().pay_wait(PATIENCE)).unwrap()
}

#[test]
fn concurrent_calls_make_one_request() {
    let service = Service::new();
    let journal = patient(&service);
    service.plan(Plan::Slow(Duration::from_millis(300)));
    let entries: Vec<Entry> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..16).map(|_| scope.spawn(|| journal.pay("order", &good()).unwrap())).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(entries.iter().all(|entry| entry.credentials.is_some() && entry.order_id == entries[0].order_id));
    assert_eq!(service.count("new"), 1);
}

#[test]
fn one_of_two_accounts_gets_a_new_journal() {
    for _ in 0..8 {
        let service = Service::new();
        drop(service.journal());
        service.sql("DELETE FROM merchantpay_settings WHERE name <> 'layout'");
        let opened = std::thread::scope(|scope| {
            let service = &service;
            let open = |key_id: &'static str| {
                scope.spawn(move || {
                    Journal::open(&service.client_of(service.url(), key_id), service.config()).is_ok()
                })
            };
            ["A", "B"].map(open).map(|opened| opened.join().unwrap())
        });
        assert_eq!(opened.iter().filter(|is| **is).count(), 1);
    }
}

#[test]
fn pause_waits_for_a_running_call() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Slow(Duration::from_millis(800)));
    std::thread::scope(|scope| {
        let paying = scope.spawn(|| journal.pay("order", &good()).unwrap());
        service.wait_for_new();
        Operator::of(&journal).pause("a break", nap).unwrap();
        assert!(paying.is_finished() || journal.find("order").unwrap().unwrap().standing == Standing::Open);
        assert!(paying.join().unwrap().credentials.is_some());
    });
    assert!(journal.pay("other", &good()).unwrap_err().message().contains("a break"));
}

#[test]
fn waiting_pay_ends_by_interrupt_or_with_the_running_call() {
    let service = Service::new();
    let journal = patient(&service);
    let (first, waiting) = (journal.derive(), journal.derive());
    service.plan(Plan::Slow(PATIENCE));
    std::thread::scope(|scope| {
        let call = scope.spawn(|| first.pay("order", &good()).unwrap());
        service.wait_for_new();
        let error = journal.pay("order", &request("11")).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::InvalidArgument, Outcome::NotSent));
        let waits = scope.spawn(|| waiting.pay("order", &good()).unwrap());
        waiting.interrupt();
        assert_eq!(waits.join().unwrap().standing, Standing::Sending);
        let waits = scope.spawn(|| journal.pay("order", &good()).unwrap());
        first.interrupt();
        assert_eq!(call.join().unwrap().standing, Standing::Unknown, "what the call knows is stored");
        assert_eq!(waits.join().unwrap().standing, Standing::Unknown);
    });
    assert_eq!(service.count("new"), 1);
}

#[test]
fn derived_journal_is_interrupted_alone() {
    let service = Service::new();
    let journal = service.journal();
    let entry = journal.pay("order", &good()).unwrap();
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
fn error_of_the_hosts_pause_ends_settle_and_wait() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    let stop = |_| Err(Error::invalid_argument("a signal"));
    assert_eq!(journal.settle_with(10, stop).unwrap_err().message(), "a signal");
    assert_eq!(journal.wait_with("order", Until::Final, PATIENCE, stop).unwrap_err().message(), "a signal");
}

#[test]
fn short_waits_ask_no_more_often_than_a_long_one() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.let_time_pass();
    for _ in 0..30 {
        journal.wait("order", Until::Final, Duration::from_millis(5)).unwrap();
    }
    assert_eq!(service.count("status"), 1);
}

#[test]
fn short_wait_ends_before_a_silent_service() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.let_time_pass();
    service.state().health = Health::Silent;
    let begun = Instant::now();
    let entry = journal.wait("order", Until::Final, Duration::from_millis(300)).unwrap();
    assert_eq!((entry.standing, entry.error.unwrap().code.as_str()), (Standing::Open, "timeout"));
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn settle_stops_after_failures_in_a_row() {
    let service = Service::new();
    let journal = service.journal();
    for number in 0..6 {
        journal.pay(&format!("order-{number}"), &good()).unwrap();
    }
    service.let_time_pass();
    service.state().health = Health::BadGateway;
    assert_eq!(journal.settle(100).unwrap().done, 3);
}

#[test]
fn unsent_row_is_used_again_with_another_token() {
    let service = Service::new();
    let nobody = service.client_of("http://127.0.0.1:9", "shop");
    let journal = Journal::open(&nobody, service.config()).unwrap();
    let unsent = journal.pay("order", &good()).unwrap();
    assert_eq!((unsent.standing, unsent.attempt, unsent.news), (Standing::Refused, 1, 0));
    assert_eq!(unsent.error.unwrap().outcome, "not_sent");
    let token = || service.sql("SELECT token FROM merchantpay_attempts");
    let first = token();
    Operator::of(&journal).allow_url(service.url()).unwrap();
    let entry = service.journal().pay("order", &request("20")).unwrap();
    assert_eq!((entry.attempt, entry.standing, entry.error), (1, Standing::Open, None));
    assert_ne!(first, token());
    assert_eq!(service.count("new"), 1);
}

#[test]
fn malformed_reply_is_a_hint_and_ends_its_call() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Malformed);
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!((entry.standing, entry.order_id.as_deref()), (Standing::Open, Some("o-1")));
    assert!(entry.credentials.is_some(), "getStatus has them, and this call has made the order");
    let begun = Instant::now();
    Operator::of(&journal).pause("a break", nap).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "the call has ended");
}

#[test]
fn credentials_are_returned_only_if_the_row_is_the_calls_own() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Slow(Duration::from_millis(600)));
    let entry = std::thread::scope(|scope| {
        let paying = scope.spawn(|| journal.pay("order", &good()).unwrap());
        service.wait_for_new();
        service
            .sql("UPDATE merchantpay_attempts SET state = 'refused', call_until = NULL, stamp = 'another'");
        paying.join().unwrap()
    });
    assert_eq!((entry.standing, entry.order_id.as_deref()), (Standing::Refused, Some("o-1")));
    assert_eq!(entry.credentials, None, "nobody may pay a refused attempt");
    assert_eq!(service.sql("SELECT details FROM merchantpay_attempts"), "", "nor are they stored");
}

#[test]
fn reply_with_another_attempts_order_is_left_to_a_person() {
    let service = Service::new();
    let journal = service.journal();
    let first = journal.pay("first", &good()).unwrap();
    service.plan(Plan::First);
    let entry = journal.pay("second", &good()).unwrap();
    assert_eq!((entry.standing, &entry.order_id, &entry.credentials), (Standing::Unknown, &None, &None));
    assert_eq!(entry.attention, [Reason::OrderUnproven]);
    assert_eq!(journal.find("first").unwrap().unwrap().credentials, first.credentials);
    let kept = service.sql("SELECT order_id FROM merchantpay_messages WHERE kind = 'reply'");
    assert_eq!(kept, first.order_id.unwrap());
}

#[test]
fn call_that_ends_far_ahead_is_unknown() {
    const SEVEN_HOURS: i64 = 7 * 3_600_000;
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Dead);
    journal.pay("order", &good()).unwrap();
    let ends_later = |by: i64| {
        service.sql(&format!("UPDATE merchantpay_attempts SET call_until = call_until + {by}"));
        journal.find("order").unwrap().unwrap()
    };
    // The call of a process with a longer deadline.
    assert_eq!(ends_later(120_000).standing, Standing::Sending);
    assert!(journal.attention(10).unwrap().is_empty());
    // As if the process had died during the call, and the clock were set back since.
    let entry = ends_later(SEVEN_HOURS);
    assert_eq!((entry.standing, entry.attention), (Standing::Unknown, vec![Reason::Unknown]));
    assert_eq!(journal.attention(10).unwrap().len(), 1);
    let begun = Instant::now();
    Operator::of(&journal).pause("a break", nap).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "nothing runs");
}

#[test]
fn purged_attempt_takes_no_names_again() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.set(0, "doneSuccess");
    service.send_status(&journal, 0);
    let news = journal.news(10).unwrap();
    assert!(journal.acknowledge(&news[0]).unwrap());
    assert_eq!(Operator::of(&journal).purge(i64::MAX).unwrap(), 1);
    service.set(0, "doneFail");
    assert_eq!(service.send_status(&journal, 0).http_status, 200);
    // At a URL of no attempt its order is known all the same.
    service.state().orders[0].token = "0".repeat(32);
    assert_eq!(service.send_status(&journal, 0).http_status, 404);
    let texts = "SELECT COALESCE(details, '') FROM merchantpay_attempts UNION ALL SELECT body FROM merchantpay_messages";
    let texts = service.sql(texts);
    assert!(texts.lines().count() > 3 && !texts.contains("Ivan"), "{texts}");
    assert_eq!(journal.news(10).unwrap().len(), 1, "a changed status is news");
}

#[test]
fn unreadable_attempt_holds_up_only_its_reference() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Dead);
    journal.pay("damaged", &good()).unwrap();
    assert!(journal.replace("damaged", 1, &good()).unwrap().credentials.is_some());
    journal.pay("healthy", &good()).unwrap();
    service.let_time_pass();
    service.sql("UPDATE merchantpay_attempts SET attention = 32");
    // Nothing lists this row by itself, except that a message about a stranger's order came to its URL.
    service.sql(
        "UPDATE merchantpay_attempts SET state = 'haggling', attention = 0, news = 0, due_at = NULL \
         WHERE reference = 'damaged' AND attempt = 1",
    );
    service.sql(
        "INSERT INTO merchantpay_messages (token, digest, order_id, kind, body, received_at, seen) \
         SELECT token, 'd', 'strange', 'status', '{}', 1, 0 FROM merchantpay_attempts WHERE state = 'haggling'",
    );
    let shown = |entries: Vec<Entry>| {
        let mut shown: Vec<_> =
            entries.into_iter().map(|entry| (entry.reference, entry.credentials.is_some())).collect();
        shown.sort();
        shown
    };
    let expected = [("damaged".to_owned(), false), ("healthy".to_owned(), true)];
    assert_eq!(shown(journal.list(None, 10, None).unwrap()), expected);
    assert_eq!(shown(journal.news(10).unwrap()), expected);
    let (mut entries, mut named) = (Vec::new(), Vec::new());
    for item in journal.attention(10).unwrap() {
        match item {
            Attention::Entry { entry, .. } => entries.push(*entry),
            Attention::Orphan(orphan) => named.push((orphan.reference, orphan.attempt, "orphan")),
            Attention::Unreadable { reference, attempt, column } => {
                named.push((Some(reference), Some(attempt), column));
            }
            _ => {}
        }
    }
    assert_eq!(shown(entries), expected);
    assert_eq!(named, ["orphan", "state"].map(|what| (Some("damaged".to_owned()), Some(1), what)));
    assert_eq!(journal.stats().unwrap().attention, 4);

    assert_eq!((journal.settle(10).unwrap().done, service.count("status")), (1, 1));
    let error = journal.pay("damaged", &good()).unwrap_err();
    assert!(error.message().contains("attempt 1 of damaged cannot be read"), "{error}");
}
