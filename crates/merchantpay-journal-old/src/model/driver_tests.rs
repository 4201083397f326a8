//! Tests of single steps of the driver. The model in `tests/model` tries every sequence of the steps.

use std::sync::Arc;

use crate::model::driver::{Answer, Key, Run, Step, Task};
use crate::model::event::{Call, CallEnd, Event, Instruction, Report};
use crate::model::json::Fields;
use crate::model::record::{Intent, Record};
use crate::model::standing::{IntentState, Standing};
use crate::model::transition_tests::{after, asked, open, report, sending, texts};

/// A running task that has received these answers.
fn run(task: Task, answers: impl IntoIterator<Item = Answer>) -> Run {
    let mut run = Run::new(task);
    answers.into_iter().for_each(|answer| run.answer(answer, 0, &texts()));
    run
}

fn pay(answers: impl IntoIterator<Item = Answer>) -> Run {
    run(Task::Pay(Box::new(asked()), None), answers)
}

fn apply(event: Event, answers: impl IntoIterator<Item = Answer>) -> Run {
    run(Task::Apply(Key::of(&open()), Box::new(event)), answers)
}

fn loaded(record: &Record) -> Answer {
    Answer::Loaded(Some(Arc::new(record.clone())), false)
}

#[test]
fn a_write_whose_answer_was_lost_is_known_by_its_writer() {
    let another = |record: &Record| Record { writer: "another".to_owned(), ..record.clone() };
    let inserted =
        |found: &Record| pay([Answer::Loaded(None, false), Answer::Duplicate, loaded(found)]).step();
    assert!(matches!(inserted(&sending()), Step::Check(_)));
    let Step::Done(done) = inserted(&another(&sending())) else { panic!("another process has the payment") };
    assert!(!done.is_own);
    let confirm = || Event::Instructed(Instruction::Confirm);
    let confirmed = after(&Record { writer: "before".to_owned(), ..open() }, confirm(), 0);
    let updated = |found: &Record| apply(confirm(), [loaded(&open()), Answer::Lost, loaded(found)]).step();
    let ours = Record { writer: "w".to_owned(), ..confirmed };
    assert!(matches!(updated(&ours), Step::Call(_, Call::Instruct(Instruction::Confirm, 1))));
    // Another process has confirmed. Its call may have arrived, so the status is queried first.
    assert!(matches!(updated(&another(&ours)), Step::Call(_, Call::Status)));
}

#[test]
fn pay_makes_the_attempt_after_the_superseded_one() {
    let refused = Record { standing: Standing::Refused, ..sending() };
    let Step::Update(sealed) = pay([loaded(&refused)]).step() else { panic!("it is not superseded") };
    for answers in [vec![Answer::Written], vec![Answer::Lost, loaded(&sealed)]] {
        let step = pay([loaded(&refused)].into_iter().chain(answers)).step();
        let Step::Insert(next) = step else { panic!("{step:?}") };
        assert_eq!((next.attempt, next.refusals), (2, 1));
    }
}

#[test]
fn a_pause_stops_new_payments_alone() {
    let paused = |record: Option<Record>| Answer::Loaded(record.map(Arc::new), true);
    let Step::Done(done) = pay([paused(None)]).step() else { panic!("it goes on") };
    assert!(done.is_paused);
    // If the payment is possibly stored, the driver checks the stored row, although the journal is paused.
    assert!(matches!(
        pay([Answer::Loaded(None, false), Answer::Duplicate, paused(Some(sending()))]).step(),
        Step::Check(_)
    ));
    assert!(matches!(
        apply(Event::Instructed(Instruction::Cancel), [paused(Some(open()))]).step(),
        Step::Update(_)
    ));
}

#[test]
fn the_claim_lasts_until_the_calls_of_a_due_attempt_are_made() {
    let stored = Intent { state: Some(IntentState::Stored), calls: 1, since: 0 };
    let asked = |record: Record| {
        let mut run = Run::due(Arc::new(Record { due_at: Some(0), ..record }), 0, &texts());
        assert!(matches!(run.step(), Step::Call(_, Call::Status)));
        run.answer(Answer::Called(Event::StatusReported(report(Some("pending"), "10"))), 0, &texts());
        assert!(matches!(run.step(), Step::Update(_)));
        run
    };
    assert!(asked(Record { confirm: stored, ..open() }).calls_next());
    assert!(!asked(open()).calls_next());
}

#[test]
fn a_call_is_known_to_have_been_made() {
    let mut run = apply(Event::Instructed(Instruction::Cancel), [loaded(&open()), Answer::Written]);
    assert!(!run.is_after_call());
    let accepted = Event::Answered(Instruction::Cancel, 1, CallEnd::Accepted, None);
    run.answer(Answer::Called(accepted), 0, &texts());
    assert!(run.is_after_call());
}

#[test]
fn an_operator_who_names_the_order_of_another_attempt_makes_no_orphan() {
    let unknown = Record { standing: Standing::Unknown, due_at: None, ..sending() };
    let found = Event::Found(report(Some("pending"), "10"), "found".to_owned());
    let Step::Done(done) = apply(found, [loaded(&unknown), Answer::Duplicate]).step() else {
        panic!("an orphan")
    };
    assert!(done.conflict);
    let webhook = Event::WebhookReported(report(Some("pending"), "10"));
    assert!(matches!(apply(webhook, [loaded(&unknown), Answer::Duplicate]).step(), Step::StoreOrphan(_)));
}

#[test]
fn the_result_of_a_call_changes_nothing_if_the_attempt_got_another_order() {
    let texts = texts();
    let webhook = Report { has_credentials: false, fields: Fields::new(), ..report(Some("pending"), "10") };
    let named = after(&sending(), Event::WebhookReported(webhook), 0);
    for order in [None, Some("o-2".to_owned())] {
        let mut run = apply(Event::Instructed(Instruction::Confirm), [loaded(&named), Answer::Written]);
        let Step::Call(_, Call::Instruct(instruction, number)) = run.step() else { panic!("{run:?}") };
        let now = Record { order_id: order, writer: "another".to_owned(), ..named.clone() };
        run.answer(Answer::Called(Event::Answered(instruction, number, CallEnd::Accepted, None)), 0, &texts);
        run.answer(Answer::Lost, 0, &texts);
        run.answer(loaded(&now), 0, &texts);
        let Step::Done(done) = run.step() else { panic!("{run:?}") };
        assert_eq!((done.record.as_deref(), now.confirm.state), (Some(&now), None));
    }
}
