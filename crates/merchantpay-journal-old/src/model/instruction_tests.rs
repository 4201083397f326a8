//! Tests of confirms and cancels.

use crate::model::event::{Call, CallEnd, Event, Instruction};
use crate::model::record::{Intent, Record};
use crate::model::standing::{IntentState, Reason, Standing};
use crate::model::transition::apply;
use crate::model::transition_tests::{after, open, problem, report};

fn intent(state: IntentState, calls: u32) -> Intent {
    Intent { state: Some(state), calls, since: 1 }
}

fn with_confirm(confirm: Intent) -> Record {
    Record { confirm, ..open() }
}

#[test]
fn an_instruction_is_stored_with_the_number_of_its_call() {
    let wanted = |record: &Record| {
        let change = apply(record, &Event::Instructed(Instruction::Confirm), 9);
        (change.record.confirm, change.call)
    };
    let first = (
        Intent { since: 9, ..intent(IntentState::Stored, 1) },
        Some(Call::Instruct(Instruction::Confirm, 1)),
    );
    assert_eq!(wanted(&open()), first);
    assert_eq!(wanted(&with_confirm(intent(IntentState::Refused, 3))), first);
    // An earlier call may have arrived, so the number of calls is not reset.
    let unclear = with_confirm(intent(IntentState::Unclear, 3));
    assert_eq!(
        wanted(&unclear),
        (intent(IntentState::Stored, 4), Some(Call::Instruct(Instruction::Confirm, 4)))
    );
    let stored = with_confirm(intent(IntentState::Stored, 3));
    assert_eq!(wanted(&stored), (stored.confirm, Some(Call::Status)));
    // No call is made: the confirm is accepted, the payment is cancelled, or the attempt is final.
    let accepted = intent(IntentState::Accepted, 1);
    for record in [
        with_confirm(accepted),
        Record { cancel: accepted, ..open() },
        Record { standing: Standing::Final, ..open() },
    ] {
        assert_eq!(wanted(&record), (record.confirm, None), "{record:?}");
    }
}

#[test]
fn an_instruction_replaces_the_other_one() {
    let replaced =
        |confirm| after(&with_confirm(confirm), Event::Instructed(Instruction::Cancel), 9).confirm.state;
    assert_eq!(replaced(intent(IntentState::Stored, 1)), Some(IntentState::Unclear));
    assert_eq!(replaced(intent(IntentState::Stored, 0)), None);
    assert_eq!(replaced(intent(IntentState::Refused, 1)), Some(IntentState::Refused));
}

#[test]
fn an_instruction_is_repeated_until_it_is_answered() {
    let called = |record: &Record, status: &str| {
        apply(record, &Event::StatusReported(report(Some(status), "10")), 2).call
    };
    let stored = intent(IntentState::Stored, 1);
    let again = |instruction| Some(Call::Instruct(instruction, 2));
    assert_eq!(called(&with_confirm(stored), "pending"), again(Instruction::Confirm));
    assert_eq!(called(&Record { cancel: stored, ..open() }, "pending"), again(Instruction::Cancel));
    // The service verifies the payment already, so no confirm is necessary.
    assert_eq!(called(&with_confirm(stored), "verifying"), None);
    assert_eq!(called(&with_confirm(intent(IntentState::Unclear, 1)), "pending"), None);
}

#[test]
fn a_refusal_counts_only_if_no_other_call_can_have_arrived() {
    let answered = |confirm, number, end| {
        let record = after(
            &with_confirm(confirm),
            Event::Answered(Instruction::Confirm, number, end, Some(problem())),
            9,
        );
        assert!(record.error.is_some());
        (record.confirm.state, record.confirm.calls, record.attention)
    };
    let (stored, unclear) = (Some(IntentState::Stored), Some(IntentState::Unclear));
    let refused = (Some(IntentState::Refused), 1, vec![Reason::ConfirmRefused]);
    assert_eq!(answered(intent(IntentState::Stored, 1), 1, CallEnd::Refused), refused);
    assert_eq!(answered(intent(IntentState::Stored, 2), 2, CallEnd::Refused), (unclear, 2, vec![]));
    assert_eq!(answered(intent(IntentState::Stored, 2), 1, CallEnd::Refused), (unclear, 2, vec![]));
    assert_eq!(answered(intent(IntentState::Stored, 1), 2, CallEnd::Refused), (unclear, 1, vec![]));
    assert_eq!(answered(intent(IntentState::Unclear, 1), 1, CallEnd::Refused), (unclear, 1, vec![]));
    assert_eq!(answered(intent(IntentState::Stored, 1), 1, CallEnd::NotSent), (stored, 0, vec![]));
    assert_eq!(answered(intent(IntentState::Stored, 2), 2, CallEnd::NotSent), (stored, 2, vec![]));
    assert_eq!(answered(intent(IntentState::Stored, 1), 1, CallEnd::Unclear), (stored, 1, vec![]));
}

#[test]
fn an_accepted_confirm_ends_the_doubts_about_it() {
    let doubted = Record {
        confirm: intent(IntentState::Stored, 2),
        cancel: intent(IntentState::Stored, 1),
        attention: vec![Reason::ConfirmRefused, Reason::ConfirmUnclear],
        ..open()
    };
    let answered =
        |instruction, end| after(&doubted, Event::Answered(instruction, 1, end, None), 9).attention.len();
    assert_eq!(answered(Instruction::Confirm, CallEnd::Accepted), 0);
    assert_eq!(answered(Instruction::Confirm, CallEnd::Unclear), 2);
    assert_eq!(answered(Instruction::Cancel, CallEnd::Accepted), 2);
    let refused = after(&doubted, Event::Answered(Instruction::Cancel, 1, CallEnd::Refused, None), 9);
    assert_eq!((refused.cancel.state, refused.attention.len()), (Some(IntentState::Refused), 2));
}
