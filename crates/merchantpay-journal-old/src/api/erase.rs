//! `purge` and `forget`: delete personal data, and keep the data that prevents a second payment.

use merchantpay::{Error, Outcome, Result};

use crate::api::confirm::no_entry;
use crate::api::journal::Journal;
use crate::model::event::Event;
use crate::storage::columns::{read_or_name, value};
use crate::storage::queries::not_sent;

/// The number of rows that one query reads.
const PAGE: u32 = 100;

impl Journal {
    /// Deletes the details of finished attempts and seen orphans, if they were last written before the given
    /// time, in milliseconds since 1970. A finished attempt is `final`, `refused` or `superseded`. It is
    /// acknowledged, and neither the service nor an operator has to do anything about it. Reference, attempt,
    /// standing, order id and token stay for ever, so that `pay` never pays twice. Returns the number of
    /// attempts and orphans whose details it deleted.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a negative time; `storage` if the journal failed, or if a row cannot be read:
    /// the other rows are purged nevertheless.
    pub fn purge(&self, before: i64) -> Result<u64> {
        if before < 0 {
            return Err(Error::invalid_argument(
                "purge needs a time in milliseconds since 1970, which is not negative",
            ));
        }
        self.check()?;
        let (mut purged, mut unreadable) = (0, None);
        let mut place = [i64::MIN.to_string(), String::new(), "0".to_owned()];
        loop {
            let page = self
                .queries
                .unpurged(before, place.each_ref().map(String::as_str), PAGE)
                .map_err(not_sent)?;
            let Some(last) = page.last() else { break };
            place = ["created_at", "reference", "attempt"]
                .map(|name| value(last, name).unwrap_or_default().to_owned());
            for row in page {
                match read_or_name(row) {
                    Ok(record) if record.updated_at < before && record.is_over() => {
                        self.apply(&record, Event::Purged)?;
                        purged += 1;
                    }
                    Ok(_) => {}
                    Err(name) => unreadable = unreadable.or(Some(name)),
                }
            }
        }
        purged += self.purge_orphans(before)?;
        match unreadable {
            None => Ok(purged),
            Some(name) => Err(Error::storage(
                Outcome::NotSent,
                format!(
                    "{purged} attempts and orphans were purged, but not {name}: this version cannot read it"
                ),
            )),
        }
    }

    fn purge_orphans(&self, before: i64) -> Result<u64> {
        let (mut after, mut purged) = (String::new(), 0);
        while let Some((last, count)) = self.queries.purge_orphans(before, &after, PAGE).map_err(not_sent)? {
            (after, purged) = (last, purged + count);
        }
        Ok(purged)
    }

    /// Deletes the personal data of one reference. These are the same details that [`purge`](Journal::purge)
    /// deletes: the details of all attempts of the reference, and of the orphans that came to the URLs of
    /// these attempts. Reference, attempt, standing, order id and token stay for ever, so
    /// that no second payment becomes possible. Returns the number of attempts and orphans that had details;
    /// 0 if the reference was forgotten before. Copies of the rows, such as backups, keep the details.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such reference, or if an attempt or orphan still needs the service,
    /// an acknowledgement, or an operator. Nothing is deleted then. `storage` if the journal failed.
    pub fn forget(&self, reference: &str) -> Result<u64> {
        self.check()?;
        let attempts = self.queries.attempts(reference).map_err(|error| self.unreadable(error))?;
        self.check_account(attempts.first().map(|(_, record)| record))?;
        if attempts.is_empty() {
            return Err(no_entry());
        }
        if let Some((_, record)) = attempts.iter().find(|(_, record)| !record.is_forgettable()) {
            return Err(needed(&format!("attempt {}", record.attempt)));
        }
        if self.queries.unseen_orphans(reference).map_err(not_sent)? > 0 {
            return Err(needed("an orphan"));
        }
        let mut forgotten = 0;
        for (_, record) in attempts.iter().filter(|(_, record)| !record.forgotten) {
            let finished = self.apply(record, Event::Forgotten)?;
            if !finished.done.record.is_some_and(|record| record.forgotten) {
                return Err(needed(&format!("attempt {}", record.attempt)));
            }
            forgotten += u64::from(finished.done.changed);
        }
        Ok(forgotten + self.queries.forget_orphans(reference).map_err(not_sent)?)
    }
}

fn needed(what: &str) -> Error {
    Error::invalid_argument(format!(
        "{what} of this reference cannot be deleted yet: it must have ended, must be acknowledged, and \
         must need no operator"
    ))
}
