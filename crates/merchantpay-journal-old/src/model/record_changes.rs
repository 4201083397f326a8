//! Small changes of a record that several transitions share.

use crate::model::record::{NotFound, Record};
use crate::model::schedule::{self, NOT_FOUND_REPLIES, NOT_FOUND_TIME};
use crate::model::standing::{Level, Reason, Standing};

pub(crate) fn open(record: &mut Record) {
    if matches!(record.standing, Standing::Sending | Standing::Unknown) {
        record.standing = Standing::Open;
        drop_unknown(record);
    }
}

/// Marks that the call has ended without proof of its effect.
pub(crate) fn become_unknown(record: &mut Record) {
    record.standing = Standing::Unknown;
    record.due_at = None;
    raise(record, Reason::Unknown);
}

/// Removes the reason `unknown`, because the result is known.
pub(crate) fn drop_unknown(record: &mut Record) {
    drop_reason(record, Reason::Unknown);
    drop_reason(record, Reason::OrderUnproven);
}

/// Removes the reported data of an order that does not belong to the attempt.
pub(crate) fn clear_reported_payment(record: &mut Record) {
    record.payment.clear();
    (record.status, record.sum_paid) = (None, None);
}

/// Marks that nobody can pay the attempt. With `report` the change is added to the news. Set `report` if the
/// caller of `pay` does not see the refusal in the result of its own call.
pub(crate) fn refuse(record: &mut Record, report: bool) {
    record.standing = Standing::Refused;
    record.due_at = None;
    drop_unknown(record);
    if report {
        raise_level(record, Level::Refused);
    }
}

pub(crate) fn ask_at(record: &mut Record, at: i64) {
    record.due_at = Some(record.due_at.map_or(at, |due_at| due_at.min(at)));
}

pub(crate) fn ask_later(record: &mut Record, now: i64) {
    record.due_at = schedule::next(record, now);
    record.tries = record.tries.saturating_add(1);
    if record.due_at.is_none() {
        raise(record, Reason::StillOpen);
    }
}

pub(crate) fn raise_level(record: &mut Record, level: Level) {
    record.reported = record.reported.max(level);
}

pub(crate) fn raise(record: &mut Record, reason: Reason) {
    if !record.seen.contains(&reason) && !record.attention.contains(&reason) {
        record.attention.push(reason);
        record.attention.sort_unstable();
    }
}

pub(crate) fn drop_reason(record: &mut Record, reason: Reason) {
    record.attention.retain(|kept| *kept != reason);
    record.seen.retain(|kept| *kept != reason);
}

pub(crate) fn count_not_found(record: &mut Record, now: i64) {
    let NotFound { since, replies } = record.not_found;
    let since = if replies == 0 { now } else { since };
    record.not_found = NotFound { since, replies: replies.saturating_add(1) };
    if now - since >= NOT_FOUND_TIME && record.not_found.replies >= NOT_FOUND_REPLIES {
        raise(record, Reason::OrderNotFound);
    }
}
