//! `settle`: asks the service about due attempts, and retries unanswered confirms and cancels.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use merchantpay::{Code, Error, Outcome, Result};

use crate::api::journal::Journal;
use crate::api::progress::{Clock, Finished, Progress, Stage};
use crate::api::random::random;
use crate::api::run::{PATIENCE, while_passing};
use crate::api::settle_workers::Workers;
use crate::model::record::Record;
use crate::storage::queries::not_sent;

/// The result of `settle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// The number of attempts that `settle` processed.
    pub done: u32,
    /// The time until the next attempt is due. Zero if an attempt is due now, `None` if no attempt will be
    /// due.
    pub next_due: Option<Duration>,
}

/// Postpone the remaining calls after this many consecutive network failures.
const FAILURES: u32 = 3;

/// If a claimed attempt is not processed within this time, `settle` releases it for other workers.
const TURN: Duration = Duration::from_secs(15);
/// A claim lasts for [`TURN`], for the client's timeout, and for this margin.
const MARGIN: Duration = Duration::from_secs(15);
/// A claim contains at most as many attempts as the rate allows calls in this many seconds.
const PAGE_SECONDS: u32 = 5;
/// The number of claimed attempts for each concurrent call. The number is small, so that workers share the
/// work.
const CLAIMED_FOR_EACH: u32 = 4;
/// While calls run, the host gets control at this interval.
const SLICE: Duration = Duration::from_millis(100);

impl Journal {
    /// Asks the service about at most `limit` attempts that are due. Call `settle` from cron or in a loop.
    /// Several workers can share the work. Each worker claims its attempts for about a minute, so that no
    /// other worker processes them at the same time.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; `cancelled` if the client was interrupted. The error of a failed call
    /// is not returned: it is the entry's [error](crate::Entry::error), and the call is retried later.
    pub fn settle(&self, limit: u32) -> Result<Settled> {
        self.settle_with(limit, |pause| self.client.pause(pause))
    }

    /// Like [`settle`](Journal::settle), for a host that must do something during the call, such as handle
    /// signals. `pause_for` sleeps for each pause on the caller's thread; an error of `pause_for` ends the
    /// work. Completed work stays stored.
    ///
    /// # Errors
    ///
    /// The errors of [`settle`](Journal::settle), and every error of `pause_for`.
    pub fn settle_with(
        &self,
        limit: u32,
        mut pause_for: impl FnMut(Duration) -> Result<()>,
    ) -> Result<Settled> {
        self.check()?;
        let next_due = || self.queries.next_free(&self.account).map_err(not_sent);
        let (mut done, mut next) = (0, next_due()?);
        if limit > 0 && next.is_some_and(|next| next <= 0) {
            done = self.settle_due(limit, &mut pause_for)?;
            next = next_due()?;
        }
        let milliseconds = |next| Duration::from_millis(u64::try_from(next).unwrap_or_default());
        Ok(Settled { done, next_due: next.map(milliseconds) })
    }

    fn settle_due(&self, limit: u32, pause_for: &mut dyn FnMut(Duration) -> Result<()>) -> Result<u32> {
        // The journal is derived, so that `settle` can interrupt the calls that it started, and no other
        // call.
        let journal = self.derive();
        // A host's signer or observer expects its calls one after another on the caller's thread.
        let at_once = if self.client.has_callbacks() { 1 } else { self.calls_at_once };
        thread::scope(|scope| {
            let work = Work {
                journal: &journal,
                workers: Workers::new(scope, &journal, at_once),
                pause_for,
                page: (at_once * CLAIMED_FOR_EACH).min(self.calls_per_second.saturating_mul(PAGE_SECONDS)),
                left: limit,
                claimed: Claimed::default(),
                next_call: Instant::now(),
                done: 0,
                failures: 0,
                fault: None,
            };
            work.run()
        })
    }
}

/// Claimed attempts that wait for their turn.
#[derive(Default)]
struct Claimed {
    claim: String,
    at: Option<Instant>,
    clock: Clock,
    rows: VecDeque<Record>,
}

/// A running `settle`.
struct Work<'s, 'e, 'p> {
    journal: &'e Journal,
    workers: Workers<'s, 'e>,
    pause_for: &'p mut dyn FnMut(Duration) -> Result<()>,
    /// The number of attempts in one claim.
    page: u32,
    /// The number of attempts that this `settle` can still claim.
    left: u32,
    claimed: Claimed,
    /// The time of the next call that the rate allows.
    next_call: Instant,
    done: u32,
    failures: u32,
    /// The error that ends the work early.
    fault: Option<Error>,
}

impl Work<'_, '_, '_> {
    fn run(mut self) -> Result<u32> {
        loop {
            match self.next() {
                Some(record) => self.begin(record),
                None if self.workers.running() > 0 => self.await_end(SLICE),
                None => break,
            }
        }
        self.give_back();
        match self.fault {
            Some(fault) => Err(fault),
            None => {
                // Waits until the next call is allowed, so that the caller's next `settle` keeps the rate
                // too.
                (self.pause_for)(self.next_call.saturating_duration_since(Instant::now()))?;
                Ok(self.done)
            }
        }
    }

    fn goes_on(&self) -> bool {
        self.fault.is_none() && self.failures < FAILURES
    }

    /// Returns the next claimed attempt if a further call is allowed now.
    fn next(&mut self) -> Option<Record> {
        while self.goes_on() && self.workers.has_room() && (self.left > 0 || !self.claimed.rows.is_empty()) {
            if self.claimed.at.is_some_and(|at| at.elapsed() >= TURN) {
                self.give_back();
            }
            if self.claimed.rows.is_empty()
                && let Err(error) = self.claim()
            {
                self.stop(error);
            }
            let now = Instant::now();
            match self.next_call.saturating_duration_since(now) {
                pause if pause.is_zero() || self.claimed.rows.is_empty() => {
                    return self.claimed.rows.pop_front().filter(|_| self.goes_on());
                }
                pause if self.workers.running() > 0 => self.await_end(pause.min(SLICE)),
                pause => self.pause(pause),
            }
        }
        None
    }

    /// Claims a page of due attempts. If the page is not full, no further page is claimed.
    fn claim(&mut self) -> Result<()> {
        let (journal, limit) = (self.journal, self.page.min(self.left));
        let [claim] = random(Outcome::NotSent)?;
        let time = i64::try_from((TURN + journal.timeout + MARGIN).as_millis()).unwrap_or(i64::MAX / 2);
        // Concurrent claims can deadlock. Then the database ends one claim, and that claim is retried.
        let rows = while_passing(Instant::now() + PATIENCE, || {
            journal.queries.claim_due(&journal.account, &claim, time, limit).map_err(not_sent)
        })?;
        let count = u32::try_from(rows.len()).unwrap_or(limit);
        self.left = if count < limit { 0 } else { self.left - limit };
        let mut clock = Clock::default();
        rows.first().inspect(|(now, _)| clock.set(*now));
        let rows = rows.into_iter().map(|(_, record)| record).collect();
        self.claimed = Claimed { claim, at: Some(Instant::now()), clock, rows };
        Ok(())
    }

    fn begin(&mut self, record: Record) {
        let Claimed { claim, clock, .. } = &self.claimed;
        match Progress::due(record, *clock, claim, self.journal.deadline()) {
            Ok(progress) => self.advance(progress),
            Err(error) => self.stop(error),
        }
    }

    /// Executes an attempt's steps up to the next call, or up to the last step.
    fn advance(&mut self, mut progress: Progress) {
        let stage = while_passing(Instant::now() + PATIENCE, || self.journal.advance(&mut progress));
        match stage {
            Ok(Stage::Call(record, call)) => {
                let rate = Duration::from_secs(1) / self.journal.calls_per_second;
                self.next_call = self.next_call.max(Instant::now()) + rate;
                self.workers.make(progress, record, call);
            }
            Ok(Stage::Done(finished)) => self.note(&progress, finished),
            Err(error) => self.stop(error),
        }
    }

    fn note(&mut self, progress: &Progress, finished: Finished) {
        self.done += u32::from(finished.done.changed || progress.has_called());
        if let (Some(claim), Some(record)) = (&progress.claim, &finished.done.record) {
            // If the release fails, the claim expires.
            let _ = self.journal.queries.release(record, claim);
        }
        match finished.error {
            Some(error) if error.code() == Code::Cancelled => self.stop(error),
            Some(error) if error.is_transient() => self.failures += 1,
            _ => self.failures = 0,
        }
    }

    /// Waits at most this long for the end of a call, and stores its result.
    fn await_end(&mut self, within: Duration) {
        match self.workers.next_end(within) {
            Some(progress) => self.advance(progress),
            None => self.pause(Duration::ZERO),
        }
    }

    /// Waits for this time by the caller's function `pause_for`. If this function returns an error, the running
    /// calls of the journal are interrupted; their results are still stored.
    fn pause(&mut self, pause: Duration) {
        if let Err(error) = (self.pause_for)(pause) {
            self.journal.interrupt();
            self.stop(error);
        }
    }

    /// Starts no further attempt.
    fn stop(&mut self, error: Error) {
        self.fault.get_or_insert(error);
    }

    /// Releases the claimed attempts that have not started, for other workers.
    fn give_back(&mut self) {
        let Claimed { claim, rows, .. } = std::mem::take(&mut self.claimed);
        self.left = self.left.saturating_add(u32::try_from(rows.len()).unwrap_or_default());
        for record in rows {
            let _ = self.journal.queries.release(&record, &claim);
        }
    }
}
