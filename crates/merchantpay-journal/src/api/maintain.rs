//! What an operator does: deletes details, counts, copies.

use merchantpay::{Error, Outcome, Result};

use crate::api::journal::Journal;
use crate::model::event::Event;
use crate::model::json::{self, Fields, Reader};
use crate::model::record::Record;
use crate::storage::columns::{self, named_values, read_or_name, set_restored, value};
use crate::storage::queries::not_sent;
use crate::storage::sql_dump;
use crate::storage::statements;
use crate::storage::store::{Dialect, StoreError};

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
    /// Deletes the details of attempts and messages that were last written before a time in milliseconds since
    /// 1970 and of which nothing more is expected: attempts that are `final`, `refused` or `superseded`, are
    /// acknowledged, and need neither the service nor an operator; messages that an operator has seen. Reference,
    /// attempt, standing, order id and token stay for ever, so that `pay` never pays twice. Gives how many
    /// attempts and messages it emptied.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, or if a row cannot be read: the others are purged all the same.
    pub fn purge(&self, before: i64) -> Result<u64> {
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
                format!("{purged} were purged, and not {name}: it cannot be read by this version"),
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

    /// How the journal stands.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn stats(&self) -> Result<Stats> {
        self.check()?;
        let overdue = self.queries.next_due().map_err(not_sent)?.filter(|next| *next <= 0).map(|next| -next);
        Ok(Stats {
            standings: self.queries.counts().map_err(not_sent)?,
            attention: self.queries.count_attention().map_err(not_sent)?,
            overdue,
            durability_vouched: self.durability_vouched.clone(),
        })
    }

    /// Gives every attempt as one line of JSON, in the order of the references, and then every message that
    /// found no place, also rows that this version cannot interpret: for another database, and for a backup that can be read. Stop paying first. Gives how
    /// many lines there were.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and whatever `line` says.
    pub fn export(&self, mut line: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        self.each(|row| match row {
            Row::Attempt(values) => line(&json::write(&object(columns::COLUMNS.iter().copied().zip(values)))),
            Row::Orphan(values) => {
                let fields = object(statements::ORPHAN_COLUMNS.iter().copied().zip(values));
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
        sql_dump::begin(dialect).iter().try_for_each(|begin| statement(begin))?;
        let count = self.each(|row| match row {
            Row::Attempt(values) => statement(&sql_dump::attempt(dialect, &values)),
            Row::Orphan(values) => statement(&sql_dump::orphan(dialect, &values)),
        })?;
        statement(sql_dump::END)?;
        Ok(count)
    }

    /// Gives every attempt in the order of the references, and then every message that found no place.
    fn each(&self, mut give: impl FnMut(Row) -> Result<()>) -> Result<u64> {
        self.check()?;
        let (mut reference, mut attempt, mut count) = (String::new(), "0".to_owned(), 0);
        loop {
            let page = self.queries.export(&reference, &attempt, PAGE).map_err(not_sent)?;
            let Some(last) = page.last() else { break };
            let of = |name| value(last, name).unwrap_or_default().to_owned();
            (reference, attempt) = (of("reference"), of("attempt"));
            for values in page {
                give(Row::Attempt(values))?;
                count += 1;
            }
        }
        let mut after = String::new();
        loop {
            let page = self.queries.export_orphans(&after, PAGE).map_err(not_sent)?;
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
            Some(orphan) => self.queries.import_orphan(&read_orphan(orphan).ok_or_else(no_line)?),
            None => {
                let values = read_attempt(fields).ok_or_else(no_line)?;
                if value(&values, "account") != Some(&self.account) {
                    return Err(Error::invalid_argument("the attempt is another account's"));
                }
                self.queries.insert_values(values.into_iter().map(|value| value.map(Into::into)).collect())
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
enum Row {
    /// The values of [`columns::COLUMNS`].
    Attempt(Vec<Option<String>>),
    /// The values of [`statements::ORPHAN_COLUMNS`].
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
    crate::storage::columns::read_named(|name| reader.text(name))
}

/// The values of an attempt's columns, in their order, also of one that this version cannot interpret.
fn read_attempt(fields: Fields) -> Option<Vec<Option<String>>> {
    let mut reader = Reader(fields);
    let mut values: Vec<Option<String>> = columns::COLUMNS.iter().map(|column| reader.text(column)).collect();
    let nullable = ["order_id", "status", "sum_paid", "attention", "due_at"];
    for (name, value) in columns::COLUMNS.iter().zip(&mut values) {
        // Version 0.2.0 exported neither.
        if ["purged", "restored"].contains(name) {
            value.get_or_insert_with(|| "0".to_owned());
        }
        let is_number = || value.as_ref().is_none_or(|text| text.parse::<i64>().is_ok());
        if value.is_none() && !nullable.contains(name) || columns::NUMBERS.contains(name) && !is_number() {
            return None;
        }
    }
    set_restored(&mut values);
    Some(values)
}

/// The values of a message's columns, in their order.
fn read_orphan(text: &str) -> Option<Vec<Option<String>>> {
    let mut reader = Reader(json::read(text)?);
    let mut values: Vec<Option<String>> =
        statements::ORPHAN_COLUMNS.iter().map(|column| reader.text(column)).collect();
    let received_at = values.get(1).cloned().flatten();
    for (name, value) in statements::ORPHAN_COLUMNS.iter().zip(&mut values) {
        // Version 0.2.0 did not export these.
        let missing = match *name {
            "updated_at" => received_at.clone(),
            "version" => Some("1".to_owned()),
            "purged" => Some("0".to_owned()),
            _ => None,
        };
        *value = value.take().or(missing);
    }
    let is_needed = |name: &&str| ["order_id", "received_at", "seen", "record"].contains(name);
    let is_there = statements::ORPHAN_COLUMNS
        .iter()
        .zip(&values)
        .all(|(name, value)| value.is_some() || !is_needed(name));
    is_there.then_some(values)
}
