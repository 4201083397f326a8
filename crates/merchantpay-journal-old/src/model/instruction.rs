//! Confirms and cancels. The journal stores an instruction before the call, and retries the call until the
//! service has answered.

use merchantpay::Status;

use crate::model::event::{Call, CallEnd, Instruction};
use crate::model::record::{Intent, Record};
use crate::model::record_changes::{ask_at, ask_later, drop_reason, raise};
use crate::model::schedule::{DAY, SOON};
use crate::model::standing::{IntentState, Reason, Standing};

/// The call that `settle` makes next after a status that is not final.
pub(crate) fn after_status(record: &mut Record, now: i64) -> Option<Call> {
    if record.has_final_status() {
        return None;
    }
    ask_later(record, now);
    let awaits_payment = matches!(record.status(), None | Some(Status::Free | Status::Pending));
    match record.standing {
        Standing::Open if record.cancel.state == Some(IntentState::Stored) => {
            Some(call_again(record, Instruction::Cancel))
        }
        Standing::Open => {
            let is_undecided =
                matches!(record.confirm.state, Some(IntentState::Stored | IntentState::Unclear));
            if is_undecided && now - record.confirm.since >= DAY {
                raise(record, Reason::ConfirmUnclear);
            }
            let says_again = record.confirm.state == Some(IntentState::Stored) && awaits_payment;
            says_again.then(|| call_again(record, Instruction::Confirm))
        }
        Standing::Superseded if awaits_payment => Some(cancel_superseded(record, now)),
        _ => None,
    }
}

/// Cancels a superseded attempt repeatedly. The service refuses a cancel while the status is `free`; a later
/// cancel can succeed.
fn cancel_superseded(record: &mut Record, now: i64) -> Call {
    if record.cancel.calls == 0 {
        record.cancel.since = now;
    } else if now - record.cancel.since >= DAY {
        raise(record, Reason::SupersededAlive);
    }
    call_again(record, Instruction::Cancel)
}

fn call_again(record: &mut Record, instruction: Instruction) -> Call {
    let intent = intent(record, instruction);
    intent.state = intent.state.or(Some(IntentState::Stored));
    intent.calls += 1;
    Call::Instruct(instruction, intent.calls)
}

fn intent(record: &mut Record, instruction: Instruction) -> &mut Intent {
    match instruction {
        Instruction::Confirm => &mut record.confirm,
        Instruction::Cancel => &mut record.cancel,
    }
}

/// Stores an instruction before its call. If the same instruction is stored already, an earlier call may have
/// arrived. In this case the status is queried first.
pub(crate) fn store(record: &mut Record, instruction: Instruction, now: i64) -> Option<Call> {
    let is_accepted = |intent: &Intent| intent.state == Some(IntentState::Accepted);
    if record.standing != Standing::Open
        || is_accepted(&record.cancel)
        || is_accepted(intent(record, instruction))
    {
        return None;
    }
    let other = match instruction {
        Instruction::Confirm => Instruction::Cancel,
        Instruction::Cancel => Instruction::Confirm,
    };
    let replaced = intent(record, other);
    if replaced.state == Some(IntentState::Stored) {
        replaced.state = (replaced.calls > 0).then_some(IntentState::Unclear);
    }
    let wanted = intent(record, instruction);
    match wanted.state {
        Some(IntentState::Stored) => return Some(Call::Status),
        Some(IntentState::Unclear) => {}
        _ => *wanted = Intent { since: now, ..Intent::default() },
    }
    wanted.state = Some(IntentState::Stored);
    wanted.calls += 1;
    let call = Call::Instruct(instruction, wanted.calls);
    record.due_at = Some(now + SOON);
    record.tries = 0;
    Some(call)
}

pub(crate) fn answered(record: &mut Record, instruction: Instruction, number: u32, end: CallEnd, now: i64) {
    let intent = intent(record, instruction);
    let is_only_call = intent.calls <= 1 && number <= 1;
    match end {
        CallEnd::Accepted => intent.state = Some(IntentState::Accepted),
        CallEnd::Refused if intent.state != Some(IntentState::Stored) => {}
        CallEnd::Refused if is_only_call => {
            intent.state = Some(IntentState::Refused);
            if instruction == Instruction::Confirm {
                raise(record, Reason::ConfirmRefused);
            }
        }
        CallEnd::Refused => intent.state = Some(IntentState::Unclear),
        CallEnd::NotSent if is_only_call => intent.calls = 0,
        CallEnd::NotSent | CallEnd::Unclear => {}
    }
    if end == CallEnd::Accepted && instruction == Instruction::Confirm {
        drop_reason(record, Reason::ConfirmRefused);
        drop_reason(record, Reason::ConfirmUnclear);
    }
    if record.due_at.is_some() && record.standing == Standing::Open {
        ask_at(record, now + SOON);
    }
}
