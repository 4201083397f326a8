//! The database's clock, and what a transition is given from outside.

use std::time::Duration;

pub(crate) const SECOND: i64 = 1000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// How long a claim of a due row, and a lease of news, keep other workers away.
pub const LEASE: i64 = MINUTE;

/// What a call may take beyond its timeout until it has certainly ended.
pub const CALL_MARGIN: i64 = 10 * SECOND;

/// A longer timeout counts as this, so that a call of whatever process has ended after it.
pub const LONGEST_TIMEOUT: Duration = Duration::from_secs(600);

/// The longest time that a call of any process may take. Another process may have a longer timeout than this
/// one.
pub const LONGEST_CALL: i64 = LONGEST_TIMEOUT.as_millis() as i64 + CALL_MARGIN;

/// The time by the database's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    pub now: i64,
}

impl Clock {
    /// A stored time has passed. One that lies further ahead than the longest delay of its kind was stored
    /// before the clock was set back, and counts as passed.
    pub fn has_passed(self, time: i64, longest: i64) -> bool {
        time <= self.now || time > self.now.saturating_add(longest)
    }

    /// The time since a stored time. It is 0 if the clock was set back since.
    pub(crate) fn since(self, time: Option<i64>) -> i64 {
        time.map_or(0, |time| self.now.saturating_sub(time).max(0))
    }
}

/// What a transition needs beside what it reads. The random values are drawn before the write, so drawing
/// cannot fail after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The clock of the statement that read the row.
    pub clock: Clock,
    /// The longest time that a call of this process may take.
    pub own_call: i64,
    /// The stamp of the next write.
    pub stamp: String,
    pub token: String,
    /// A random number below 65 536: what a number of news grows by, beside one.
    pub step: u16,
}
