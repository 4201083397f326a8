//! When the service is asked about an attempt.

use crate::model::record::Record;

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
const LAST_DAY: i64 = 30 * DAY;

/// The time for which a process claims an attempt to query it.
pub(crate) const CLAIM: i64 = MINUTE;
/// The pause before the next query after a change.
pub(crate) const SOON: i64 = 2 * SECOND;
/// An order that the service does not know needs an operator after this time.
pub(crate) const NOT_FOUND_TIME: i64 = 10 * MINUTE;
/// After how many of its replies at least.
pub(crate) const NOT_FOUND_REPLIES: u32 = 5;

/// When to ask again after `tries` questions without a change: after 2 s growing to 5 min for a day, hourly
/// for 30 days, then never.
pub(crate) fn next(now: i64, since: i64, tries: u32) -> Option<i64> {
    match now - since {
        age if age < DAY => Some(now + (SOON << tries.min(10)).min(5 * MINUTE)),
        age if age < LAST_DAY => Some(now + HOUR),
        _ => None,
    }
}

/// After this many refused attempts in a row, `pay` waits before the next one.
const AT_ONCE: u32 = 3;

/// From when on `pay` makes another attempt after one that was refused: at once after the first two, then 2 s
/// after the last one, doubling up to 5 min.
pub(crate) fn next_attempt(refused: &Record) -> i64 {
    match (refused.refusals + 1).checked_sub(AT_ONCE) {
        Some(more) => refused.updated_at + (SOON << more.min(10)).min(5 * MINUTE),
        None => i64::MIN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_grow_from_two_seconds_to_five_minutes_then_an_hour_then_end() {
        let pauses: Vec<i64> = (0..10).map(|tries| next(0, 0, tries).unwrap() / SECOND).collect();
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(next(0, 0, u32::MAX), Some(5 * MINUTE));
        assert_eq!(next(DAY, 0, 3), Some(DAY + HOUR));
        assert_eq!((next(LAST_DAY - 1, 0, 3), next(LAST_DAY, 0, 3)), (Some(LAST_DAY - 1 + HOUR), None));
    }
}
