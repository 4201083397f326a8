//! `docs/standings.md` lists exactly the transitions that the code makes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::model::event::{CallEnd, Event, Instruction, Report};
use crate::model::record::{NotFound, Record};
use crate::model::standing::{IntentState, Standing};
use crate::model::transition::{Decision, apply, decide};
use crate::model::transition_tests::{problem, report, sending};

const PAGE: &str = include_str!("../../../../docs/standings.md");

/// A time during the call that creates the payment, and a time after the call's deadline.
const TIMES: [i64; 2] = [1, 100_000];

/// The old and the new standing, with the names of the causes.
type Transitions = BTreeMap<(String, String), BTreeSet<String>>;

/// Finds every transition that can follow a new attempt, by trying all events in every sequence.
fn found() -> Transitions {
    let new = sending();
    let mut open = vec![new.clone(), Record { restored: true, ..new }];
    let mut seen: HashSet<Record> = open.iter().cloned().collect();
    let mut found = Transitions::new();
    let mut note = |from: Standing, to: Standing, cause: &str| {
        if from != to {
            let place = (from.name().to_owned(), to.name().to_owned());
            found.entry(place).or_default().insert(cause.to_owned());
        }
    };
    let events = events();
    while let Some(record) = open.pop() {
        note(record.standing_at(TIMES[0]), record.standing_at(TIMES[1]), "deadline");
        let mut reach = |next: Record| {
            let next = simplified(next);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        };
        for now in TIMES {
            let from = record.standing_at(now);
            for (cause, event) in &events {
                let next = apply(&record, event, now).record;
                note(from, next.standing_at(now), cause);
                reach(next);
            }
            for (cause, replace) in [("pay", None), ("replace", Some(record.attempt))] {
                if let Decision::Seal(next) = decide(Some(&record), replace, now) {
                    note(from, next.standing, cause);
                    reach(*next);
                }
            }
        }
    }
    found
}

/// Clears the parts of a record that do not influence the standing. With these parts the number of states
/// would have no limit.
fn simplified(mut record: Record) -> Record {
    record.notes.clear();
    record.attention.clear();
    record.seen.clear();
    record.payment.clear();
    record.error = None;
    record.not_found = NotFound::default();
    (record.tries, record.asking_since, record.refusals) = (0, 0, 0);
    for intent in [&mut record.confirm, &mut record.cancel] {
        (intent.calls, intent.since) = (intent.calls.min(1), 0);
    }
    if record.standing != Standing::Sending {
        record.due_at = record.due_at.map(|_| 0);
    }
    record
}

/// The events, with the names of their causes. The events of a confirm or a cancel have the cause
/// `instruction`.
fn events() -> Vec<(&'static str, Event)> {
    let failed = || Report { has_credentials: false, ..report(Some("doneFail"), "10") };
    let reports = || {
        let status = |status| report(Some(status), "10");
        let statuses = ["pending", "receiptRequired", "doneSuccess", "doneFail"].map(status);
        statuses.into_iter().chain([failed(), report(None, "10"), report(Some("doneFail"), "11")])
    };
    let mut events = vec![
        ("webhook", Event::CredentialsFailed(failed())),
        ("settle", Event::Due),
        ("settle", Event::StatusFailed(true, problem())),
        ("no payment", Event::NoPayment(String::new())),
        ("purge", Event::Purged),
        ("forget", Event::Forgotten),
    ];
    for report in reports() {
        events.push(("response", Event::Created(report.clone())));
        events.push(("webhook", Event::WebhookReported(report.clone())));
        events.push(("status", Event::StatusReported(report.clone())));
        events.push(("order id", Event::Found(report, String::new())));
    }
    for end in [CallEnd::NotSent, CallEnd::Refused, CallEnd::Unclear] {
        let cause = if end == CallEnd::Unclear { "lost response" } else { "refusal" };
        events.push((cause, Event::NotCreated(end, problem())));
    }
    for instruction in [Instruction::Confirm, Instruction::Cancel] {
        events.push(("instruction", Event::Instructed(instruction)));
        for end in [CallEnd::Accepted, CallEnd::Refused, CallEnd::NotSent, CallEnd::Unclear] {
            events.push(("instruction", Event::Answered(instruction, 1, end, None)));
        }
    }
    events
}

/// The rows of the page's table: old standing, new standing, causes.
fn of_table() -> Transitions {
    let rows = PAGE.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split('|').map(str::trim).collect();
        let [from, to, causes, ..] = cells[..] else { return None };
        let word = |text: &str| text.trim_matches('`').to_owned();
        Some(((word(from), word(to)), causes))
    });
    listed(rows)
}

/// The arrows of the page's diagram.
fn of_diagram() -> Transitions {
    let arrows = PAGE.lines().filter_map(|line| {
        let (from, rest) = line.trim().split_once(" --> ")?;
        let (to, causes) = rest.split_once(": ")?;
        (from != "[*]").then(|| ((from.to_owned(), to.to_owned()), causes))
    });
    listed(arrows)
}

fn listed<'a>(rows: impl Iterator<Item = ((String, String), &'a str)>) -> Transitions {
    let mut listed = Transitions::new();
    for (place, causes) in rows {
        listed.entry(place).or_default().extend(causes.split(", ").map(str::to_owned));
    }
    listed
}

#[test]
fn the_page_and_its_diagram_have_every_transition_with_its_causes() {
    let found = found();
    assert_eq!(of_table(), found, "the table");
    assert_eq!(of_diagram(), found, "the diagram");
}

#[test]
fn the_page_explains_every_standing_in_the_codes_own_words() {
    for standing in Standing::TABLE {
        let row = format!("| **{}** | {} |", standing.name, standing.doc);
        assert!(PAGE.contains(&row), "{row}");
    }
    for state in IntentState::TABLE {
        let row = format!("| **{}** | {} |", state.name, state.doc);
        assert!(PAGE.contains(&row), "{row}");
    }
}
