//! What an operator does: deletes details, counts, copies.

use merchantpay::{Error, Result};

use crate::event::Event;
use crate::journal::Journal;
use crate::json::{self, Fields, Reader};
use crate::record::Record;
use crate::store::StoreError;
use crate::table::not_sent;

/// How many rows are read at once.
const PAGE: u32 = 100;

/// How a journal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// How many attempts have each standing, by its name.
    pub standings: Vec<(String, u64)>,
    /// How many attempts and messages a person must look at.
    pub attention: u64,
    /// How long the oldest due attempt has been due, in milliseconds; `None` where nothing is.
    pub overdue: Option<i64>,
}

impl Journal {
    /// Deletes the details of references whose last attempt is final and acknowledged, and was last written before a time in
    /// milliseconds since 1970. Reference, attempt, standing, order id and token stay for ever, so that `pay` never pays twice.
    /// Gives how many attempts it emptied.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn purge(&self, before: i64) -> Result<u64> {
        let mut purged = 0;
        loop {
            let last = self.table.purgeable(before, PAGE).map_err(not_sent)?;
            if last.is_empty() {
                return Ok(purged);
            }
            for (_, record) in last {
                let attempts = self.table.attempts(&record.reference).map_err(not_sent)?;
                for (_, attempt) in attempts.into_iter().filter(|(_, attempt)| attempt.due_at.is_none()) {
                    self.apply(&attempt, Event::Purged)?;
                    self.table.mark_purged(&attempt).map_err(not_sent)?;
                    purged += 1;
                }
            }
        }
    }

    /// How the journal stands.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn stats(&self) -> Result<Stats> {
        let overdue = self.table.next_due().map_err(not_sent)?.filter(|next| *next <= 0).map(|next| -next);
        Ok(Stats { standings: self.table.counts().map_err(not_sent)?, attention: self.table.count_attention().map_err(not_sent)?, overdue })
    }

    /// Gives every attempt as one line of JSON, in the order of the references: for another database, and for a backup that can be
    /// read. Stop paying first.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and whatever `line` says.
    pub fn export(&self, mut line: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        let (mut reference, mut attempt, mut count) = (String::new(), 0, 0);
        loop {
            let page = self.table.export(&reference, attempt, PAGE).map_err(not_sent)?;
            let Some((_, last)) = page.last() else { return Ok(count) };
            (reference, attempt) = (last.reference.clone(), last.attempt);
            for (_, record) in &page {
                line(&write(record))?;
                count += 1;
            }
        }
    }

    /// Stores a line that [`export`](Journal::export) has given. `false` if that attempt is there already.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if it is no such line, or another account's; `storage` if the journal failed.
    pub fn import(&self, line: &str) -> Result<bool> {
        let record = read(line).ok_or_else(|| Error::invalid_argument("the line is no attempt that export has given"))?;
        if record.account != self.account {
            return Err(Error::invalid_argument("the attempt is another account's"));
        }
        match self.table.insert(&record) {
            Ok(()) => Ok(true),
            Err(StoreError::Duplicate) => Ok(false),
            Err(error) => Err(not_sent(error)),
        }
    }
}

fn write(record: &Record) -> String {
    let mut fields = Fields::new();
    for (name, value) in crate::rows::named_values(record) {
        fields.insert(name.to_owned(), value.map_or("null".to_owned(), |value| json::quoted(&value)));
    }
    json::write(&fields)
}

fn read(line: &str) -> Option<Record> {
    let mut reader = Reader(json::read(line)?);
    crate::rows::read_named(|name| reader.text(name))
}
