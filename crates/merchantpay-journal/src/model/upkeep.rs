//! What only the program does: purge, forget, the mark of a restore, and the end of a pause.

use crate::model::attempt::{Attempt, State};
use crate::model::clock::{Clock, Moment};
use crate::model::decision::{Decision, Edit, IfChanged};
use crate::model::plan::is_watched;

/// Nobody needs the details any more: the attempt is over, the merchant knows it, and no person must look at
/// it.
fn is_finished(row: &Attempt, clock: Clock) -> bool {
    let is_over = row.replaced || matches!(row.state, State::Refused | State::Final);
    is_over && row.news <= row.acked && row.attention(clock) == 0
}

/// Removes the details of a finished attempt about which nothing is asked any more. Keys, sums and states
/// stay for ever.
pub fn purge(row: &Attempt, moment: &Moment) -> Decision {
    match row.due_at {
        None => erase(row, moment),
        Some(_) => Decision::default(),
    }
}

/// The same for one reference at the merchant's wish. It also ends the watch of a failure, but no other
/// question: a replaced attempt is still cancelled.
pub fn forget(row: &Attempt, moment: &Moment) -> Decision {
    match is_watched(row) {
        true => erase(row, moment),
        false => purge(row, moment),
    }
}

fn erase(row: &Attempt, moment: &Moment) -> Decision {
    if !is_finished(row, moment.clock) {
        return Decision::default();
    }
    let mut edit = Edit::new(row, moment);
    (edit.row.details, edit.row.asked, edit.row.error, edit.row.due_at) = (None, None, None, None);
    edit.finish(IfChanged::Drop)
}

/// Marks a row of a restored backup. The program does it for all rows in one statement, together with the
/// pause.
pub fn restored(row: &Attempt) -> Attempt {
    Attempt { restored: true, ..row.clone() }
}

/// `pause` may return: no statement that began before the pause can still run, and no call that it let
/// through.
pub fn has_paused(sent: &[Attempt], paused_at: i64, statement_limit: i64, clock: Clock) -> bool {
    clock.has_passed(paused_at.saturating_add(statement_limit), statement_limit)
        && sent.iter().all(|row| !row.call_runs(clock))
}
