//! What an operator does: deletes details, counts, copies.

use merchantpay::{Error, Result};

use crate::dump;
use crate::event::Event;
use crate::journal::Journal;
use crate::json::{self, Fields, Reader};
use crate::record::Record;
use crate::rows::named_values;
use crate::sql;
use crate::store::{Dialect, StoreError};
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
    /// The settings of the database that the merchant vouches for.
    pub durability_vouched: Vec<String>,
}

impl Journal {
    /// Deletes the details of references whose last attempt is final and acknowledged, and was last written
    /// before a time in milliseconds since 1970. Reference, attempt, standing, order id and token stay for
    /// ever, so that `pay` never pays twice. Gives how many attempts it emptied.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn purge(&self, before: i64) -> Result<u64> {
        self.check()?;
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
        self.check()?;
        let overdue = self.table.next_due().map_err(not_sent)?.filter(|next| *next <= 0).map(|next| -next);
        Ok(Stats {
            standings: self.table.counts().map_err(not_sent)?,
            attention: self.table.count_attention().map_err(not_sent)?,
            overdue,
            durability_vouched: self.durability_vouched.clone(),
        })
    }

    /// Gives every attempt as one line of JSON, in the order of the references, and then every message that
    /// found no place: for another database, and for a backup that can be read. Stop paying first. Gives how
    /// many lines there were.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and whatever `line` says.
    pub fn export(&self, mut line: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        self.each(|row| match row {
            Row::Attempt(record) => line(&write(record)),
            Row::Orphan(values) => {
                let fields = object(sql::ORPHAN_COLUMNS.iter().copied().zip(values));
                line(&json::write(&[("orphan".to_owned(), json::write(&fields))].into()))
            }
        })
    }

    /// Gives the same as SQL statements, without the semicolon at the end: for the client program of the
    /// database into which the journal moves, whose tables [`schema`](crate::schema) makes. All of it is one
    /// transaction; rows that are there already are left alone. Stop paying first. Gives how many rows there
    /// were.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and whatever `statement` says.
    pub fn export_sql(&self, dialect: Dialect, mut statement: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        dump::begin(dialect).iter().try_for_each(|begin| statement(begin))?;
        let count = self.each(|row| match row {
            Row::Attempt(record) => {
                let values: Vec<Option<String>> = named_values(record).map(|(_, value)| value).collect();
                statement(&dump::attempt(dialect, &values))
            }
            Row::Orphan(values) => statement(&dump::orphan(dialect, &values)),
        })?;
        statement(dump::END)?;
        Ok(count)
    }

    /// Gives every attempt in the order of the references, and then every message that found no place.
    fn each(&self, mut give: impl FnMut(Row<'_>) -> Result<()>) -> Result<u64> {
        self.check()?;
        let (mut reference, mut attempt, mut count) = (String::new(), 0, 0);
        loop {
            let page = self.table.export(&reference, attempt, PAGE).map_err(not_sent)?;
            let Some((_, last)) = page.last() else { break };
            (reference, attempt) = (last.reference.clone(), last.attempt);
            for (_, record) in &page {
                give(Row::Attempt(record))?;
                count += 1;
            }
        }
        let mut after = String::new();
        loop {
            let page = self.table.export_orphans(&after, PAGE).map_err(not_sent)?;
            let Some(last) = page.last().and_then(|values| values.first()?.clone()) else { return Ok(count) };
            after = last;
            for values in page {
                give(Row::Orphan(values))?;
                count += 1;
            }
        }
    }

    /// Stores a line that [`export`](Journal::export) has given. `false` if that attempt or message is there
    /// already.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if it is no such line, or another account's; `storage` if the journal failed.
    pub fn import(&self, line: &str) -> Result<bool> {
        self.check()?;
        let no_line = || Error::invalid_argument("the line is none that export has given");
        let fields = json::read(line).ok_or_else(no_line)?;
        let imported = match fields.get("orphan") {
            Some(orphan) => self.table.import_orphan(&read_orphan(orphan).ok_or_else(no_line)?),
            None => {
                let mut record = read(fields).ok_or_else(no_line)?;
                record.restored = true;
                if record.account != self.account {
                    return Err(Error::invalid_argument("the attempt is another account's"));
                }
                self.table.insert(&record)
            }
        };
        match imported {
            Ok(()) => Ok(true),
            Err(StoreError::Duplicate) => Ok(false),
            Err(error) => Err(not_sent(error)),
        }
    }
}

/// What is exported.
enum Row<'a> {
    Attempt(&'a Record),
    /// The values of [`sql::ORPHAN_COLUMNS`].
    Orphan(Vec<Option<String>>),
}

pub(crate) fn write(record: &Record) -> String {
    json::write(&object(named_values(record)))
}

fn object(values: impl Iterator<Item = (&'static str, Option<String>)>) -> Fields {
    values
        .map(|(name, value)| (name.to_owned(), value.map_or("null".to_owned(), |value| json::quoted(&value))))
        .collect()
}

pub(crate) fn read(fields: Fields) -> Option<Record> {
    let mut reader = Reader(fields);
    crate::rows::read_named(|name| reader.text(name))
}

/// The values of a message's columns, in their order.
fn read_orphan(text: &str) -> Option<Vec<Option<String>>> {
    let mut reader = Reader(json::read(text)?);
    let values: Vec<Option<String>> = sql::ORPHAN_COLUMNS.iter().map(|column| reader.text(column)).collect();
    let mut values = values;
    let received_at = values[1].clone();
    for (name, value) in sql::ORPHAN_COLUMNS.iter().zip(&mut values) {
        // Version 0.2.0 did not export these.
        match *name {
            "updated_at" => *value = value.take().or_else(|| received_at.clone()),
            "version" => *value = value.take().or_else(|| Some("1".to_owned())),
            "purged" => *value = value.take().or_else(|| Some("0".to_owned())),
            _ => {}
        }
    }
    let is_needed = |name: &&str| ["order_id", "received_at", "seen", "record"].contains(name);
    let is_there =
        sql::ORPHAN_COLUMNS.iter().zip(&values).all(|(name, value)| value.is_some() || !is_needed(name));
    is_there.then_some(values)
}
