//! Purge and forget.

use merchantpay::Code;
use merchantpay_journal::operator::Operator;
use merchantpay_journal::{Attention, IntentState, Reason, Resolution, Standing};

use crate::service::{Service, webhook};
use crate::shop::{acknowledge_all, good, select, sql};

fn named(service: &Service) -> usize {
    let texts = "SELECT COUNT(*) FROM (SELECT details AS t FROM merchantpay_attempts UNION ALL SELECT body FROM merchantpay_messages) \
                 WHERE t LIKE '%Ivan%'";
    select(&service.file(), texts).remove(0).unwrap().parse().unwrap()
}

#[test]
fn purge_empties_what_is_finished_and_keeps_what_forbids_a_second_payment() {
    let service = Service::new();
    let journal = service.journal();
    let operator = Operator::of(&journal);
    for reference in ["paid", "open", "unread"] {
        journal.pay(reference, &good()).unwrap();
    }
    for place in [0, 2] {
        service.set(place, "doneSuccess");
        service.send_status(&journal, place);
    }
    for entry in journal.news(10).unwrap().iter().filter(|entry| entry.reference != "unread") {
        journal.acknowledge(entry).unwrap();
    }
    assert_eq!(named(&service), 5, "three attempts and two messages");
    assert_eq!(operator.purge(0).unwrap(), 0);
    assert_eq!((operator.purge(i64::MAX).unwrap(), operator.purge(i64::MAX).unwrap()), (1, 0));
    assert_eq!(named(&service), 3);
    let paid = journal.pay("paid", &crate::shop::request("99", "79007654321")).unwrap();
    assert_eq!(
        (paid.attempt, paid.standing, paid.succeeded),
        (1, Standing::Final, true),
        "whatever the request is"
    );
    assert_eq!(operator.purge(-1).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn success_after_a_purge_is_still_news() {
    let service = Service::new();
    let journal = service.journal();
    journal.pay("order", &good()).unwrap();
    service.set(0, "doneFail");
    service.send_status(&journal, 0);
    acknowledge_all(&journal);
    let operator = Operator::of(&journal);
    assert_eq!(operator.purge(i64::MAX).unwrap(), 0, "a failure is watched for 30 days");
    assert_eq!(operator.forget("order").unwrap(), 1);
    assert_eq!(operator.forget("order").unwrap(), 0);
    service.set(0, "doneSuccess");
    // At another URL it has no attempt, but its order has one.
    service.send(&journal, "unknown", webhook(&service.order(0)));
    service.send_status(&journal, 0);
    let news = acknowledge_all(&journal);
    assert_eq!((news.len(), news[0].succeeded), (1, true));
    assert_eq!(named(&service), 0);
}

#[test]
fn each_order_at_the_url_of_a_purged_attempt_is_kept_without_names() {
    let service = Service::new();
    let journal = service.journal();
    let stranger = service.journal_in("stranger.db");
    journal.pay("order", &good()).unwrap();
    for reference in ["seen", "second", "third"] {
        stranger.pay(reference, &good()).unwrap();
    }
    let leaked = service.order(0).token;
    service.set(0, "doneSuccess");
    service.send_status(&journal, 0);
    for place in 1..4 {
        service.set(place, "doneSuccess");
    }
    let send = |place| service.send(&journal, &leaked, webhook(&service.order(place))).http_status;
    assert_eq!(send(1), 409);
    let status = Some("doneSuccess");
    journal.resolve_orphan("o-2", status, "refunded").unwrap();
    journal.resolve(("order", 1), &Resolution::Seen(vec![Reason::OrderUnproven]), "seen").unwrap();
    acknowledge_all(&journal);
    assert_eq!(Operator::of(&journal).purge(i64::MAX).unwrap(), 1);
    for place in [1, 2, 2, 3] {
        assert_eq!(send(place), 409);
    }
    let orphans: Vec<_> = journal.attention(10).unwrap().into_iter().filter_map(orphan).collect();
    let of = |id: &str| (id.to_owned(), status.map(str::to_owned));
    assert_eq!(orphans, [of("o-3"), of("o-4")], "the same message is not news");
    assert_eq!(named(&service), 0);
}

fn orphan(item: Attention) -> Option<(String, Option<String>)> {
    match item {
        Attention::Orphan(orphan) => Some((orphan.order_id, orphan.status)),
        _ => None,
    }
}

#[test]
fn forget_refuses_what_is_still_needed_and_keeps_cancelling() {
    let service = Service::new();
    let journal = service.journal();
    let operator = Operator::of(&journal);
    let entry = journal.pay("order", &good()).unwrap();
    assert_eq!(operator.forget("order").unwrap_err().code(), Code::InvalidArgument, "it is open");
    assert_eq!(operator.forget("other").unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(journal.cancel(&entry).unwrap().intent_state, Some(IntentState::Accepted));
    service.set(0, "pending");
    journal.replace("order", 1, &good()).unwrap();
    service.set(1, "doneSuccess");
    service.send_status(&journal, 1);
    acknowledge_all(&journal);
    // The replaced one is still asked about: forgetting must not stop that.
    assert_eq!(operator.forget("order").unwrap_err().code(), Code::InvalidArgument);
    service.set(0, "doneFail");
    sql(&service.file(), "UPDATE merchantpay_attempts SET due_at = 1 WHERE attempt = 1");
    journal.settle(10).unwrap();
    acknowledge_all(&journal);
    assert_eq!(operator.forget("order").unwrap(), 2);
    assert_eq!(named(&service), 0);
}
