//! docs/journal.md and docs/journal-operation.md say what the code does.

use super::*;
use crate::model::attempt::{IntentState, Reason, Standing};

const PAGE: &str = include_str!("../../../../../docs/journal.md");
const OPERATION: &str = include_str!("../../../../../docs/journal-operation.md");

/// The names in the first column of the page's table with this head.
fn names(page: &'static str, head: &str) -> Vec<&'static str> {
    let (_, table) = page.split_once(&format!("| {head} |")).expect(head);
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('`').nth(1).expect(row)).collect()
}

#[test]
fn page_names_every_word() {
    let mut standings = names(PAGE, "standing");
    standings.sort_unstable();
    let mut all: Vec<&str> = Standing::ALL.iter().map(|standing| standing.name()).collect();
    all.sort_unstable();
    assert_eq!(standings, all);
    assert_eq!(
        names(OPERATION, "reason"),
        Reason::ALL.iter().map(|reason| reason.name()).collect::<Vec<_>>()
    );
    assert_eq!(names(PAGE, "state"), IntentState::ALL.iter().map(|state| state.name()).collect::<Vec<_>>());
}

#[test]
fn page_says_what_pay_does() {
    let restored = |row: Attempt| Attempt { restored: true, ..row };
    for (last, row) in [
        ("none", None),
        ("`sending`", Some(sent())),
        ("`unknown`", Some(unknown())),
        ("`open`", Some(open())),
        ("`refused`, nothing was sent", Some(Attempt { not_sent: true, ..refused() })),
        ("`refused`", Some(refused())),
        ("`refused` or `unknown`, from a backup", Some(restored(refused()))),
        ("`refused` or `unknown`, from a backup", Some(restored(unknown()))),
        ("`final`, a failure", Some(ended("doneFail"))),
    ] {
        let does = match pay("r", row.as_slice(), &request(), &now()) {
            Pay::Return(_) => "returns it",
            Pay::Wait(_) => "waits",
            Pay::Raise(_) => "returns it and raises `unknown`",
            Pay::Send(Decision { write: Some(Write::Insert(next)), .. }) if next.attempt == 1 => {
                "makes the first attempt"
            }
            Pay::Send(Decision { write: Some(Write::Insert(_)), .. }) => "makes the next attempt",
            Pay::Send(_) => "sends it again",
            other => panic!("{other:?}"),
        };
        assert!(PAGE.contains(&format!("| {last} | {does}")), "{last}: {does}");
    }
}
