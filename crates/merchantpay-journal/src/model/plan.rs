//! The plan of `settle`: when an attempt is asked about next.

use crate::model::attempt::{Attempt, IntentState, Reason, State};
use crate::model::clock::{Clock, DAY, HOUR, LEASE, MINUTE, Moment, SECOND};
use crate::model::decision::{Decision, Edit, IfChanged};

/// The pause before the first question, doubled by each further one.
pub(crate) const FIRST_PAUSE: i64 = 2 * SECOND;
const LONGEST_PAUSE_OF_FIRST_DAY: i64 = 5 * MINUTE;
/// The questions end after this time and this number, whichever comes last: a `settle` that runs once a day
/// asks longer.
const ASKED_FOR: i64 = 30 * DAY;
const ASKED_TIMES: u32 = 500;
/// When a failure is asked about again: an arbitration may turn it into a success whose webhook is lost.
const WATCH: [i64; 4] = [DAY, 3 * DAY, 10 * DAY, 30 * DAY];
/// The longest gap of [`WATCH`], from 10 to 30 days.
pub(crate) const LONGEST_WATCH: i64 = 20 * DAY;
/// A new order may be unknown to `getStatus` for this long.
const NOT_FOUND_FOR: i64 = 10 * MINUTE;

pub fn is_due(row: &Attempt, clock: Clock) -> bool {
    let longest = if is_watched(row) { LONGEST_WATCH } else { HOUR };
    row.due_at.is_some_and(|due_at| clock.has_passed(due_at, longest))
}

/// Takes a due row for one minute, so that other workers leave it alone. `wait` claims a row that is not due
/// in the same way.
pub fn claim(row: &Attempt, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    edit.row.due_at = Some(moment.clock.now + LEASE);
    edit.write(IfChanged::Drop)
}

/// A failed order that its customer may have been able to pay: without shown credentials the attempt would be refused, but
/// a restored row may lack them.
pub(crate) fn is_watched(row: &Attempt) -> bool {
    row.order_id.is_some()
        && row.is_failure()
        && !row.is_purged()
        && (row.state == State::Final || row.restored)
}

pub(crate) fn restart(edit: &mut Edit<'_>) {
    let now = edit.moment.clock.now;
    (edit.row.asking_since, edit.row.tries) = (Some(now), 0);
    edit.row.due_at = Some(now + FIRST_PAUSE);
}

pub(crate) fn ask_again(edit: &mut Edit<'_>) {
    let clock = edit.moment.clock;
    // A beginning that lies ahead was stored before the clock was set back.
    let begun = edit.row.asking_since.filter(|since| *since <= clock.now);
    edit.row.asking_since = begun.or(Some(clock.now));
    edit.row.tries = edit.row.tries.saturating_add(1);
    let age = clock.since(edit.row.asking_since);
    let pause = match age < DAY {
        true => (FIRST_PAUSE << edit.row.tries.min(8)).min(LONGEST_PAUSE_OF_FIRST_DAY),
        false => HOUR,
    };
    let is_over = age >= ASKED_FOR && edit.row.tries >= ASKED_TIMES;
    edit.row.due_at = (!is_over).then_some(clock.now + pause);
    if edit.row.state == State::Open {
        let is_waiting = edit.row.intent_state == Some(IntentState::Stored) || edit.row.replaced;
        if age >= ASKED_FOR || is_waiting && age >= DAY {
            edit.hold(Reason::Stuck);
        }
    }
}

/// Plans the next question after the service did not know the order.
pub(crate) fn ask_again_not_found(edit: &mut Edit<'_>) {
    if edit.row.order_id.is_some() && edit.moment.clock.since(edit.row.asking_since) >= NOT_FOUND_FOR {
        edit.hold(Reason::Stuck);
    }
    ask_again(edit);
}

/// Plans what remains to be asked about an order with a final status: nothing, or the watch of a failure.
pub(crate) fn watch(edit: &mut Edit<'_>, is_new: bool) {
    let now = edit.moment.clock.now;
    let begun = edit.row.asking_since.filter(|since| !is_new && *since <= now).unwrap_or(now);
    let next = WATCH.iter().map(|after| begun.saturating_add(*after)).find(|at| *at > now);
    (edit.row.asking_since, edit.row.tries) = (Some(begun), 0);
    edit.row.due_at = next.filter(|_| is_watched(&edit.row));
}
