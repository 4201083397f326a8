//! A clock that was set back only delays.

use std::time::{Duration, Instant};

use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Reason, Resolution, Standing};

use crate::service::{Plan, Service};
use crate::shop::{Shop, good, request, sql};

const SEVEN_HOURS: i64 = 7 * 3_600_000;

#[test]
fn crashed_call_is_unknown_although_its_end_lies_hours_ahead() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Dead);
    journal.pay("order", &good()).unwrap();
    // As if the process had died during the call, and the clock were set back since.
    sql(&service.file(), &format!("UPDATE merchantpay_attempts SET call_until = call_until + {SEVEN_HOURS}"));
    let entry = journal.find("order").unwrap().unwrap();
    assert_eq!(entry.standing, Standing::Unknown);
    assert_eq!(entry.attention, [Reason::Unknown]);
    assert_eq!(journal.attention(10).unwrap().len(), 1);
    assert_eq!(journal.list(None, 10, None).unwrap()[0].standing, Standing::Unknown);
    let begun = Instant::now();
    let pause = |pause: Duration| {
        std::thread::sleep(pause);
        Ok(())
    };
    let operator = Operator::of(&journal);
    operator.pause("a break", pause).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "nothing runs");
    operator.resume("on").unwrap();
    journal.resolve(&entry, &Resolution::NoPayment, "support says so").unwrap();
    assert_eq!(journal.pay("order", &good()).unwrap().attempt, 2);
}

#[test]
fn call_of_a_process_with_a_longer_timeout_runs() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Dead);
    journal.pay("order", &good()).unwrap();
    let running = "UPDATE merchantpay_attempts SET call_until = call_until + 120000";
    sql(&service.file(), running);
    let entry = journal.find("order").unwrap().unwrap();
    assert_eq!((entry.standing, entry.attention.len()), (Standing::Sending, 0));
    assert_eq!(journal.replace("order", 1, &good()).unwrap().attempt, 1);
    assert!(journal.attention(10).unwrap().is_empty());
}

#[test]
fn pause_waits_for_a_running_call() {
    let service = Service::new();
    let journal = service.journal();
    service.plan(Plan::Slow(Duration::from_millis(800)));
    std::thread::scope(|scope| {
        let paying = scope.spawn(|| journal.pay("order", &good()).unwrap());
        while service.count("new") == 0 {
            std::thread::yield_now();
        }
        let pause = |pause: Duration| {
            std::thread::sleep(pause);
            Ok(())
        };
        Operator::of(&journal).pause("a break", pause).unwrap();
        assert!(paying.is_finished() || journal.find("order").unwrap().unwrap().standing == Standing::Open);
        assert!(paying.join().unwrap().credentials.is_some());
    });
}

#[test]
fn refused_reference_is_paid_again_although_the_refusals_lie_ahead() {
    let shop = Shop::new();
    let journal = shop.journal();
    for _ in 0..3 {
        journal.pay("order", &request("10", "no-credentials")).unwrap();
    }
    sql(&shop.file(), &format!("UPDATE merchantpay_attempts SET updated_at = updated_at + {SEVEN_HOURS}"));
    assert_eq!(journal.pay("order", &good()).unwrap().attempt, 4);
}

#[test]
fn due_times_and_leases_ahead_count_as_passed() {
    let shop = Shop::new();
    let journal = shop.journal();
    journal.pay("order", &good()).unwrap();
    journal.news(10).unwrap();
    sql(
        &shop.file(),
        &format!(
            "UPDATE merchantpay_attempts SET due_at = due_at + {SEVEN_HOURS}, news_due = news_due + {SEVEN_HOURS}"
        ),
    );
    assert_eq!(journal.news(10).unwrap().len(), 1);
    assert_eq!(journal.settle(10).unwrap().done, 1);
}
