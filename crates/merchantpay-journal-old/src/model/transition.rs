//! Applies events to a record. The functions are pure: the clock and random values are arguments. The model
//! in `tests/model` uses these functions too.

use crate::model::event::{Call, CallEnd, Change, Event, Source};
use crate::model::instruction::{self, after_status, answered};
use crate::model::order_proof::{Proof, forget_order, proof};
use crate::model::record::{Reasons, Record};
use crate::model::record_changes::{ask_later, become_unknown, count_not_found, drop_unknown, refuse};
use crate::model::schedule::{self, CLAIM};
use crate::model::service_report::{apply_report, credentials_failed};
use crate::model::standing::{IntentState, Standing};

/// Applies `event` to `record`.
pub fn apply(record: &Record, event: &Event, now: i64) -> Change {
    let mut next = record.clone();
    let mut call = None;
    let mut conflict = false;
    let mut is_orphan = false;
    next.call_ended |= matches!(event, Event::Created(_) | Event::NotCreated(..));
    match event {
        Event::Created(report) => conflict = !apply_report(&mut next, report, Source::Creation, now),
        Event::WebhookReported(report) => conflict = !apply_report(&mut next, report, Source::Webhook, now),
        Event::CredentialsFailed(report) => conflict = !credentials_failed(&mut next, report, now),
        Event::Found(report, note) => {
            if next.order_id.is_none() && next.standing_at(now) != Standing::Sending {
                conflict = !apply_report(&mut next, report, Source::Status, now);
                next.notes.push(note.clone());
            }
        }
        // The order was removed from the attempt during the query, so the reply becomes an orphan.
        Event::StatusReported(_) if next.order_id.is_none() => conflict = true,
        Event::StatusFailed(..) | Event::Answered(..) if next.order_id.is_none() => {}
        // A webhook ended the attempt before the query failed. The failure changes nothing.
        Event::StatusFailed(..) if next.standing == Standing::Final || next.has_final_status() => {}
        Event::StatusReported(report) => match proof(&next, report, now) {
            Proof::Enough => match apply_report(&mut next, report, Source::Status, now) {
                true => {
                    next.error = None;
                    call = after_status(&mut next, now);
                }
                false => conflict = true,
            },
            Proof::TooLittle => {
                forget_order(&mut next);
                is_orphan = true;
            }
            Proof::Early(until) => {
                next.due_at = Some(until);
                next.tries = next.tries.saturating_add(1);
            }
        },
        Event::StatusFailed(not_found, problem) => {
            next.error = Some(problem.clone());
            ask_later(&mut next, now);
            if *not_found {
                count_not_found(&mut next, now);
            }
        }
        Event::NotCreated(end, problem) => {
            if not_created(&mut next, *end, now) {
                next.error = Some(problem.clone());
            }
        }
        Event::Due => call = ask(&mut next, now).filter(|_| is_due(record, now)),
        Event::Awaited => {
            call = ask(&mut next, now);
            if call.is_some() {
                // Prevents other workers from querying the attempt at the same time.
                next.due_at = Some(now + CLAIM);
            }
        }
        Event::Instructed(wanted) => call = instruction::store(&mut next, *wanted, now),
        Event::Answered(instruction, number, end, problem) => {
            answered(&mut next, *instruction, *number, *end, now);
            next.error = problem.clone().filter(|_| next.standing != Standing::Final);
        }
        Event::NoPayment(note) => {
            if next.standing_at(now) == Standing::Unknown {
                refuse(&mut next, true);
                next.notes.push(note.clone());
            }
        }
        Event::Seen(shown, note) => mark_seen(&mut next, shown, note, now),
        Event::Purged => purge(&mut next),
        Event::Forgotten => {
            if next.is_forgettable() {
                purge(&mut next);
                next.forgotten = true;
            }
        }
    }
    if conflict {
        next = record.clone();
    }
    Change { record: next, call, conflict, is_orphan }
}

/// The decision of `pay` about the last attempt of a reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Return the existing entry.
    Keep,
    /// Write the last attempt as superseded, then make a new attempt.
    Seal(Box<Record>),
    /// Make a new attempt. The values are its number, and the number of consecutive refused attempts before
    /// it.
    Insert(u32, u32),
}

/// Decides whether `pay` makes a new attempt. Without `replace`, `pay` makes one only if the last attempt is
/// refused or superseded. If `replace` is the last attempt's number, `pay` also makes a new attempt after an
/// unknown attempt, an open attempt with an accepted cancel, or a final attempt without a success.
pub fn decide(last: Option<&Record>, replace: Option<u32>, now: i64) -> Decision {
    let Some(last) = last else { return Decision::Insert(1, 0) };
    let replaces = match replace {
        Some(attempt) if attempt != last.attempt => return Decision::Keep,
        replace => replace.is_some(),
    };
    let is_due = match last.standing_at(now) {
        Standing::Refused => replaces || schedule::next_attempt(last) <= now,
        Standing::Superseded => true,
        Standing::Unknown => replaces,
        Standing::Open => replaces && last.cancel.state == Some(IntentState::Accepted),
        Standing::Final => replaces && !last.is_success(),
        Standing::Sending => false,
    };
    let is_closed = matches!(last.standing, Standing::Final | Standing::Superseded);
    match is_due {
        false => Decision::Keep,
        true if is_closed => Decision::Insert(last.attempt + 1, last.refusals),
        true => Decision::Seal(Box::new(sealed(last, now))),
    }
}

fn sealed(record: &Record, now: i64) -> Record {
    let mut next = record.clone();
    next.refusals = if record.standing == Standing::Refused { record.refusals.saturating_add(1) } else { 0 };
    next.standing = Standing::Superseded;
    drop_unknown(&mut next);
    next.due_at = (next.order_id.is_some() && !next.has_final_status()).then_some(now);
    next
}

/// Applies the failure of the call that creates the payment. Returns `true` if the record changed.
fn not_created(record: &mut Record, end: CallEnd, now: i64) -> bool {
    let was_unknown = record.standing_at(now) == Standing::Unknown;
    match (record.standing, end) {
        (Standing::Sending | Standing::Unknown, CallEnd::NotSent | CallEnd::Refused) => {
            refuse(record, was_unknown)
        }
        (Standing::Sending, _) => become_unknown(record),
        _ => return false,
    }
    true
}

/// The status query for an attempt; `None` if nothing must be queried.
fn ask(record: &mut Record, now: i64) -> Option<Call> {
    if record.standing == Standing::Sending {
        if is_due(record, now) {
            become_unknown(record);
        }
        return None;
    }
    let is_final = record.standing == Standing::Final || record.has_final_status();
    if record.order_id.is_none() || is_final {
        // An attempt that keeps an old due time would stay the first of all due attempts.
        record.due_at = None;
        return None;
    }
    Some(Call::Status)
}

fn is_due(record: &Record, now: i64) -> bool {
    record.due_at.is_some_and(|due_at| due_at <= now)
}

/// Removes from the attention list the reasons that the operator saw. Reasons that were added later stay on
/// the list.
fn mark_seen(record: &mut Record, shown: &Reasons, note: &str, now: i64) {
    if record.standing_at(now) == Standing::Unknown && record.standing == Standing::Sending {
        become_unknown(record);
    }
    let newer = &mut record.newer_reasons;
    let is_moved = move_to(&mut record.attention, &mut record.seen, |reason| shown.known.contains(reason))
        | move_to(&mut newer.attention, &mut newer.seen, |reason| shown.newer.contains(reason));
    if is_moved {
        record.notes.push(note.to_owned());
    }
}

/// Moves the selected reasons. Returns `false` if no reason was selected.
fn move_to<T: Ord>(from: &mut Vec<T>, to: &mut Vec<T>, is_selected: impl Fn(&T) -> bool) -> bool {
    let before = from.len();
    to.extend(from.extract_if(.., |reason| is_selected(reason)));
    to.sort_unstable();
    to.dedup();
    from.len() < before
}

fn purge(record: &mut Record) {
    record.payment.clear();
    record.unknown_fields.clear();
    record.notes.clear();
    record.error = None;
    record.request_hash.clear();
    record.payment_method.clear();
    record.purged = true;
}
