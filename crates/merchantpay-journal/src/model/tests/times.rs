//! The plan of questions, and clocks that were set back.

use super::*;
use crate::model::attempt::{Intent, IntentState, Reason};
use crate::model::clock::{DAY, HOUR, LEASE, MINUTE, SECOND};
use crate::model::news::lease;
use crate::model::plan::{claim, is_due};
use crate::model::upkeep::has_paused;

fn asked(row: &Attempt, now: i64) -> Attempt {
    let answer = Answer::Report(report(row.status.as_deref().unwrap_or_default(), "100"));
    after(row, order::answered(row, &answer, Beside::default(), &at(now)))
}

#[test]
fn times_are_milliseconds_and_a_call_ends_within_610_seconds() {
    assert_eq!((HOUR, DAY, LONGEST_CALL), (3_600_000, 86_400_000, 610_000));
}

#[test]
fn questions_double_to_five_minutes_then_come_hourly() {
    let mut row = open();
    let mut pauses = Vec::new();
    for _ in 0..9 {
        let now = row.due_at.unwrap();
        row = asked(&row, now);
        pauses.push((row.due_at.unwrap() - now) / SECOND);
    }
    assert_eq!(pauses, [4, 8, 16, 32, 64, 128, 256, 300, 300]);
    let row = asked(&row, NOW + DAY);
    assert_eq!((row.due_at, row.updated_at), (Some(NOW + DAY + HOUR), NOW + DAY));
}

#[test]
fn questions_end_after_a_month_and_five_hundred() {
    for (age, tries, goes_on) in
        [(30 * DAY, 499, false), (30 * DAY, 498, true), (30 * DAY - 1, 900, true), (90 * DAY, 30, true)]
    {
        let row = asked(&Attempt { tries, ..open() }, NOW + age);
        assert_eq!(row.due_at.is_some(), goes_on, "{age} {tries}");
        assert_eq!(row.attention & Reason::Stuck.bit() != 0, age >= 30 * DAY);
    }
}

#[test]
fn what_does_not_end_in_a_day_is_stuck() {
    let stored = Attempt { intent: Some(Intent::Confirm), intent_state: Some(IntentState::Stored), ..open() };
    let replaced = Attempt { replaced: true, ..open() };
    for (row, is_stuck) in [(stored.clone(), true), (replaced, true), (open(), false)] {
        let later = asked(&row, NOW + DAY);
        assert_eq!(later.attention == Reason::Stuck.bit(), is_stuck, "{row:?}");
        assert_eq!(asked(&row, NOW + DAY - 1).attention, 0);
    }
    let seen = Attempt { seen: Reason::Stuck.bit(), ..stored };
    assert_eq!(asked(&seen, NOW + DAY).attention, 0);
}

#[test]
fn unknown_order_is_stuck_after_ten_minutes() {
    for (age, attention) in [(10 * MINUTE - 1, 0), (10 * MINUTE, Reason::Stuck.bit())] {
        let row = Attempt { status: None, ..open() };
        let answer = Answer::NotFound(problem());
        let row = after(&row, order::answered(&row, &answer, Beside::default(), &at(NOW + age)));
        assert_eq!((row.attention, row.due_at.is_some()), (attention, true));
        let failed = Answer::Failed(problem());
        let row = open();
        let row = after(&row, order::answered(&row, &failed, Beside::default(), &at(NOW + age)));
        assert_eq!((row.attention, row.due_at.is_some(), row.error.is_some()), (0, true, true));
    }
}

#[test]
fn failure_is_watched_for_thirty_days() {
    let mut row = answered(&open(), report("doneFail", "100"));
    let mut days = Vec::new();
    while let Some(due_at) = row.due_at {
        days.push((due_at - NOW) / DAY);
        assert!(is_due(&row, clock(due_at)) && !is_due(&row, clock(due_at - 1)));
        row = asked(&row, due_at);
    }
    assert_eq!(days, [1, 3, 10, 30]);
    // A webhook in between does not shorten the watch, and a question that fails is repeated.
    let watched = answered(&open(), report("doneFail", "100"));
    assert_eq!(asked(&watched, NOW + HOUR).due_at, Some(NOW + DAY));
    let failed = Answer::Failed(problem());
    let failed = order::answered(&watched, &failed, Beside::default(), &at(NOW + DAY));
    assert_eq!(after(&watched, failed).due_at, Some(NOW + DAY + HOUR));
    assert_eq!(answered(&open(), report("doneSuccess", "100")).due_at, None);
}

#[test]
fn time_far_ahead_has_passed() {
    let due = |due_at, row: Attempt| is_due(&Attempt { due_at: Some(due_at), ..row }, clock(NOW));
    assert!(
        due(NOW, open()) && !due(NOW + 1, open()) && !due(NOW + HOUR, open()) && due(NOW + HOUR + 1, open())
    );
    let failed = || ended("doneFail");
    assert!(!due(NOW + 20 * DAY, failed()) && due(NOW + 20 * DAY + 1, failed()));
    let news = |news_due| lease(&Attempt { news: 1, news_due, ..open() }, clock(NOW)).is_some();
    assert!(news(None) && news(Some(NOW)) && !news(Some(NOW + LEASE)) && news(Some(NOW + LEASE + 1)));
    assert!(lease(&open(), clock(NOW)).is_none());
    // A plan that began in the future begins now.
    let ahead = Attempt { asking_since: Some(NOW + DAY), ..open() };
    assert_eq!(asked(&ahead, NOW).asking_since, Some(NOW));
    let ahead = Attempt { asking_since: Some(NOW + 400 * DAY), ..failed() };
    assert_eq!(asked(&ahead, NOW).due_at, Some(NOW + DAY));
}

#[test]
fn lease_lasts_a_minute() {
    let news = Attempt { news: 2, acked: 1, ..ended("doneSuccess") };
    assert_eq!(lease(&news, clock(NOW)), Some(NOW + MINUTE));
}

#[test]
fn claim_takes_a_row_for_a_minute() {
    let claimed = after(&open(), claim(&open(), &now()));
    assert!(!is_due(&claimed, clock(NOW + LEASE - 1)) && is_due(&claimed, clock(NOW + LEASE)));
}

#[test]
fn pause_waits_for_statements_and_calls() {
    let paused = |rows: &[Attempt], after| has_paused(rows, NOW, 1000, clock(NOW + after));
    assert!(!paused(&[], 999) && paused(&[], 1000));
    assert!(
        !paused(&[sent()], LONGEST_CALL - 1) && paused(&[sent()], LONGEST_CALL) && paused(&[unknown()], 1000)
    );
}
