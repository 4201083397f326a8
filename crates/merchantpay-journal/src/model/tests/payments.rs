//! `pay` and `replace`, row by row.

use super::*;
use crate::model::attempt::{Intent, IntentState, Reason};
use crate::model::clock::{MINUTE, SECOND};
use crate::model::payment::{NotReplaceable, may_replace, replace};

fn paid(all: &[Attempt]) -> Pay {
    pay("r", all, &request(), &now())
}

fn second(row: Attempt) -> Attempt {
    Attempt { attempt: 2, token: "t9".to_owned(), asked: Some(request().hash("t9")), ..row }
}

/// What `pay` does with each last attempt is in docs/journal.md, which `page` compares.
#[test]
fn pay_uses_a_row_again_under_a_new_token() {
    let not_sent = Attempt { not_sent: true, ..refused() };
    let bound = Attempt { order_id: Some("o1".to_owned()), ..not_sent.clone() };
    let is_insert = |pay: Pay| matches!(pay, Pay::Send(Decision { write: Some(Write::Insert(_)), .. }));
    assert!(is_insert(paid(&[bound])));
    for row in [Attempt { restored: true, ..not_sent.clone() }, Attempt { restored: true, ..unknown() }] {
        let Pay::Raise(decision) = paid(std::slice::from_ref(&row)) else { panic!("{row:?}") };
        assert_eq!(after(&row, decision).attention, Reason::Unknown.bit());
    }
    let Pay::Send(decision) = paid(std::slice::from_ref(&not_sent)) else { panic!() };
    let Some(Write::Update(update)) = decision.write else { panic!() };
    assert!(update.starts_payment && update.row.state == State::Sent && !update.row.not_sent);
    assert_eq!((update.row.token.as_str(), update.row.attempt), ("t2", 1));
    assert_eq!(update.row.asked, Some(request().hash("t2")));
    // The row is that of a new attempt, whatever the unsent one asked for.
    let other = Request { sum: Amount::from_minor(20_000), asynchronous: true, ..request() };
    let unsent = Attempt { due_at: Some(NOW), error: Some("{}".to_owned()), ..not_sent };
    let Pay::Send(decision) = pay("r", &[unsent], &other, &now()) else { panic!() };
    let Some(Write::Update(update)) = decision.write else { panic!() };
    let Pay::Send(Decision { write: Some(Write::Insert(new)), .. }) = pay("r", &[], &other, &now()) else {
        panic!()
    };
    let asked =
        |row: &Attempt| (row.sum_asked, row.asynchronous, row.call_until, row.due_at, row.error.clone());
    assert_eq!(asked(&update.row), asked(&new));
}

#[test]
fn success_of_any_attempt_is_returned() {
    let short = Attempt { success_of: None, ..ended("doneSuccess") };
    assert_eq!(paid(&[ended("doneSuccess"), second(refused())]), Pay::Return(1));
    assert_eq!(paid(&[short.clone(), second(open())]), Pay::Return(1));
    assert_eq!(paid(&[short.clone(), second(ended("doneSuccess"))]), Pay::Return(2));
    let all = [short, second(open())];
    assert!(!all[1].shows_credentials(&all));
}

#[test]
fn another_request_is_refused_unless_the_attempt_was() {
    let other = Request { fields: "{1}".to_owned(), ..request() };
    for (row, is_refused) in [(sent(), true), (open(), true), (ended("doneFail"), true), (refused(), false)] {
        let is_other = pay("r", std::slice::from_ref(&row), &other, &now()) == Pay::OtherRequest;
        assert_eq!(is_other, is_refused, "{row:?}");
    }
    let purged = Attempt { asked: None, ..ended("doneFail") };
    assert_eq!(pay("r", &[purged], &other, &now()), Pay::Return(1));
}

#[test]
fn pay_waits_after_three_refusals() {
    for (refusals, pause) in [(0, 0), (1, 0), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (90, 300)] {
        let row = Attempt { refusals, ..refused() };
        match pay("r", std::slice::from_ref(&row), &request(), &now()) {
            Pay::Later(until) => assert_eq!(until - NOW, pause * SECOND, "{refusals}"),
            _ => assert_eq!(pause, 0, "{refusals}"),
        }
    }
    let row = Attempt { refusals: 9, updated_at: NOW + 60 * MINUTE, ..refused() };
    let Pay::Send(Decision { write: Some(Write::Insert(next)), .. }) = paid(&[row]) else {
        panic!("the clock was set back")
    };
    assert_eq!((next.attempt, next.refusals), (2, 10));
}

#[test]
fn replace_row_by_row() {
    let cancelled =
        Attempt { intent: Some(Intent::Cancel), intent_state: Some(IntentState::Accepted), ..open() };
    for row in [unknown(), refused(), cancelled.clone(), ended("doneFail")] {
        assert!(may_replace(std::slice::from_ref(&row), 1, clock(NOW)).is_ok(), "{row:?}");
        let row = Attempt { restored: true, ..row };
        assert_eq!(may_replace(&[row], 1, clock(NOW)), Err(NotReplaceable::Restored));
    }
    for (all, why) in [
        (vec![sent()], NotReplaceable::Payable),
        (vec![open()], NotReplaceable::Payable),
        (vec![ended("doneSuccess")], NotReplaceable::Paid),
        (vec![ended("doneSuccess"), second(refused())], NotReplaceable::NotLast),
        (vec![unknown(), second(refused())], NotReplaceable::NotLast),
        (vec![Attempt { replaced: true, ..unknown() }], NotReplaceable::NotLast),
        (vec![], NotReplaceable::NotLast),
    ] {
        assert_eq!(may_replace(&all, 1, clock(NOW)), Err(why), "{all:?}");
    }
    let replaced =
        |answer: Answer| replace(std::slice::from_ref(&cancelled), 1, Some(&answer), &request(), &now());
    assert_eq!(replaced(Answer::Failed(problem())), Err(NotReplaceable::NotAsked));
    let Ok(Decision { write: Some(Write::Replace(update, next)), .. }) =
        replaced(Answer::Report(report("pending", "100")))
    else {
        panic!()
    };
    assert!(update.row.replaced && update.starts_payment);
    assert_eq!(update.row.due_at, Some(NOW + 2 * SECOND), "it is asked about until it is cancelled");
    assert_eq!((next.attempt, next.state), (2, State::Sent));
    let paid = replaced(Answer::Report(report("doneSuccess", "100"))).unwrap();
    let paid = after(&cancelled, paid);
    assert!(paid.succeeded() && !paid.replaced);
}
