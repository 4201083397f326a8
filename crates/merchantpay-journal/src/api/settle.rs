//! `settle`: asks the service about due attempts, and retries unanswered confirms and cancels.

use std::time::{Duration, Instant};

use merchantpay::{Code, Result};

use crate::api::journal::Journal;
use crate::model::event::Event;
use crate::storage::queries::not_sent;

/// What `settle` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// How many attempts it looked at.
    pub done: u32,
    /// When the next is due: zero for at once, `None` for never.
    pub next_due: Option<Duration>,
}

/// After how many calls in a row that the network failed the rest waits.
const FAILURES: u32 = 3;

impl Journal {
    /// Asks the service about at most `limit` attempts that are due. Call it from cron or in a loop; several
    /// may share the work.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; `cancelled` if the client was interrupted. A call that fails is the
    /// entry's own [error](crate::Entry::error), and asked again later.
    pub fn settle(&self, limit: u32) -> Result<Settled> {
        self.settle_with(limit, |pause| self.client.pause(pause))
    }

    /// The same for a host that must look at something of its own between two attempts, such as its signals:
    /// each pause is `pause_for`'s, and an error that it gives ends the work. What was done is stored.
    ///
    /// # Errors
    ///
    /// As [`settle`](Journal::settle), and whatever `pause_for` gives.
    pub fn settle_with(
        &self,
        limit: u32,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Settled> {
        self.check()?;
        let due = self.queries.due(&self.account, limit).map_err(not_sent)?;
        let pause = Duration::from_secs(1) / self.calls_per_second;
        let (mut done, mut failures) = (0, 0);
        for (_, record) in due {
            let begun = Instant::now();
            let finished = self.apply(&record, Event::Claimed(false))?;
            done += u32::from(finished.done.changed);
            match finished.error {
                Some(error) if error.code() == Code::Cancelled => return Err(error),
                Some(error) if error.is_transient() => failures += 1,
                _ => failures = 0,
            }
            if failures == FAILURES {
                break;
            }
            if finished.done.changed {
                pause_for(pause.saturating_sub(begun.elapsed()))?;
            }
        }
        let next = self.queries.next_due().map_err(not_sent)?;
        Ok(Settled {
            done,
            next_due: next.map(|next| Duration::from_millis(u64::try_from(next).unwrap_or_default())),
        })
    }
}
