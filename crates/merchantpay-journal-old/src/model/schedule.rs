//! The times at which the journal queries the service about an attempt.

use crate::model::record::Record;
use crate::model::standing::{IntentState, Standing};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
const LAST_DAY: i64 = 30 * DAY;

/// The time for which only one waiting process queries an attempt.
pub(crate) const CLAIM: i64 = MINUTE;
/// The pause before the next query after a change.
pub(crate) const SOON: i64 = 2 * SECOND;
/// An operator must decide about an order if the service has not known the order for this long.
pub(crate) const NOT_FOUND_TIME: i64 = 10 * MINUTE;
/// An operator must decide only after at least this many replies in which the service does not know the
/// order.
pub(crate) const NOT_FOUND_REPLIES: u32 = 5;

/// The time of the next query. It depends on the number of queries without a change. During the first day the
/// pause grows from 2 s to 5 min; if the attempt's webhooks arrive, from 32 s to 30 min. After the first day
/// the pause is an hour. After 30 days the queries end.
///
/// The token shortens each pause by up to a quarter, so that attempts do not stay due at the same time.
pub(crate) fn next(record: &Record, now: i64) -> Option<i64> {
    let (first, longest) = if awaits_webhook(record) { (SOON << 4, HOUR / 2) } else { (SOON, 5 * MINUTE) };
    let pause = match now - record.asking_since {
        age if age < DAY => (first << record.tries.min(10)).min(longest),
        age if age < LAST_DAY => HOUR,
        _ => return None,
    };
    Some(now + pause - pause / 4 * share(&record.token, record.tries) / SHARES)
}

/// Returns `true` if the next change should arrive by webhook. This is so if an earlier change did, and no
/// confirm or cancel waits for an answer of the service.
pub(crate) fn awaits_webhook(record: &Record) -> bool {
    let is_unanswered = [record.confirm, record.cancel]
        .iter()
        .any(|intent| matches!(intent.state, Some(IntentState::Stored | IntentState::Unclear)));
    record.has_webhook && record.order_id_confirmed && record.standing == Standing::Open && !is_unanswered
}

const SHARES: i64 = 1024;

/// A fraction that differs between attempts and between the queries of an attempt (FNV-1a).
fn share(token: &str, tries: u32) -> i64 {
    let bytes = token.bytes().chain(tries.to_le_bytes());
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    i64::from(hash >> 16) % SHARES
}

/// After this many refused attempts in a row, `pay` waits before the next attempt.
const AT_ONCE: u32 = 3;

/// The time from which `pay` makes another attempt after this refused attempt. After the first two refused
/// attempts there is no pause. After that the pause is 2 s, and doubles up to 5 min.
pub(crate) fn next_attempt(refused: &Record) -> i64 {
    match (refused.refusals + 1).checked_sub(AT_ONCE) {
        Some(more) => refused.updated_at + (SOON << more.min(10)).min(5 * MINUTE),
        None => i64::MIN,
    }
}
