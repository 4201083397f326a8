//! Confirm and cancel. An instruction is stored before its call, and sent again until the service has
//! answered.

use crate::model::attempt::{Attempt, Intent, IntentState, Reason, State};
use crate::model::call::CallEnd;
use crate::model::clock::{LEASE, Moment};
use crate::model::decision::{Call, Decision, Edit, IfChanged};
use crate::model::order::{Beside, reported};
use crate::model::plan;
use crate::model::report::Answer;

/// Stores an instruction for an open attempt, and says which call follows. It takes the place of one without
/// an answer; an accepted cancel stays. The count of calls goes on: a call of the older instruction may have
/// arrived.
pub fn instruct(row: &Attempt, intent: Intent, moment: &Moment) -> Decision {
    let is_same = row.intent == Some(intent);
    let is_done = is_same && row.intent_state == Some(IntentState::Accepted);
    if row.state != State::Open || row.is_cancelled() || is_done {
        return Decision::default();
    }
    let mut edit = Edit::new(row, moment);
    if is_same && row.intent_state == Some(IntentState::Stored) {
        // An earlier call may have arrived: the status decides whether to send it again.
        edit.row.due_at = Some(moment.clock.now + LEASE);
        edit.call = Some(Call::Ask);
        return edit.write(IfChanged::DecideAgain);
    }
    (edit.row.intent, edit.row.intent_state) = (Some(intent), Some(IntentState::Stored));
    edit.row.intent_calls = row.intent_calls.saturating_add(1);
    edit.row.seen &= !Reason::Stuck.bit();
    plan::restart(&mut edit);
    edit.call = Some(Call::Instruct(intent));
    edit.write(IfChanged::DecideAgain)
}

/// A refusal proves nothing if an earlier call of the attempt may have taken effect: ask `getStatus` before
/// [`answered`].
pub fn refusal_needs_status(row: &Attempt) -> bool {
    row.intent_calls > 1
}

/// Stores the answer to an instruction. `row` is the row that was stored before the call; after a lost
/// compare-and-swap, the row that was read again. `asked` is what `getStatus` said after a refusal, if
/// [`refusal_needs_status`].
pub fn answered(
    row: &Attempt,
    intent: Intent,
    end: &CallEnd<()>,
    asked: Option<&Answer>,
    beside: Beside<'_>,
    moment: &Moment,
) -> Decision {
    if row.state != State::Open
        || row.intent != Some(intent)
        || row.intent_state == Some(IntentState::Accepted)
    {
        return Decision::default();
    }
    let mut edit = Edit::new(row, moment);
    match end {
        CallEnd::Accepted(()) => {
            edit.row.intent_state = Some(IntentState::Accepted);
            edit.row.error = None;
            plan::restart(&mut edit);
            return edit.finish(IfChanged::DecideAgain);
        }
        CallEnd::Refused(problem) => {
            edit.failed(problem);
            refused(&mut edit, asked, beside);
        }
        CallEnd::NotSent(problem) => {
            edit.failed(problem);
            edit.row.intent_calls = row.intent_calls.saturating_sub(1);
        }
        CallEnd::Unclear(problem) => edit.failed(problem),
    }
    edit.finish(IfChanged::Drop)
}

fn refused(edit: &mut Edit<'_>, asked: Option<&Answer>, beside: Beside<'_>) {
    if refusal_needs_status(&edit.row) {
        let Some(Answer::Report(report)) = asked else { return };
        if edit.row.order_id.as_ref() != Some(&report.order_id) {
            return;
        }
        reported(edit, report, beside);
        if edit.row.state != State::Open {
            return;
        }
    }
    edit.row.intent_state = Some(IntentState::Refused);
    edit.hold(Reason::Stuck);
}
