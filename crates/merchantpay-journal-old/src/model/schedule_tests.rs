//! Tests of the times of queries, and of the times after which an operator must decide. The model in
//! `tests/model` cannot test them, because its clock does not advance.

use crate::model::event::{Call, CallEnd, Event, Instruction};
use crate::model::record::{Intent, Record};
use crate::model::schedule::{self, DAY};
use crate::model::standing::{IntentState, Reason, Standing};
use crate::model::transition::{Decision, apply, decide};
use crate::model::transition_tests::{after, open, problem, report, sending};

const MINUTE: i64 = 60_000;
const START: i64 = 5 * DAY;

#[test]
fn an_order_that_is_not_known_is_for_a_person_after_ten_minutes_and_five_tries() {
    let ask = |times: u32, pause: i64| {
        (1..=times).fold(open(), |record, number| {
            after(&record, Event::StatusFailed(true, problem()), START + i64::from(number) * pause)
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
    // A reported status resets the count of replies in which the order is not known.
    let found =
        after(&ask(4, 3 * MINUTE), Event::StatusReported(report(Some("pending"), "10")), START + 13 * MINUTE);
    assert!(
        !after(&found, Event::StatusFailed(true, problem()), START + 14 * MINUTE)
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
    assert_eq!(DAY, 24 * 60 * MINUTE);
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
    assert!(pause(&arrived, 10, 0).is_some_and(|pause| (20 * MINUTE..=30 * MINUTE).contains(&pause)));
    let changed = after(&arrived, Event::WebhookReported(report(Some("pending"), "10")), 10_000);
    assert!(pause_of(&changed, 10_000) >= 24_000, "a change puts it off");
    let same = after(&Record { status: Some("verifying".to_owned()), ..open() }, webhook(), 10_000);
    assert!(pause_of(&same, 10_000) >= 24_000, "so does the first webhook");
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
fn a_change_is_followed_by_a_query_after_two_seconds() {
    let due = |record: &Record, event| after(record, event, START).due_at;
    let pending = || report(Some("pending"), "10");
    let later = Record { due_at: Some(START + DAY), asking_since: START, ..open() };
    let stored = Intent { state: Some(IntentState::Stored), calls: 1, since: START };
    let confirmed = Record { confirm: stored, ..later.clone() };
    let answered = Event::Answered(Instruction::Confirm, 1, CallEnd::Accepted, None);
    let refused = Record { standing: Standing::Refused, due_at: None, ..open() };
    for (record, event) in [
        (&sending(), Event::Created(pending())),
        (&later, Event::Created(pending())),
        (&later, Event::Instructed(Instruction::Cancel)),
        (&confirmed, answered.clone()),
        (&refused, Event::WebhookReported(pending())),
    ] {
        assert_eq!(due(record, event.clone()), Some(START + 2000), "{event:?}");
    }
    // If the attempt is final or is not due any more, the answer to a confirm changes no due time.
    assert_eq!(due(&Record { due_at: None, ..confirmed.clone() }, answered.clone()), None);
    let final_one = Record { standing: Standing::Final, ..confirmed };
    assert_eq!(due(&final_one, answered), Some(START + DAY));
    // An order that only a webhook named is queried immediately.
    assert_eq!(due(&sending(), Event::WebhookReported(pending())), Some(START));
    // A caller that waits claims the attempt for a minute.
    assert_eq!(due(&later, Event::Awaited), Some(START + MINUTE));
}

#[test]
fn the_call_that_creates_a_payment_can_run_until_its_deadline() {
    let sending = sending();
    let ended = Record { call_ended: true, ..sending.clone() };
    let is_made = [sending.is_being_made(39_999), sending.is_being_made(40_000), ended.is_being_made(0)];
    assert_eq!(is_made, [true, false, false]);
}

#[test]
fn a_confirm_that_is_unclear_for_a_day_is_for_a_person() {
    let wanted = after(&open(), Event::Instructed(Instruction::Confirm), START);
    let lost =
        after(&wanted, Event::Answered(Instruction::Confirm, 1, CallEnd::Unclear, Some(problem())), START);
    let again = apply(&lost, &Event::StatusReported(report(Some("pending"), "10")), START + MINUTE);
    assert_eq!(again.call, Some(Call::Instruct(Instruction::Confirm, 2)));
    let refused = after(
        &again.record,
        Event::Answered(Instruction::Confirm, 2, CallEnd::Refused, Some(problem())),
        START + MINUTE,
    );
    assert_eq!((refused.confirm.state, refused.attention.len()), (Some(IntentState::Unclear), 0));
    let later = |now| after(&refused, Event::StatusReported(report(Some("pending"), "10")), now);
    assert!(later(START + DAY - 1).attention.is_empty());
    assert_eq!(later(START + DAY).attention, [Reason::ConfirmUnclear]);
    // The final status decides that the confirm took effect.
    let done =
        after(&later(START + DAY), Event::StatusReported(report(Some("doneSuccess"), "10")), START + DAY);
    assert_eq!(
        (done.confirm.state, done.attention.len(), done.succeeded()),
        (Some(IntentState::Accepted), 0, true)
    );
}

#[test]
fn a_superseded_payment_that_a_day_of_cancelling_does_not_end_is_for_a_person() {
    let superseded = Record { standing: Standing::Superseded, ..open() };
    let pending = || Event::StatusReported(report(Some("pending"), "10"));
    let first = apply(&superseded, &pending(), START);
    assert_eq!(first.call, Some(Call::Instruct(Instruction::Cancel, 1)));
    let refused = after(
        &first.record,
        Event::Answered(Instruction::Cancel, 1, CallEnd::Refused, Some(problem())),
        START,
    );
    let later = apply(&refused, &pending(), START + DAY - 1);
    assert_eq!((later.call, later.record.attention.len()), (Some(Call::Instruct(Instruction::Cancel, 2)), 0));
    assert_eq!(after(&refused, pending(), START + DAY).attention, [Reason::SupersededAlive]);
    // If a receipt is required, somebody may have paid. Then only an operator is allowed to cancel.
    let receipt = apply(&superseded, &Event::StatusReported(report(Some("receiptRequired"), "10")), 0);
    assert_eq!((receipt.call, &receipt.record.attention[..]), (None, &[Reason::SupersededAlive][..]));
    let paid = after(&superseded, Event::StatusReported(report(Some("doneSuccess"), "10")), 0);
    assert_eq!((paid.standing, &paid.attention[..]), (Standing::Superseded, &[Reason::SupersededPaid][..]));
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
    assert_eq!(
        decide(Some(&refused(0)), Some(2), i64::MAX / 2),
        Decision::Keep,
        "it replaces another attempt"
    );
    // If a person decides to replace the attempt, `pay` does not wait.
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
