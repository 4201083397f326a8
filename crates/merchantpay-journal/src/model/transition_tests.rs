//! Tests of cases that depend on times, sums and texts. The model leaves these out.

use std::sync::Arc;

use merchantpay::{Amount, Paid};

use crate::model::driver::{Answer, Key, RandomTexts, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event, Instruction, Report};
use crate::model::json::Fields;
use crate::model::record::{Intent, Problem, Reasons, Record};
use crate::model::request::Asked;
use crate::model::schedule::{self, DAY};
use crate::model::standing::{IntentState, Level, Reason, Standing};
use crate::model::transition::{Decision, apply, decide};

const MINUTE: i64 = 60_000;

pub(super) fn problem() -> Problem {
    Problem { code: "rejected".to_owned(), outcome: "rejected".to_owned(), description: None }
}

/// The row of a payment of 10 while its call is running.
pub(super) fn sending() -> Record {
    let text = |text: &str| text.to_owned();
    let asked = Asked {
        reference: text("r"),
        account: text("a"),
        asynchronous: false,
        sum: 10.into(),
        payment_method: text("sbp"),
        fields: text("{}"),
        lease: 40_000,
    };
    let mut run = Run::new(Task::Pay(Box::new(asked), None));
    run.answer(Answer::Loaded(None, false), 0, &RandomTexts { token: text("t"), writer: text("w") });
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

fn after(record: &Record, event: Event, now: i64) -> Record {
    apply(record, &event, now).record
}

fn open() -> Record {
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
fn an_order_that_is_not_known_is_for_a_person_after_ten_minutes_and_five_tries() {
    let ask = |times: u32, pause: i64| {
        (1..=times).fold(open(), |record, number| {
            after(&record, Event::StatusFailed(true, problem()), i64::from(number) * pause)
        })
    };
    for (times, pause, is_raised) in
        [(5, MINUTE, false), (4, 5 * MINUTE, false), (5, 3 * MINUTE, true), (12, MINUTE, true)]
    {
        assert_eq!(
            ask(times, pause).attention.contains(&Reason::OrderNotFound),
            is_raised,
            "{times} {pause}"
        );
    }
    // A new status restarts the pauses.
    let found = after(&ask(4, 3 * MINUTE), Event::StatusReported(report(Some("pending"), "10")), 13 * MINUTE);
    assert!(
        !after(&found, Event::StatusFailed(true, problem()), 14 * MINUTE)
            .attention
            .contains(&Reason::OrderNotFound)
    );
}

#[test]
fn what_stays_open_for_thirty_days_is_asked_no_more_and_is_for_a_person() {
    let pending = || Event::StatusReported(report(Some("pending"), "10"));
    let (late, last) = (after(&open(), pending(), 30 * DAY - 1), after(&open(), pending(), 30 * DAY));
    assert_eq!((late.due_at.is_some(), late.attention.is_empty()), (true, true));
    assert_eq!((last.due_at, &last.attention[..]), (None, &[Reason::StillOpen][..]));
}

/// The milliseconds until the next query, after this many queries.
fn pause(record: &Record, tries: u32, now: i64) -> Option<i64> {
    schedule::next(&Record { tries, ..record.clone() }, now).map(|next| next - now)
}

#[test]
fn the_pauses_grow_from_two_seconds_to_five_minutes_then_an_hour_then_end() {
    let longest = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map(|seconds| seconds * 1000);
    for (tries, longest) in (0..).zip(longest) {
        let pause = pause(&open(), tries, 0).unwrap();
        assert!((longest * 3 / 4..=longest).contains(&pause), "{tries}: {pause}");
    }
    assert!(pause(&open(), u32::MAX, 0).is_some_and(|pause| pause <= 5 * MINUTE));
    let later = [DAY, 30 * DAY - 1, 30 * DAY].map(|now| pause(&open(), 3, now));
    assert!(matches!(later, [Some(2_700_000..=3_600_000), Some(2_700_000..=3_600_000), None]), "{later:?}");
}

#[test]
fn attempts_that_became_due_together_are_asked_at_different_times() {
    let of = |number: u32| Record { token: format!("{number:032x}"), ..open() };
    let mut pauses: Vec<i64> = (0..100).map(|number| pause(&of(number), 8, 0).unwrap()).collect();
    pauses.sort_unstable();
    pauses.dedup();
    // The queries of a hundred attempts spread over five minutes: no second has many queries.
    let second =
        pauses.iter().map(|pause| pauses.iter().filter(|other| (*other - pause).abs() < 500).count());
    assert!(pauses.len() > 80 && second.max() < Some(10), "{pauses:?}");
    assert_ne!(pause(&of(1), 8, 0), pause(&of(1), 9, 0), "nor at the same times again");
}

#[test]
fn an_attempt_whose_webhooks_arrive_is_asked_sixteen_times_less_often() {
    let webhook = || Event::WebhookReported(report(Some("verifying"), "10"));
    let arrived = after(&open(), webhook(), 0);
    let pause_of = |record: &Record, now| record.due_at.unwrap() - now;
    assert!((24_000..=32_000).contains(&pause_of(&arrived, 0)), "{:?}", arrived.due_at);
    assert_eq!(after(&arrived, webhook(), 10_000).due_at, arrived.due_at, "a repeated one puts nothing off");
    assert!(pause(&arrived, 10, 0).is_some_and(|pause| pause > 20 * MINUTE));
    let asked = after(&arrived, Event::StatusReported(report(Some("verifying"), "10")), 40_000);
    assert!(pause_of(&asked, 40_000) >= 24_000);
    // A confirm or a cancel is retried soon.
    let instructed = after(&arrived, Event::Instructed(Instruction::Cancel), 0);
    let lost = Event::Answered(Instruction::Cancel, 1, CallEnd::Unclear, Some(problem()));
    assert!(pause_of(&after(&instructed, lost, 0), 0) <= 2000);
    // If only webhooks named an order, the order is queried immediately.
    let named = after(&sending(), webhook(), 0);
    assert!(!named.order_id_confirmed && pause_of(&named, 0) <= 2000);
}

#[test]
fn a_confirm_that_is_unclear_for_a_day_is_for_a_person() {
    let wanted = after(&open(), Event::Instructed(Instruction::Confirm), 0);
    let lost = after(&wanted, Event::Answered(Instruction::Confirm, 1, CallEnd::Unclear, Some(problem())), 0);
    let again = apply(&lost, &Event::StatusReported(report(Some("pending"), "10")), MINUTE);
    assert_eq!(again.call, Some(Call::Instruct(Instruction::Confirm, 2)));
    let refused = after(
        &again.record,
        Event::Answered(Instruction::Confirm, 2, CallEnd::Refused, Some(problem())),
        MINUTE,
    );
    assert_eq!((refused.confirm.state, refused.attention.len()), (Some(IntentState::Unclear), 0));
    let later = |now| after(&refused, Event::StatusReported(report(Some("pending"), "10")), now);
    assert!(later(DAY - 1).attention.is_empty());
    assert_eq!(later(DAY).attention, [Reason::ConfirmUnclear]);
    // The final status decides.
    let done = after(&later(DAY), Event::StatusReported(report(Some("doneSuccess"), "10")), DAY);
    assert_eq!(
        (done.confirm.state, done.attention.len(), done.succeeded()),
        (Some(IntentState::Accepted), 0, true)
    );
}

#[test]
fn the_result_of_a_call_changes_nothing_if_the_attempt_got_another_order() {
    let texts = RandomTexts { token: "t".to_owned(), writer: "w".to_owned() };
    let webhook = Report { has_credentials: false, fields: Fields::new(), ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(webhook), 0);
    for order in [None, Some("o-2".to_owned())] {
        let mut run =
            Run::new(Task::Apply(Key::of(&named), Box::new(Event::Instructed(Instruction::Confirm))));
        run.answer(Answer::Loaded(Some(Arc::new(named.clone())), false), 0, &texts);
        run.answer(Answer::Written, 0, &texts);
        let Step::Call(_, Call::Instruct(instruction, number)) = run.step() else { panic!("{run:?}") };
        let now = Record { order_id: order, writer: "another".to_owned(), ..named.clone() };
        run.answer(Answer::Called(Event::Answered(instruction, number, CallEnd::Accepted, None)), 0, &texts);
        run.answer(Answer::Lost, 0, &texts);
        run.answer(Answer::Loaded(Some(Arc::new(now.clone())), false), 0, &texts);
        let Step::Done(done) = run.step() else { panic!("{run:?}") };
        assert_eq!((done.record.as_deref(), now.confirm.state), (Some(&now), None));
    }
}

#[test]
fn a_superseded_payment_that_a_day_of_cancelling_does_not_end_is_for_a_person() {
    let superseded = Record { standing: Standing::Superseded, ..open() };
    let pending = || Event::StatusReported(report(Some("pending"), "10"));
    let first = apply(&superseded, &pending(), 0);
    assert_eq!(first.call, Some(Call::Instruct(Instruction::Cancel, 1)));
    let refused =
        after(&first.record, Event::Answered(Instruction::Cancel, 1, CallEnd::Refused, Some(problem())), 0);
    let later = apply(&refused, &pending(), DAY - 1);
    assert_eq!((later.call, later.record.attention.len()), (Some(Call::Instruct(Instruction::Cancel, 2)), 0));
    assert_eq!(after(&refused, pending(), DAY).attention, [Reason::SupersededAlive]);
    // If a receipt is required, somebody may have paid. Then only an operator is allowed to cancel.
    let receipt = apply(&superseded, &Event::StatusReported(report(Some("receiptRequired"), "10")), 0);
    assert_eq!((receipt.call, &receipt.record.attention[..]), (None, &[Reason::SupersededAlive][..]));
    let paid = after(&superseded, Event::StatusReported(report(Some("doneSuccess"), "10")), 0);
    assert_eq!((paid.standing, &paid.attention[..]), (Standing::Superseded, &[Reason::SupersededPaid][..]));
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
        // The status has the sum.
        let asked = after(&reported, Event::StatusReported(report(Some("doneSuccess"), "9")), 8);
        assert_eq!(asked.paid(), Some(Paid::Less), "{standing}");
        // The status lacks the sum too.
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
    let pending = Report { has_credentials: false, ..report(Some("pending"), "10") };
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
    }
}

#[test]
fn what_is_final_carries_no_error_of_an_earlier_call() {
    let failed = |record: &Record| after(record, Event::StatusFailed(false, problem()), 0);
    assert!(failed(&open()).error.is_some());
    for end in [Event::StatusReported, Event::WebhookReported] {
        let end = after(&failed(&open()), end(report(Some("doneSuccess"), "10")), 0);
        assert_eq!((end.succeeded(), &end.error), (true, &None));
        // A call was running during the change, and fails after it.
        assert_eq!(failed(&end), end);
    }
    assert_eq!(after(&failed(&open()), Event::StatusReported(report(Some("pending"), "10")), 0).error, None);
}

#[test]
fn pay_follows_two_refused_attempts_at_once_and_then_waits_twice_as_long_each_time() {
    let refused = |refusals| Record { standing: Standing::Refused, refusals, updated_at: 1000, ..open() };
    let waits = |refusals: u32| {
        let waits_until = |now| decide(Some(&refused(refusals)), None, now) == Decision::Keep;
        (0..400).find(|seconds| !waits_until(1000 + seconds * 1000))
    };
    let pauses: Vec<Option<i64>> = (0..12).map(waits).collect();
    let expected = [0, 0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
    assert_eq!(pauses, expected.map(Some));
    // If a person decides to replace the attempt, there is no pause.
    assert_ne!(decide(Some(&refused(9)), Some(1), 1000), Decision::Keep);
    // The count of refused attempts continues after a superseded attempt, and starts again after an attempt
    // that was not refused.
    let next = |record: &Record| match decide(Some(record), Some(1), i64::MAX / 2) {
        Decision::Seal(sealed) => sealed.refusals,
        decision => panic!("{decision:?}"),
    };
    let cancelled =
        Record { cancel: Intent { state: Some(IntentState::Accepted), ..Intent::default() }, ..refused(2) };
    assert_eq!((next(&refused(2)), next(&Record { standing: Standing::Open, ..cancelled })), (3, 0));
}

#[test]
fn a_refusal_is_news_only_if_its_own_call_did_not_return_it() {
    let refused = || Event::NotCreated(CallEnd::Refused, problem());
    assert_eq!(after(&sending(), refused(), 39_999).reported, Level::None);
    // Other callers have read the attempt as unknown.
    assert_eq!(after(&sending(), refused(), 40_000).reported, Level::Refused);
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
            // Only the number of queries is allowed to change.
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
