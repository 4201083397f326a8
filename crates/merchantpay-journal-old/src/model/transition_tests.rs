//! Tests of cases that depend on exact sums and on texts. The model in `tests/model` has only a few sums, and
//! no texts.

use std::sync::Arc;

use merchantpay::{Amount, Paid};

use crate::model::driver::{Answer, RandomTexts, Run, Step, Task};
use crate::model::event::{CallEnd, Event, Report};
use crate::model::record::{Intent, NewerReasons, Problem, Reasons, Record};
use crate::model::request::Asked;
use crate::model::standing::{IntentState, Level, Reason, Standing};
use crate::model::transition::{Decision, apply, decide};

pub(super) fn problem() -> Problem {
    Problem { code: "rejected".to_owned(), outcome: "rejected".to_owned(), description: None }
}

/// The request for a payment of 10.
pub(super) fn asked() -> Asked {
    let text = |text: &str| text.to_owned();
    Asked {
        reference: text("r"),
        account: text("a"),
        asynchronous: false,
        sum: 10.into(),
        payment_method: text("sbp"),
        fields: text("{}"),
        lease: 40_000,
    }
}

pub(super) fn texts() -> RandomTexts {
    RandomTexts { token: "t".to_owned(), writer: "w".to_owned() }
}

/// The row of a payment of 10 while its call is running.
pub(super) fn sending() -> Record {
    let mut run = Run::new(Task::Pay(Box::new(asked()), None));
    run.answer(Answer::Loaded(None, false), 0, &texts());
    match run.step() {
        Step::Insert(record) => Arc::unwrap_or_clone(record),
        step => panic!("{step:?}"),
    }
}

pub(super) fn report(status: Option<&str>, sum: &str) -> Report {
    let payment = [("payeeName", "\"Иван\""), ("payeeAccount", "\"1\""), ("sum", sum)];
    Report {
        order_id: "o-1".to_owned(),
        status: status.map(str::to_owned),
        sum: Some(sum.parse::<Amount>().unwrap()),
        currency: None,
        has_credentials: true,
        fields: payment.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

pub(super) fn after(record: &Record, event: Event, now: i64) -> Record {
    apply(record, &event, now).record
}

pub(super) fn open() -> Record {
    after(&sending(), Event::Created(report(None, "10")), 0)
}

#[test]
fn credentials_for_another_sum_or_currency_are_not_shown_and_are_for_a_person() {
    let shows = |record: &Record| record.shows_credentials();
    for sum in ["10", "10.00"] {
        assert!(shows(&after(&sending(), Event::Created(report(None, sum)), 0)), "{sum}");
    }
    let other_currency = Report { currency: Some("USD".to_owned()), ..report(None, "10") };
    for report in [report(None, "10.01"), report(None, "9"), other_currency] {
        let record = after(&sending(), Event::Created(report), 0);
        assert_eq!((shows(&record), &record.attention[..]), (false, &[Reason::CredentialsDiffer][..]));
    }
}

#[test]
fn a_status_replaces_neither_name_nor_currencies_and_what_is_absent_erases_nothing() {
    let mut reported = report(Some("pending"), "10");
    reported.fields = [("payeeName", "\"Ivan\""), ("payeeAccountBank", "\"B\""), ("deeplink", "null")]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let record = after(&open(), Event::StatusReported(reported), 0);
    let field = |name: &str| record.payment.get(name).map(String::as_str);
    assert_eq!(
        [field("payeeName"), field("payeeAccount"), field("payeeAccountBank"), field("deeplink")],
        [Some("\"Иван\""), Some("\"1\""), Some("\"B\""), None]
    );
}

#[test]
fn what_is_seen_goes_off_the_list_until_something_new_is_found() {
    let end = after(&open(), Event::StatusReported(report(Some("doneSuccess"), "9")), 0);
    assert_eq!((end.attention.as_slice(), end.succeeded()), (&[Reason::PaidDiffers][..], false));
    let seen = after(&end, seen(&[Reason::PaidDiffers]), 0);
    assert!(seen.attention.is_empty());
    let same = after(&seen, Event::WebhookReported(report(Some("doneSuccess"), "9")), 0);
    assert!(same.attention.is_empty());
    let other = after(&same, Event::WebhookReported(report(Some("doneFail"), "9")), 0);
    assert_eq!(
        (other.attention.as_slice(), other.status.as_deref()),
        (&[Reason::FinalContradicted][..], Some("doneSuccess"))
    );
}

/// The attempt after it was purged, as the database returns it.
fn purged(record: &Record) -> Record {
    let mut purged = after(record, Event::Purged, 0);
    assert!(purged.read_json(&purged.clone().to_json()));
    purged
}

#[test]
fn a_webhook_that_contradicts_a_purged_attempt_is_for_an_operator() {
    let paid = || Event::WebhookReported(report(Some("doneSuccess"), "10"));
    let failed = after(&open(), Event::StatusReported(report(Some("doneFail"), "10")), 0);
    assert_eq!(after(&purged(&failed), paid(), 0).attention, [Reason::FinalContradicted]);
    let refused = Record { standing: Standing::Refused, ..failed.clone() };
    assert_eq!(after(&purged(&refused), paid(), 0).attention, [Reason::FoundAfterRefused]);
    let superseded = Record { standing: Standing::Superseded, ..failed };
    assert!(after(&purged(&superseded), paid(), 0).attention.contains(&Reason::SupersededPaid));
}

fn seen(reasons: &[Reason]) -> Event {
    Event::Seen(Reasons { known: reasons.to_vec(), newer: Vec::new() }, "looked at".to_owned())
}

#[test]
fn seen_covers_the_reasons_that_the_operator_was_shown() {
    let shown = after(&open(), Event::StatusReported(report(Some("doneSuccess"), "9")), 0);
    let since = after(&shown, Event::WebhookReported(report(Some("doneFail"), "9")), 0);
    assert_eq!(since.attention, [Reason::FinalContradicted, Reason::PaidDiffers]);
    let left = after(&since, seen(&shown.attention), 0);
    assert_eq!((&left.attention[..], left.notes.len()), (&[Reason::FinalContradicted][..], 1));
    // The operator has already seen these reasons, so they are no longer on the list.
    assert_eq!(after(&left, seen(&shown.attention), 0), left);
}

#[test]
fn a_success_without_a_sum_is_asked_about_and_is_never_paid_exactly() {
    let without_sum =
        || Report { sum: None, fields: Default::default(), ..report(Some("doneSuccess"), "10") };
    for standing in [Standing::Open, Standing::Refused, Standing::Superseded] {
        let record = Record { standing, due_at: None, ..open() };
        let reported = after(&record, Event::WebhookReported(without_sum()), 7);
        assert_eq!(
            (reported.standing, reported.status.as_deref(), reported.due_at),
            (standing, None, Some(7))
        );
        // The reply of `getStatus` has the sum.
        let asked = after(&reported, Event::StatusReported(report(Some("doneSuccess"), "9")), 8);
        assert_eq!(asked.paid(), Some(Paid::Less), "{standing}");
        // The reply of `getStatus` lacks the sum too.
        let lacking = after(&reported, Event::StatusReported(without_sum()), 8);
        assert_eq!((lacking.paid(), lacking.succeeded(), lacking.payment.get("sum")), (None, false, None));
        assert_eq!(lacking.attention.contains(&Reason::SumMissing), standing != Standing::Superseded);
    }
    // Only a webhook named the order. Without a sum nothing connects the order with this attempt.
    let named = after(&sending(), Event::WebhookReported(without_sum()), 0);
    let unproven = apply(&named, &Event::StatusReported(without_sum()), 1);
    assert_eq!(
        (unproven.record.standing, unproven.record.order_id, unproven.is_orphan),
        (Standing::Unknown, None, true)
    );
}

#[test]
fn a_failure_of_an_order_that_a_webhook_named_refuses_only_after_the_call() {
    let failed = || report(Some("doneFail"), "10");
    let status = |record: &Record, report: Report, now| apply(record, &Event::StatusReported(report), now);
    let named = after(&sending(), Event::WebhookReported(failed()), 1);
    assert_eq!((named.standing, named.due_at, named.call_until), (Standing::Open, Some(1), Some(40_000)));
    // While the call may still run, the attempt keeps its order. The query is repeated when the call is over.
    let early = status(&named, failed(), 39_999).record;
    assert_eq!(
        (early.standing, early.due_at, early.order_id.is_some()),
        (Standing::Open, Some(40_000), true)
    );
    let closed = status(&early, failed(), 40_000).record;
    assert_eq!(
        (closed.standing, closed.reported, closed.attention.len()),
        (Standing::Refused, Level::Refused, 0)
    );
    // A stored end of the call has the same effect as the call's deadline.
    let ended = after(&named, Event::NotCreated(CallEnd::Unclear, problem()), 2);
    assert_eq!(status(&ended, failed(), 3).record.standing, Standing::Refused);
    // The call's own response decides in every case.
    let own = Report { order_id: "o-2".to_owned(), ..report(None, "10") };
    assert!(after(&early, Event::Created(own), 5).shows_credentials());
    // In every other case an operator decides.
    for (what, record, report) in [
        ("restored", Record { restored: true, ..ended.clone() }, failed()),
        ("forgotten", Record { forgotten: true, ..ended.clone() }, failed()),
        ("purged", Record { purged: true, ..ended.clone() }, failed()),
        ("another sum", ended.clone(), report(Some("doneFail"), "11")),
        ("no sum", ended.clone(), Report { sum: None, ..failed() }),
        (
            "written by an older version",
            Record { call_ended: false, call_until: None, ..ended.clone() },
            failed(),
        ),
    ] {
        let left = status(&record, report, 50_000);
        assert_eq!((left.record.standing, left.is_orphan), (Standing::Unknown, true), "{what}");
        assert_eq!(left.record.attention, [Reason::Unknown, Reason::OrderUnproven], "{what}");
    }
}

#[test]
fn a_failure_ends_a_restored_attempt_and_only_replace_pays_again() {
    let restored = Record { restored: true, has_credentials: false, payment: Default::default(), ..open() };
    let failed = after(&restored, Event::StatusReported(report(Some("doneFail"), "10")), 0);
    assert_eq!((failed.standing, failed.status.as_deref()), (Standing::Final, Some("doneFail")));
}

#[test]
fn instructions_about_an_order_that_a_webhook_named_are_not_of_the_order_of_the_reply() {
    let fields = [("other".to_owned(), "1".to_owned())].into();
    let pending = Report { has_credentials: false, fields, ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(pending), 0);
    let accepted = Intent { state: Some(IntentState::Accepted), ..Intent::default() };
    for named in [Record { confirm: accepted, ..named.clone() }, Record { cancel: accepted, ..named.clone() }]
    {
        let own = Report { order_id: "o-2".to_owned(), ..report(None, "10") };
        let replied = after(&named, Event::Created(own), 0);
        assert_eq!(
            (replied.order_id.as_deref(), &replied.attention[..]),
            (Some("o-2"), &[Reason::OrderDiffers][..])
        );
        assert_eq!((replied.confirm, replied.cancel), (Intent::default(), Intent::default()));
        assert_eq!((replied.status, replied.payment.get("other")), (None, None));
    }
}

#[test]
fn what_is_final_carries_no_error_of_an_earlier_call() {
    let failed = |record: &Record| after(record, Event::StatusFailed(false, problem()), 0);
    assert!(failed(&open()).error.is_some());
    for end in [Event::StatusReported, Event::WebhookReported] {
        let end = after(&failed(&open()), end(report(Some("doneSuccess"), "10")), 0);
        assert_eq!((end.succeeded(), &end.error), (true, &None));
        // If a call was running during this change and then fails, the failure changes nothing.
        assert_eq!(failed(&end), end);
    }
    assert_eq!(after(&failed(&open()), Event::StatusReported(report(Some("pending"), "10")), 0).error, None);
}

#[test]
fn a_refusal_is_news_only_if_its_own_call_did_not_return_it() {
    let refused = || Event::NotCreated(CallEnd::Refused, problem());
    let failed = Report { has_credentials: false, ..report(Some("doneFail"), "10") };
    for event in [refused(), Event::Created(failed)] {
        assert_eq!(after(&sending(), event.clone(), 39_999).reported, Level::None);
        // After the deadline other callers can have read the attempt as unknown, so the refusal is news.
        assert_eq!(after(&sending(), event, 40_000).reported, Level::Refused);
    }
    let unknown = after(&sending(), Event::NotCreated(CallEnd::Unclear, problem()), 0);
    assert_eq!(
        (unknown.standing, after(&unknown, refused(), 0).reported),
        (Standing::Unknown, Level::Refused)
    );
}

#[test]
fn the_same_message_again_changes_nothing() {
    for event in [
        Event::WebhookReported(report(None, "10")),
        Event::WebhookReported(report(Some("receiptRequired"), "10")),
        Event::WebhookReported(report(Some("doneFail"), "10")),
        Event::StatusReported(report(Some("doneSuccess"), "10")),
        Event::CredentialsFailed(report(None, "10")),
    ] {
        for standing in Standing::ALL {
            let once = after(&Record { standing: *standing, ..open() }, event.clone(), 0);
            let twice = after(&once, event.clone(), 0);
            // Only the due time, and the times and numbers of calls, are allowed to change.
            let tidy = |record: Record| Record {
                tries: 0,
                due_at: None,
                confirm: Default::default(),
                cancel: Default::default(),
                ..record
            };
            assert_eq!(tidy(twice), tidy(once), "{event:?} {standing}");
        }
    }
}

#[test]
fn a_late_message_changes_no_final_status() {
    let pending = || Event::WebhookReported(report(Some("pending"), "10"));
    let done = after(&open(), Event::StatusReported(report(Some("doneSuccess"), "10")), 0);
    assert_eq!(after(&done, pending(), 0), done);
    let failed = after(&open(), Event::StatusReported(report(Some("doneFail"), "10")), 0);
    for standing in [Standing::Final, Standing::Refused, Standing::Superseded] {
        let failed = Record { standing, ..failed.clone() };
        assert_eq!(after(&failed, pending(), 0), failed);
        assert_eq!(after(&failed, Event::StatusFailed(true, problem()), 0), failed);
    }
    let superseded = Record { standing: Standing::Superseded, ..done };
    let contradicted = after(&superseded, Event::WebhookReported(report(Some("doneFail"), "10")), 0);
    assert_eq!(contradicted.status.as_deref(), Some("doneSuccess"));
    assert_eq!(contradicted.attention, [Reason::FinalContradicted]);
}

#[test]
fn a_refused_payment_that_fails_needs_nobody() {
    let refused = Record { standing: Standing::Refused, ..open() };
    let failed = after(&refused, Event::WebhookReported(report(Some("doneFail"), "10")), 0);
    assert_eq!((failed.standing, failed.due_at, &failed.attention[..]), (Standing::Refused, None, &[][..]));
    let paid = after(&refused, Event::WebhookReported(report(Some("doneSuccess"), "10")), 0);
    assert_eq!((paid.standing, &paid.attention[..]), (Standing::Final, &[Reason::FoundAfterRefused][..]));
}

#[test]
fn missing_credentials_refuse_only_an_attempt_that_shows_none() {
    let without =
        |status| Report { has_credentials: false, fields: Default::default(), ..report(status, "10") };
    let failed = |record: &Record| after(record, Event::CredentialsFailed(without(None)), 7);
    let asynchronous = after(&sending(), Event::Created(without(None)), 0);
    assert_eq!(
        (failed(&asynchronous).standing, failed(&asynchronous).reported),
        (Standing::Refused, Level::Refused)
    );
    assert_eq!(failed(&open()).standing, Standing::Open);
    // If only webhooks named the order, its status decides.
    let named = after(&sending(), Event::WebhookReported(without(Some("pending"))), 0);
    assert_eq!((failed(&named).standing, failed(&named).due_at), (Standing::Open, Some(7)));
}

#[test]
fn a_superseded_attempt_is_asked_about_while_somebody_can_pay_it() {
    let due = |record: Record| match decide(Some(&record), Some(1), 7) {
        Decision::Seal(sealed) => sealed.due_at,
        decision => panic!("{decision:?}"),
    };
    let accepted = Intent { state: Some(IntentState::Accepted), ..Intent::default() };
    assert_eq!(due(Record { cancel: accepted, ..open() }), Some(7));
    assert_eq!(due(Record { standing: Standing::Unknown, ..sending() }), None);
    let failed = Record { status: Some("doneFail".to_owned()), ..open() };
    assert_eq!(due(Record { standing: Standing::Refused, ..failed }), None);
}

#[test]
fn an_attempt_with_nothing_to_ask_is_due_no_more() {
    let failed = Record { status: Some("doneFail".to_owned()), ..open() };
    for record in [
        Record { standing: Standing::Refused, ..sending() },
        Record { standing: Standing::Superseded, ..failed },
    ] {
        let change = apply(&Record { due_at: Some(0), ..record }, &Event::Due, 0);
        assert_eq!((change.call, change.record.due_at), (None, None));
    }
}

#[test]
fn an_operator_who_has_seen_an_overdue_call_makes_the_attempt_unknown() {
    let seen = |record: &Record, newer: &[&str], now| {
        let reasons = Reasons {
            known: vec![Reason::Unknown],
            newer: newer.iter().map(|name| (*name).to_owned()).collect(),
        };
        after(record, Event::Seen(reasons, "looked at".to_owned()), now)
    };
    assert_eq!(seen(&sending(), &[], 39_999), sending());
    assert_eq!(seen(&open(), &[], 40_000), open());
    let newer = NewerReasons { attention: vec!["newer".to_owned()], ..NewerReasons::default() };
    let marked = Record { newer_reasons: newer, seen: vec![Reason::OrderDiffers], ..sending() };
    let overdue = seen(&marked, &["newer"], 40_000);
    assert_eq!((overdue.standing, overdue.seen.len()), (Standing::Unknown, 2));
    assert_eq!((overdue.newer_reasons.seen.len(), overdue.notes.len()), (1, 1));
    // The refusal ends the doubt, so `unknown` is removed from the list of the reasons that the operator has
    // seen.
    let refused = after(&overdue, Event::NotCreated(CallEnd::Refused, problem()), 40_000);
    assert_eq!(refused.seen, [Reason::OrderDiffers]);
}

#[test]
fn an_order_that_only_webhooks_named_is_proven_by_its_status() {
    let pending = || Report { has_credentials: false, ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(pending()), 1);
    let proven = apply(&named, &Event::StatusReported(pending()), 2);
    assert!(proven.record.order_id_confirmed && !proven.is_orphan);
    // An order without proof is noted once.
    let unproven = |record: &Record| after(record, Event::StatusReported(report(Some("pending"), "11")), 2);
    let again = unproven(&after(&unproven(&named), Event::WebhookReported(pending()), 3));
    assert_eq!(again.notes, ["only a webhook named the order o-1"]);
}

#[test]
fn only_the_reply_corrects_an_order_and_only_one_that_webhooks_named() {
    let other = || Report { order_id: "o-2".to_owned(), ..report(None, "10") };
    let pending = Report { has_credentials: false, ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(pending), 0);
    let conflicts = |record: &Record, event| apply(record, &event, 0).conflict;
    assert!(!conflicts(&named, Event::Created(other())));
    assert!(conflicts(&named, Event::WebhookReported(other())));
    assert!(conflicts(&Record { order_id_confirmed: true, ..named.clone() }, Event::Created(other())));
    assert!(conflicts(&Record { has_credentials: true, ..named }, Event::Created(other())));
}
