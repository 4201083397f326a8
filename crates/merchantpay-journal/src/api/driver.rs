//! Decides about a row and writes the decision, by compare-and-swap on its stamp.

use std::thread::sleep;
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, Result};

use crate::api::effort::{Effort, PAUSE};
use crate::api::journal::Journal;
use crate::api::read::{Read, Time};
use crate::model::attempt::Attempt;
use crate::model::clock::Moment;
use crate::model::decision::{Call, Decision, IfChanged, Update, Write};
use crate::store::{Failure, Written};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

pub(crate) struct Case<'a> {
    pub(crate) row: &'a Attempt,
    /// The other attempts of the reference.
    pub(crate) others: &'a [Attempt],
    pub(crate) moment: &'a Moment,
    /// The last decision was refused by a unique key: another attempt has the order, or has succeeded.
    pub(crate) is_duplicate: bool,
}

#[derive(Debug)]
pub(crate) struct Applied {
    /// The row as it is stored now.
    pub(crate) row: Attempt,
    /// The clock by which it was decided.
    pub(crate) time: Time,
    pub(crate) call: Option<Call>,
    pub(crate) keep_reply: bool,
    /// Another process has written the row since it was read, and the decision was thrown away.
    pub(crate) is_dropped: bool,
}

enum Stored {
    Row,
    Changed,
    Duplicate,
}

impl Journal {
    /// Decides about `row`, which was read before what led to the decision, and writes it. If another process
    /// has written the row since, the decision says whether it is made again.
    pub(crate) fn apply(
        &self,
        row: Attempt,
        read: Read,
        effort: Effort,
        decide: impl Fn(&Case<'_>) -> Decision,
    ) -> Result<Applied> {
        let (mut row, mut read, mut lost, mut is_duplicate) = (row, read, 0, false);
        loop {
            let moment = read.time.moment().map_err(|error| error.with_outcome(effort.outcome))?;
            let others = read.others(row.attempt);
            let case = Case { row: &row, others: &others, moment: &moment, is_duplicate };
            let Decision { write, call, keep_reply } = decide(&case);
            let time = read.time;
            let applied = |row, is_dropped| Ok(Applied { row, time, call, keep_reply, is_dropped });
            let update = match write {
                None => return applied(row, false),
                Some(Write::Update(update)) => update,
                Some(_) => {
                    return Err(Error::internal(effort.outcome, "a decision about one row writes another"));
                }
            };
            let stored = self
                .store(&update, effort)
                .map_err(|failure| self.database.error(&failure, effort.outcome))?;
            match stored {
                Stored::Row => return applied(update.row, false),
                Stored::Duplicate => is_duplicate = true,
                Stored::Changed => {}
            }
            lost += 1;
            self.pause_after_lost(lost, effort)?;
            read = self
                .patiently(effort, || self.database.attempts(&row.reference))
                .map(|found| Read::of(found, &self.config))?;
            if !matches!(stored, Stored::Changed) {
                continue;
            }
            row = read.attempt(row.attempt).cloned().ok_or_else(|| lost_row(effort.outcome))?;
            if update.if_changed == IfChanged::Drop {
                let (call, keep_reply, time) = (None, false, read.time);
                return Ok(Applied { row, time, call, keep_reply, is_dropped: true });
            }
        }
    }

    fn store(&self, update: &Update, effort: Effort) -> std::result::Result<Stored, Failure> {
        loop {
            match self.database.store(&update.row, &update.read) {
                Ok(Written::Reported | Written::ReadBack) => return Ok(Stored::Row),
                // Or an own write of which only the answer was lost: then the next decision changes nothing.
                Ok(Written::Not) => return Ok(Stored::Changed),
                Err(Failure::Duplicate) => return Ok(Stored::Duplicate),
                Err(failure) if effort.retries(&failure) => sleep(PAUSE),
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Pauses after another process wrote first, longer each time, so that it can finish.
    pub(crate) fn pause_after_lost(&self, lost: u32, effort: Effort) -> Result<()> {
        if Instant::now() >= effort.until {
            let why = Failure::failed(
                "the row that was read is older than the stored row: the journal must read from the primary server, not from a replica",
            );
            return Err(self.database.error(&why, effort.outcome));
        }
        sleep((FIRST_PAUSE * (1 << lost.min(8))).min(LONGEST_PAUSE));
        Ok(())
    }
}

/// The database failed over and lost the row.
pub(crate) fn lost_row(outcome: Outcome) -> Error {
    Error::storage(outcome, "the attempt is no longer in the journal: the database has lost it")
}
