//! `wait`: until the last attempt of a reference has credentials, or is final.

use std::time::{Duration, Instant};

use merchantpay::{Code, Result, words};

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::read::no_entry;
use crate::model::attempt::{Attempt, Standing};
use crate::model::clock::{Clock, LONGEST_TIMEOUT};
use crate::model::plan::is_due;

words! {
    /// What ends [`Journal::wait`].
    #[non_exhaustive]
    pub enum Until {
        /// There are credentials; or none can be expected soon, because the attempt is refused, unknown,
        /// replaced or final.
        Credentials = "credentials", 1, since "0.2.0";
        /// The status is final; or it cannot be expected soon, because the attempt is refused, unknown or
        /// replaced.
        Final = "final", 2, since "0.2.0";
    }
}

#[expect(clippy::derivable_impls, reason = "the values of words! take no attribute")]
impl Default for Until {
    fn default() -> Until {
        Until::Credentials
    }
}

/// The service is asked about an attempt that is not due if nobody has asked for this long, in milliseconds.
const UNASKED: i64 = 2_000;
/// Between two looks at the journal.
const LOOK: Duration = Duration::from_millis(250);
/// A question near the end still gets this long.
const SHORTEST_QUESTION: Duration = Duration::from_millis(250);

impl Journal {
    /// Waits until the last attempt of a reference has reached `until`, at most for `timeout`, and returns
    /// its entry. Meanwhile the service is asked about it every two seconds, by one worker of all that wait.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such reference; `storage` if the journal failed; `cancelled` if it
    /// was interrupted.
    pub fn wait(&self, reference: &str, until: Until, timeout: Duration) -> Result<Entry> {
        self.wait_with(reference, until, timeout, |pause| self.client.pause(pause))
    }

    /// Like [`wait`](Journal::wait), for a host with something to do while it waits: `pause_for` sleeps on
    /// the caller's thread, and its error ends the wait.
    ///
    /// # Errors
    ///
    /// The errors of [`wait`](Journal::wait) and of `pause_for`.
    pub fn wait_with(
        &self,
        reference: &str,
        until: Until,
        timeout: Duration,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Entry> {
        // A day is as good as for ever, and can be added to an `Instant`.
        let end = Instant::now() + timeout.min(LONGEST_TIMEOUT * 144);
        loop {
            let read = self.read(reference)?;
            let row = read.all.last().ok_or_else(no_entry)?;
            let mut entry = Entry::new(row, &read.all, read.time.clock());
            if !is_reached(&entry, until) && is_asked(row, read.time.clock()) {
                let question_end = self.deadline().min(end.max(Instant::now() + SHORTEST_QUESTION));
                if let Some(asked) = self.claim_and_ask(row, read.time, question_end)? {
                    if let Some(error) = asked.error.filter(|error| error.code() == Code::Cancelled) {
                        return Err(error);
                    }
                    entry = self.entry_of(&asked.row, asked.time)?;
                }
            }
            let left = end.saturating_duration_since(Instant::now());
            if is_reached(&entry, until) || left.is_zero() {
                return Ok(entry);
            }
            pause_for(LOOK.min(left))?;
        }
    }
}

/// The attempt is due, or its order was not asked about for a while.
fn is_asked(row: &Attempt, clock: Clock) -> bool {
    is_due(row, clock)
        || row.order_id.is_some() && clock.has_passed(row.updated_at.saturating_add(UNASKED), UNASKED)
}

fn is_reached(entry: &Entry, until: Until) -> bool {
    match entry.standing {
        Standing::Refused | Standing::Unknown | Standing::Final | Standing::Superseded => true,
        Standing::Open => until == Until::Credentials && entry.credentials.is_some(),
        Standing::Sending => false,
    }
}
