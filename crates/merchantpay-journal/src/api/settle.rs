//! `settle`: asks the service about the attempts that are due.

use std::time::{Duration, Instant};

use merchantpay::{Code, Result};

use crate::api::journal::Journal;
use crate::api::read::Time;

/// The result of [`Journal::settle`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// The number of attempts about which the service was asked.
    pub done: u32,
    /// The time until the next attempt is due: zero if one is due now, `None` if none will be.
    pub next_due: Option<Duration>,
}

/// After this many transient failures in a row the rest waits: the service is probably not there.
const MOST_FAILURES_IN_A_ROW: u32 = 3;
/// 10 calls a second.
const BETWEEN_CALLS: Duration = Duration::from_millis(100);
/// Rows that are read at once. They are claimed one by one, so that several workers share the work.
const PAGE: u32 = 50;

impl Journal {
    /// Asks the service about at most `limit` attempts that are due, and sends unanswered instructions again;
    /// at most 10 calls a second. Call it from cron or in a loop, in as many processes as you like.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; `cancelled` if it was interrupted. A failed call is the entry's
    /// `error`, and comes again.
    pub fn settle(&self, limit: u32) -> Result<Settled> {
        self.settle_with(limit, |pause| self.client.pause(pause))
    }

    /// Like [`settle`](Journal::settle), for a host with something to do between two calls, such as handling
    /// signals: `pause_for` sleeps on the caller's thread, and its error ends the work. What was done stays
    /// stored.
    ///
    /// # Errors
    ///
    /// The errors of [`settle`](Journal::settle) and of `pause_for`.
    pub fn settle_with(
        &self,
        limit: u32,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Settled> {
        let (mut done, mut failures) = (0, 0);
        let mut next_call = Instant::now();
        'pages: while done < limit {
            let page = PAGE.min(limit - done);
            let found = self.database.due(page).map_err(|failure| self.failed(&failure))?;
            let time = Time::new(found.now, &self.config);
            let (is_last, done_before) = (found.attempts.len() < page as usize, done);
            for row in found.attempts {
                pause_for(next_call.saturating_duration_since(Instant::now()))?;
                let Some(asked) = self.claim_and_ask(&row, time, self.deadline())? else { continue };
                done += 1;
                next_call = next_call.max(Instant::now()) + BETWEEN_CALLS * asked.calls;
                match asked.error {
                    Some(error) if error.code() == Code::Cancelled => return Err(error),
                    Some(error) if error.is_transient() => failures += 1,
                    _ => failures = 0,
                }
                if failures >= MOST_FAILURES_IN_A_ROW {
                    break 'pages;
                }
            }
            if is_last || done == done_before {
                break;
            }
        }
        // Also the caller's next `settle` keeps the rate.
        pause_for(next_call.saturating_duration_since(Instant::now()))?;
        let next = self.database.next_due().map_err(|failure| self.failed(&failure))?;
        let next_due = next.map(|next| Duration::from_millis(u64::try_from(next).unwrap_or_default()));
        Ok(Settled { done, next_due })
    }
}
