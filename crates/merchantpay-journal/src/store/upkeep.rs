//! What an operator does with a journal: settings, a restore, purging, export and import.

use super::connection::Value;
use super::database::{Database, Found, UNKNOWN, decoded, no_row};
use super::dialect::render;
use super::failure::Failure;
use super::messages::{self, Message};
use super::pool::Needs;
use super::row;
use super::schema::schema_at_once;
use super::statements;
use crate::model::attempt::Attempt;

pub(super) const PAUSE: &str = "pause";

/// The readable rows that are due among which those that cannot be read are searched.
const SEARCHED: u32 = 100;

/// Rows of one INSERT of an import: their parameters stay below the limits of every database.
const IMPORTED_AT_ONCE: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub sending: u64,
    pub unknown: u64,
    pub open: u64,
    pub due: u64,
    pub news: u64,
    pub attention: u64,
    pub orphans: u64,
}

impl Database {
    /// Creates the tables that are missing. Several processes may do this at the same time.
    pub fn create_tables(&self) -> Result<(), Failure> {
        self.0.pools.with_unchecked(|connection| {
            for statement in schema_at_once(self.dialect()) {
                connection.run(&statement, &[])?;
            }
            Ok(())
        })
    }

    pub fn setting(&self, name: &str) -> Result<(i64, Option<String>), Failure> {
        let rows = self.template(statements::SETTING, &[name.into()])?;
        let read = |[now, value]: [Value; 2]| Some((now.integer()?, value.into_text()));
        decoded(rows, read)?.pop().ok_or_else(no_row)
    }

    /// The settings whose names begin with a prefix of ASCII, by name.
    pub fn settings(&self, prefix: &str) -> Result<Vec<(String, String)>, Failure> {
        let end = format!("{prefix}\u{7f}");
        let rows = self.template(statements::SETTINGS_LIKE, &[prefix.into(), (&end).into()])?;
        decoded(rows, |[name, value]: [Value; 2]| Some((name.into_text()?, value.into_text()?)))
    }

    /// Stores a setting unless it has a value, and returns the value that it has then.
    pub fn set_once(&self, name: &str, value: &str) -> Result<String, Failure> {
        match self.template(statements::SET_ONCE, &[name.into(), value.into()]) {
            Ok(_) => Ok(value.to_owned()),
            Err(failure @ Failure::Failed { .. }) => Err(failure),
            Err(failure) => self.setting(name)?.1.ok_or(failure),
        }
    }

    /// `None` ends the pause.
    pub fn set_pause(&self, note: Option<&str>) -> Result<(), Failure> {
        match note {
            Some(note) => self.template(&statements::set(self.dialect()), &[PAUSE.into(), note.into()]),
            None => self.template(statements::DELETE_SETTING, &[PAUSE.into()]),
        }
        .map(drop)
    }

    /// Marks every attempt as restored and pauses the journal, in one transaction. `stamp` becomes the stamp of
    /// every marked attempt.
    pub fn mark_restored(&self, note: &str, stamp: &str) -> Result<(), Failure> {
        let of = |template: &str| render(template, self.dialect());
        let (pause, mark) = (of(&statements::set(self.dialect())), of(statements::MARK_RESTORED));
        let statements = [(pause.as_str(), vec![PAUSE.into(), note.into()]), (&mark, vec![stamp.into()])];
        self.0.pools.run_all(&statements, Needs::Nothing).map(drop)
    }

    /// Attempts that a purge may empty: finished ones that were created before a time, the oldest first, after
    /// one of them.
    pub fn purgeable(&self, before: i64, after: Option<&Attempt>, limit: u32) -> Result<Found, Failure> {
        let (at, reference, attempt) = match after {
            Some(after) => (after.created_at, after.reference.as_str(), after.attempt),
            None => (i64::MIN, "", 0),
        };
        let parameters =
            [before.into(), at.into(), at.into(), reference.into(), reference.into(), attempt.into()];
        self.page(statements::purgeable, &parameters, limit)
    }

    /// Empties the bodies of an attempt's messages, but not of orphans that nobody has seen. Do it before the attempt
    /// is emptied: an empty attempt is not purged again.
    pub fn empty_messages(&self, attempt: &Attempt) -> Result<(), Failure> {
        let parameters = [(&attempt.token).into(), (&attempt.order_id).into()];
        self.template(statements::EMPTY_MESSAGES, &parameters).map(drop)
    }

    /// Empties the bodies of messages from before a time that belong to no attempt or to an empty one, if a person
    /// has seen them.
    pub fn empty_orphans(&self, before: i64) -> Result<(), Failure> {
        self.template(statements::EMPTY_ORPHANS, &[before.into()]).map(drop)
    }

    /// Marks the messages whose order is bound by now as seen, so that the search for orphans stays short.
    pub fn see_bound_messages(&self) -> Result<(), Failure> {
        self.template(statements::SEE_BOUND, &[]).map(drop)
    }

    pub fn counts(&self) -> Result<Counts, Failure> {
        let read = |row: [Value; 7]| {
            let count = |place: usize| row[place].integer()?.try_into().ok();
            Some(Counts {
                sending: count(0)?,
                unknown: count(1)?,
                open: count(2)?,
                due: count(3)?,
                news: count(4)?,
                attention: count(5)?,
                orphans: count(6)?,
            })
        };
        let mut found =
            decoded(self.template(&statements::counts(), &UNKNOWN)?, read)?.pop().ok_or_else(no_row)?;
        // The statement cannot tell which rows in a known state have another column that cannot be read.
        found.due = found.due.saturating_sub(self.due(SEARCHED)?.unreadable.len() as u64);
        Ok(found)
    }

    /// Attempts after a key, by key.
    pub fn export(&self, after: (&str, u32), limit: u32) -> Result<Found, Failure> {
        let parameters = [after.0.into(), after.0.into(), after.1.into()];
        self.page(statements::export, &parameters, limit)
    }

    /// Inserts attempts and messages as they are, in one transaction.
    ///
    /// # Errors
    ///
    /// [`Failure::Duplicate`] if one of them is there already.
    pub fn import(&self, attempts: &[Attempt], messages: &[Message]) -> Result<(), Failure> {
        let of = |template: &str| render(template, self.dialect());
        let texts: Vec<(String, Vec<Value>)> = attempts
            .chunks(IMPORTED_AT_ONCE)
            .map(|some| {
                let values = some.iter().flat_map(row::values).collect();
                (of(&statements::insert_rows(some.len())), values)
            })
            .chain(messages.iter().map(|message| (of(statements::IMPORT_MESSAGE), messages::values(message))))
            .collect();
        let statements: Vec<(&str, Vec<Value>)> =
            texts.iter().map(|(sql, values)| (sql.as_str(), values.clone())).collect();
        self.0.pools.run_all(&statements, Needs::Nothing).map(drop)
    }
}
