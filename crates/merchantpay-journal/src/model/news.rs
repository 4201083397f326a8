//! News: what a merchant has not acknowledged. These statements write `acked` or `news_due` alone, and no
//! stamp.

use crate::model::attempt::Attempt;
use crate::model::clock::{Clock, LEASE};

/// The new `news_due` of an entry that may be handed out now. The statement also requires that `news_due` and
/// `news` are as read.
pub fn lease(row: &Attempt, clock: Clock) -> Option<i64> {
    let is_free = row.news_due.is_none_or(|due| clock.has_passed(due, LEASE));
    (row.news > row.acked && is_free).then_some(clock.now + LEASE)
}

/// The acknowledging statement changes the row: the number is the newest one, and was not acknowledged before. An older
/// number would cover a change that nobody has read.
pub fn acknowledges(row: &Attempt, number: i64) -> bool {
    row.news == number && row.acked < number
}
