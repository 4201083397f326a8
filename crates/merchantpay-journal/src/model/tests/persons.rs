//! Decisions of persons, and what they see.

use super::*;
use crate::model::attempt::{Intent, IntentState, Reason, Standing};
use crate::model::clock::MINUTE;
use crate::model::person::{Refusal, has_order, no_payment, seen, trusted};

#[test]
fn person_names_an_order_with_its_sum() {
    let named = |row: &Attempt, report: Report, sum: &str, is_taken| {
        let sum: Amount = sum.parse().unwrap();
        has_order(row, &report, sum, is_taken, Beside::default(), &now()).map(|decision| after(row, decision))
    };
    let row = Attempt { restored: true, ..unknown() };
    let pending = named(&row, with_credentials(report("pending", "100")), "100", false).unwrap();
    assert!(pending.state == State::Open && !pending.restored && pending.shows_credentials(&[]));
    assert!(pending.news > 0);
    let short = named(&row, report("doneSuccess", "90"), "90", false).unwrap();
    assert!(!short.succeeded() && short.attention & Reason::SumDiffers.bit() != 0);
    // A restored row may lack credentials that were shown: its failure stays final, and is watched.
    let failed = named(&row, report("doneFail", "100"), "100", false).unwrap();
    assert!(failed.state == State::Final && failed.due_at.is_some());
    assert_eq!(named(&unknown(), report("doneFail", "100"), "100", false).unwrap().state, State::Refused);
    let other = named(&row, with_credentials(report("pending", "90")), "90", false).unwrap();
    assert!(!other.has_credentials() && other.attention == Reason::SumDiffers.bit());
    assert_eq!(named(&row, report("pending", "90"), "90", false).unwrap().attention, other.attention);
    assert_eq!(named(&row, report("doneSuccess", "90"), "100", false), Err(Refusal::OtherSum));
    assert_eq!(named(&row, report("pending", "100"), "100", true), Err(Refusal::Taken));
    for row in [sent(), open(), refused(), ended("doneFail")] {
        assert_eq!(named(&row, report("pending", "100"), "100", false), Err(Refusal::NotUnknown));
        assert_eq!(no_payment(&row, &now()), Err(Refusal::NotUnknown));
    }
    let none = after(&row, no_payment(&row, &now()).unwrap());
    assert!(none.state == State::Refused && none.restored && none.news > 0 && none.call_until.is_none());
    assert!(!after(&none, trusted(&none, &now()).unwrap()).restored);
    for row in [row, Attempt { restored: true, ..open() }] {
        assert_eq!(trusted(&row, &now()), Err(Refusal::NotOver));
    }
}

#[test]
fn decision_of_a_person_ends_its_own_reasons() {
    let held = |row: Attempt| Attempt {
        attention: Reason::Unknown.bit() | Reason::OrderUnproven.bit() | Reason::Stuck.bit(),
        ..row
    };
    let left = [Reason::Stuck.bit(), Reason::Stuck.bit() | Reason::OrderUnproven.bit()];
    let (row, over) = (held(unknown()), held(refused()));
    let pending = report("pending", "100");
    let named = has_order(&row, &pending, row.sum_asked, false, Beside::default(), &now()).unwrap();
    assert_eq!(after(&row, named).attention, left[0]);
    assert_eq!(after(&row, no_payment(&row, &now()).unwrap()).attention, left[1]);
    assert_eq!(after(&over, trusted(&over, &now()).unwrap()).attention, left[1]);
}

#[test]
fn seen_covers_only_what_was_seen() {
    let row = Attempt { attention: Reason::Stuck.bit() | Reason::SumDiffers.bit(), ..open() };
    let row = after(&row, seen(&row, Reason::Stuck.bit() | Reason::PaidUnasked.bit(), &now()));
    assert_eq!((row.attention, row.seen), (Reason::SumDiffers.bit(), Reason::Stuck.bit()));
    let late = at(NOW + 3 * MINUTE);
    let unknown = after(&unknown(), seen(&unknown(), Reason::Unknown.bit(), &late));
    assert_eq!(unknown.attention(late.clock), 0);
}

#[test]
fn unknown_needs_a_person_after_two_minutes() {
    for (row, after, is_attention) in [
        (unknown(), 1, false),
        (unknown(), 2 * MINUTE - 1, false),
        (unknown(), 2 * MINUTE, true),
        (Attempt { attention: Reason::Unknown.bit(), ..unknown() }, 2 * MINUTE, true),
        (sent(), 2 * MINUTE, false),
        (Attempt { call_until: Some(NOW + 60 * MINUTE), ..sent() }, 0, true),
        (Attempt { replaced: true, ..unknown() }, 9 * MINUTE, false),
        (refused(), 9 * MINUTE, false),
    ] {
        let expected = if is_attention { Reason::Unknown.bit() } else { 0 };
        assert_eq!(row.attention(clock(NOW + after)), expected, "{row:?} {after}");
    }
}

#[test]
fn standing_follows_state_and_clock() {
    for (row, standing) in [
        (sent(), Standing::Sending),
        (unknown(), Standing::Unknown),
        (Attempt { call_until: Some(NOW + LONGEST_CALL + 1), ..sent() }, Standing::Unknown),
        (open(), Standing::Open),
        (refused(), Standing::Refused),
        (ended("doneFail"), Standing::Final),
        (Attempt { replaced: true, ..ended("doneFail") }, Standing::Superseded),
    ] {
        assert_eq!(row.standing(clock(NOW)), standing);
    }
}

#[test]
fn credentials_are_shown_only_while_the_customer_should_pay() {
    assert!(open().shows_credentials(&[open()]));
    let cancel = |state| Attempt { intent: Some(Intent::Cancel), intent_state: Some(state), ..open() };
    assert!(cancel(IntentState::Refused).shows_credentials(&[]));
    for row in [
        Attempt { replaced: true, ..open() },
        Attempt { details: None, ..open() },
        Attempt { status: Some("receiptRequired".to_owned()), ..open() },
        cancel(IntentState::Stored),
        cancel(IntentState::Accepted),
        Attempt { state: State::Refused, ..open() },
        ended("doneFail"),
    ] {
        assert!(!row.shows_credentials(&[]), "{row:?}");
    }
    assert!(!open().shows_credentials(&[Attempt { attempt: 2, ..ended("doneSuccess") }]));
}

#[test]
fn attempt_is_its_line_of_an_export() {
    let row = Attempt {
        sum_paid: Some("100.50".parse().unwrap()),
        intent: Some(Intent::Confirm),
        intent_state: Some(IntentState::Stored),
        ..open()
    };
    let line = serde_json::to_string(&row).unwrap();
    for part in
        [r#""state":"open""#, r#""sum_paid":"100.50""#, r#""intent":"confirm""#, r#""intent_state":"stored""#]
    {
        assert!(line.contains(part), "{line}");
    }
    assert_eq!(serde_json::from_str::<Attempt>(&line).unwrap(), row);
    let float = line.replace(r#""sum_paid":"100.50""#, r#""sum_paid":100.50"#);
    assert!(serde_json::from_str::<Attempt>(&float).is_err());
    let shown = format!("{row:?} {:?} {:?}", request(), with_credentials(report("pending", "1")));
    for part in ["\"r\"", "Request {", "Report {"] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(!shown.contains("t1") && !shown.contains("payeeAccount"), "{shown}");
}

#[test]
fn published_names_and_numbers_stay() {
    let standings: Vec<_> = Standing::TABLE.iter().map(|word| (word.name, word.number)).collect();
    let published =
        [("sending", 1), ("unknown", 2), ("refused", 3), ("open", 4), ("final", 5), ("superseded", 6)];
    assert_eq!(standings, published);
    let reasons: Vec<_> = Reason::of_mask(0b11_1111).map(Reason::name).collect();
    let named = ["unknown", "order_unproven", "paid_unasked", "sum_differs", "status_changed", "stuck"];
    assert_eq!(reasons, named);
    let two = Reason::Stuck.bit() | Reason::SumDiffers.bit();
    assert!(Reason::of_mask(two).eq([Reason::SumDiffers, Reason::Stuck]));
}
