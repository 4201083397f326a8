//! `purge` and `forget`: what identifies a customer goes, what keeps a payment from being made twice stays.

use merchantpay::{Error, Outcome, Result};

use super::{Operator, PAGE};
use crate::api::read::{Time, no_entry};
use crate::model::attempt::Attempt;
use crate::model::clock::Moment;
use crate::model::decision::{Decision, Write};
use crate::model::upkeep;
use crate::store::{Unreadable, Written};

impl Operator {
    /// Empties the details, the request and the messages of attempts that were created before a time, in
    /// milliseconds since 1970, and are finished: refused, final or replaced, acknowledged, without a
    /// question that is due, and without a reason for a person. Returns their number. Also empties what a person has
    /// seen of the messages from before this time that belong to no attempt, or came while theirs was emptied.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a negative time; `storage` if the journal failed, or if a row cannot be read:
    /// the others are emptied all the same.
    pub fn purge(&self, before: i64) -> Result<u64> {
        if before < 0 {
            return Err(Error::invalid_argument("purge needs a time in milliseconds since 1970"));
        }
        self.tell(self.database.see_bound_messages())?;
        self.tell(self.database.empty_orphans(before))?;
        let (mut purged, mut after, mut unreadable) = (0, None, None);
        loop {
            let found = self.tell(self.database.purgeable(before, after.as_ref(), PAGE))?;
            let time = Time::new(found.now, &self.config);
            for row in &found.attempts {
                purged += u64::from(self.erase(row, time, upkeep::purge)?);
            }
            unreadable = unreadable.or(found.unreadable.into_iter().next());
            match (found.attempts.into_iter().last(), unreadable) {
                (Some(last), found) => (after, unreadable) = (Some(last), found),
                (None, None) => return Ok(purged),
                (None, Some(row)) => return Err(not_read(&row, &format!("{purged} attempts were emptied"))),
            }
        }
    }

    /// The same for all attempts of one reference, whatever their age; the watch of a failed one ends. The
    /// reference itself stays, and `pay` returns its entries as before. Returns the number of attempts that
    /// were emptied now. Backups keep the details.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such reference, or if one of its attempts still needs the service,
    /// an acknowledgement or a person: then nothing is emptied. `storage` if the journal failed.
    pub fn forget(&self, reference: &str) -> Result<u64> {
        let found = self.tell(self.database.attempts(reference))?;
        let time = Time::new(found.now, &self.config);
        if found.attempts.is_empty() {
            return Err(no_entry());
        }
        let moment = time.moment()?;
        let is_needed = |row: &&Attempt| !row.is_purged() && upkeep::forget(row, &moment).write.is_none();
        if let Some(row) = found.attempts.iter().find(is_needed) {
            return Err(needed(row));
        }
        let mut forgotten = 0;
        for row in found.attempts.iter().filter(|row| !row.is_purged()) {
            if !self.erase(row, time, upkeep::forget)? {
                return Err(needed(row));
            }
            forgotten += 1;
        }
        Ok(forgotten)
    }

    /// Returns whether the attempt is empty now: it is left alone if it has changed since it was read.
    fn erase(&self, row: &Attempt, time: Time, decide: fn(&Attempt, &Moment) -> Decision) -> Result<bool> {
        let Some(Write::Update(update)) = decide(row, &time.moment()?).write else { return Ok(false) };
        // First, because an empty attempt is not met again. Messages are only hints, and those of a finished
        // attempt are used up.
        self.tell(self.database.empty_messages(row))?;
        let written = self.tell(self.repeatedly(|| self.database.store(&update.row, &update.read)))?;
        Ok(written != Written::Not)
    }
}

/// The error about a row that this version cannot read.
pub(super) fn not_read(row: &Unreadable, done: &str) -> Error {
    let Unreadable { reference, attempt, column } = row;
    let why =
        format!("{done}, but not attempt {attempt} of {reference}: this version cannot read its {column}");
    Error::storage(Outcome::NotSent, why).permanent()
}

fn needed(row: &Attempt) -> Error {
    Error::invalid_argument(format!(
        "attempt {} of this reference cannot be emptied yet: it must be over and acknowledged, and need no person",
        row.attempt
    ))
}
