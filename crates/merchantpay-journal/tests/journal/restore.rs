//! Pauses, backups and restores.

use std::time::Duration;

use merchantpay::{Code, Outcome, Result};
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Journal, Reason, Resolution, Standing};

use crate::service::{Plan, Service};
use crate::shop::{config, good, request, sql};

fn nap(pause: Duration) -> Result<()> {
    std::thread::sleep(pause);
    Ok(())
}

/// The journal that a backup holds, after its pause.
fn restored(service: &Service, journal: &Journal) -> Journal {
    let backup = service.folder.file("backup.db");
    Operator::of(journal).backup(&backup).unwrap();
    Journal::open(&service.client(), config(&backup).create(false)).unwrap()
}

#[test]
fn paused_journal_sends_nothing_and_gives_no_news() {
    let service = Service::new();
    let journal = service.journal();
    let operator = Operator::of(&journal);
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!(operator.pause(" ", nap).unwrap_err().code(), Code::InvalidArgument);
    operator.pause("moving – Иван", nap).unwrap();
    for failed in [journal.pay("other", &good()).map(drop), journal.news(10).map(drop)] {
        let error = failed.unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.is_transient()),
            (Code::Storage, Outcome::NotSent, true)
        );
        assert!(error.message().contains("moving – Иван"), "{error}");
    }
    assert_eq!(journal.pay("order", &good()).unwrap().order_id, entry.order_id, "what exists is returned");
    journal.cancel(&entry).unwrap();
    assert!(journal.replace("order", 1, &good()).is_err());
    assert_eq!(service.count("new"), 1);
    assert_eq!(journal.stats().unwrap().pause.as_deref(), Some("moving – Иван"));
    operator.resume("done").unwrap();
    assert_eq!(journal.pay("other", &good()).unwrap().standing, Standing::Open);
}

#[test]
fn pause_that_comes_between_look_and_write_stops_the_payment() {
    let service = Service::new();
    let journal = service.journal();
    Operator::of(&journal).pause("a break", nap).unwrap();
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..4)
            .map(|n| {
                scope.spawn({
                    let journal = &journal;
                    move || journal.pay(&format!("order-{n}"), &good()).is_err()
                })
            })
            .collect();
        assert!(calls.into_iter().all(|call| call.join().unwrap()));
    });
    assert_eq!(service.count("new"), 0);
}

#[test]
fn restored_refused_reference_is_not_paid_again_until_it_is_trusted() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Refused);
    journal.pay("order", &good()).unwrap();
    let copy = restored(&service, &journal);
    // After the backup a second attempt was made, which the copy lacks.
    assert_eq!(journal.pay("order", &good()).unwrap().attempt, 2);
    let operator = Operator::of(&copy);
    assert!(copy.pay("order", &good()).is_ok(), "a restored reference is only returned, paused or not");
    operator.resume("decided").unwrap();
    let entry = copy.pay("order", &good()).unwrap();
    assert_eq!((entry.attempt, entry.attention.as_slice()), (1, &[Reason::Unknown][..]));
    assert_eq!(copy.replace("order", 1, &good()).unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(service.count("new"), 2);
    assert_eq!(copy.attention(10).unwrap().len(), 1);
    let trusted = copy.resolve(&entry, &Resolution::Trusted, "support knows of no other").unwrap();
    assert!(trusted.attention.is_empty());
    assert_eq!(copy.pay("order", &good()).unwrap().attempt, 2);
}

#[test]
fn restored_unknown_whose_customer_paid_less_can_be_resolved() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Slow(Duration::from_millis(600)));
    let copy = std::thread::scope(|scope| {
        let paying = scope.spawn(|| journal.pay("order", &request("1000", "79001234567")).unwrap());
        while service.count("new") == 0 {
            std::thread::yield_now();
        }
        let copy = restored(&service, &journal);
        assert!(paying.join().unwrap().credentials.is_some(), "the customer sees them");
        copy
    });
    service.state().orders[0].sum = "900".to_owned();
    service.set(0, "doneSuccess");
    sql(&service.folder.file("backup.db"), "UPDATE merchantpay_attempts SET call_until = 1");
    let received = service.send_status(&copy, 0);
    let entry = received.entry.unwrap();
    assert_eq!(
        (received.http_status, entry.standing, entry.order_id.as_deref()),
        (200, Standing::Unknown, None)
    );
    copy.settle(10).unwrap();
    let order = Resolution::Order("o-1".to_owned(), Some("900".parse().unwrap()));
    let paid = copy.resolve(&entry, &order, "support named it").unwrap();
    assert_eq!((paid.standing, paid.succeeded), (Standing::Final, false));
    Operator::of(&copy).resume("decided").unwrap();
    let again = copy.pay("order", &request("1000", "79001234567")).unwrap();
    assert_eq!((again.attempt, again.credentials), (1, None));
    assert_eq!(service.count("new"), 1);
}

#[test]
fn restored_database_is_marked_and_paused_at_once() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    let operator = Operator::of(&journal);
    operator.restored().unwrap();
    assert!(journal.pay("new", &good()).unwrap_err().message().contains("paused"));
    service.set(0, "doneSuccess");
    sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1");
    journal.settle(10).unwrap();
    assert!(journal.find("order").unwrap().unwrap().succeeded, "settle updates what has an order");
}
