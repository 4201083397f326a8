//! `export` and `import`: all rows as lines of text, for another database or a readable backup.

use std::fmt;

use merchantpay::{Error, Result};

use crate::api::journal::Journal;
use crate::model::json::{self, Fields, Reader};
use crate::model::record::Record;
use crate::storage::columns::{self, Parameters, named_values, set_restored, value};
use crate::storage::queries::{Queries, not_sent};
use crate::storage::sql_dump;
use crate::storage::statements;
use crate::storage::store::{Dialect, StoreError};

/// The number of rows that one query reads.
const PAGE: u32 = 100;

impl Journal {
    /// Passes every attempt as one line of JSON to `line`, sorted by reference, and then every orphan. Rows
    /// that this version cannot interpret are included. Use `export` to move to another database, or for a
    /// readable backup. [Pause](Journal::pause) the journal first. Returns the number of lines.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and every error of `line`.
    pub fn export(&self, mut line: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        let mut count = 0;
        for exported in self.export_lines() {
            line(&exported?)?;
            count += 1;
        }
        Ok(count)
    }

    /// An iterator over the lines of [`export`](Journal::export). The iterator ends after an error.
    pub fn export_lines(&self) -> Export {
        Export { checked: Some(self.check()), rows: ExportedRows::of(self.queries.clone()) }
    }

    /// Passes the rows of [`export`](Journal::export) as SQL statements, without the final semicolon, for the
    /// client program of another database. [`schema`](crate::schema) returns the SQL that makes the tables
    /// there. The statements form one transaction and skip existing rows. [Pause](Journal::pause) the journal
    /// first. Returns the number of rows.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed, and every error of `statement`.
    pub fn export_sql(&self, dialect: Dialect, mut statement: impl FnMut(&str) -> Result<()>) -> Result<u64> {
        sql_dump::begin(dialect).iter().try_for_each(|begin| statement(begin))?;
        self.check()?;
        let (mut rows, mut count) = (ExportedRows::of(self.queries.clone()), 0);
        while let Some(row) = rows.next()? {
            match row {
                Row::Attempt(values) => statement(&sql_dump::attempt(dialect, &values))?,
                Row::Orphan(values) => statement(&sql_dump::orphan(dialect, &values))?,
            }
            count += 1;
        }
        statement(sql_dump::END)?;
        Ok(count)
    }

    /// Stores a line of [`export`](Journal::export). Returns `false` if that attempt or orphan exists
    /// already.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if `line` is not a line of an export, or if its attempt belongs to another account;
    /// `storage` if the journal failed.
    pub fn import(&self, line: &str) -> Result<bool> {
        self.check()?;
        let fields = json::read(line).ok_or_else(no_line)?;
        let imported = match fields.get("orphan") {
            Some(orphan) => self.queries.import_orphan(&read_orphan(orphan).ok_or_else(no_line)?),
            None => self.queries.insert_rows(vec![self.attempt_values(fields)?]),
        };
        match imported {
            Ok(()) => Ok(true),
            Err(StoreError::Duplicate) => Ok(false),
            Err(error) => Err(not_sent(error)),
        }
    }

    /// Stores several attempts with one statement, which is faster than [`import`](Journal::import) of each
    /// line. Returns `false` and stores nothing if one of the lines is an orphan, or if the attempt of one
    /// line exists already. In this case import the lines one by one.
    ///
    /// # Errors
    ///
    /// The errors of [`import`](Journal::import).
    pub fn import_at_once(&self, lines: &[&str]) -> Result<bool> {
        self.check()?;
        let mut rows = Vec::with_capacity(lines.len());
        for line in lines {
            let fields = json::read(line).ok_or_else(no_line)?;
            if fields.contains_key("orphan") {
                return Ok(false);
            }
            rows.push(self.attempt_values(fields)?);
        }
        match self.queries.insert_rows(rows) {
            Ok(()) => Ok(true),
            Err(StoreError::Duplicate) => Ok(false),
            Err(error) => Err(not_sent(error)),
        }
    }

    fn attempt_values(&self, fields: Fields) -> Result<Parameters<'static>> {
        let values = read_attempt(fields).ok_or_else(no_line)?;
        if value(&values, "account") != Some(&self.account) {
            return Err(Error::invalid_argument("the attempt belongs to another account"));
        }
        Ok(values.into_iter().map(|value| value.map(Into::into)).collect())
    }
}

fn no_line() -> Error {
    Error::invalid_argument("the line was not written by export")
}

/// An iterator over the lines of an export. The iterator reads the rows in pages.
#[derive(Debug)]
pub struct Export {
    checked: Option<Result<()>>,
    rows: ExportedRows,
}

impl Iterator for Export {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Result<String>> {
        if let Some(Err(error)) = self.checked.take() {
            self.rows.end();
            return Some(Err(error));
        }
        match self.rows.next() {
            Ok(row) => Some(Ok(row?.to_json())),
            Err(error) => {
                self.rows.end();
                Some(Err(error))
            }
        }
    }
}

/// A row of an export.
#[derive(Debug)]
enum Row {
    /// The values of [`columns::COLUMNS`].
    Attempt(Vec<Option<String>>),
    /// The values of [`statements::ORPHAN_COLUMNS`].
    Orphan(Vec<Option<String>>),
}

impl Row {
    fn to_json(&self) -> String {
        match self {
            Row::Attempt(values) => {
                json::write(&object(columns::COLUMNS.iter().copied().zip(values.clone())))
            }
            Row::Orphan(values) => {
                let fields = object(statements::ORPHAN_COLUMNS.iter().copied().zip(values.clone()));
                json::write(&[("orphan".to_owned(), json::write(&fields))].into())
            }
        }
    }
}

/// Every attempt, sorted by reference, and then every orphan.
struct ExportedRows {
    queries: Queries,
    page: std::vec::IntoIter<Row>,
    next: Option<Place>,
}

/// The key after which the next page starts.
enum Place {
    Attempt(String, String),
    Orphan(String),
}

impl ExportedRows {
    fn of(queries: Queries) -> ExportedRows {
        let next = Some(Place::Attempt(String::new(), "0".to_owned()));
        ExportedRows { queries, page: Vec::new().into_iter(), next }
    }

    fn end(&mut self) {
        (self.page, self.next) = (Vec::new().into_iter(), None);
    }

    fn next(&mut self) -> Result<Option<Row>> {
        loop {
            if let Some(row) = self.page.next() {
                return Ok(Some(row));
            }
            let (page, next) = match &self.next {
                None => return Ok(None),
                Some(Place::Attempt(reference, attempt)) => {
                    let page = self.queries.export(reference, attempt, PAGE).map_err(not_sent)?;
                    let next = page.last().map(|last| {
                        let of = |name| value(last, name).unwrap_or_default().to_owned();
                        Place::Attempt(of("reference"), of("attempt"))
                    });
                    let next = next.unwrap_or_else(|| Place::Orphan(String::new()));
                    (page.into_iter().map(Row::Attempt).collect::<Vec<_>>(), Some(next))
                }
                Some(Place::Orphan(after)) => {
                    let page = self.queries.export_orphans(after, PAGE).map_err(not_sent)?;
                    let next = page.last().and_then(|values| values.first()?.clone()).map(Place::Orphan);
                    (page.into_iter().map(Row::Orphan).collect(), next)
                }
            };
            (self.page, self.next) = (page.into_iter(), next);
        }
    }
}

impl fmt::Debug for ExportedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportedRows").finish_non_exhaustive()
    }
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

/// The values of an attempt's columns, in the order of the columns, even if this version cannot interpret the
/// values.
fn read_attempt(fields: Fields) -> Option<Vec<Option<String>>> {
    let mut reader = Reader(fields);
    let mut values: Vec<Option<String>> = columns::COLUMNS.iter().map(|column| reader.text(column)).collect();
    let nullable = ["order_id", "status", "sum_paid", "attention", "due_at"];
    for (name, value) in columns::COLUMNS.iter().zip(&mut values) {
        // Version 0.2.0 did not export these two columns.
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

/// The values of an orphan's columns, in the order of the columns.
fn read_orphan(text: &str) -> Option<Vec<Option<String>>> {
    let mut reader = Reader(json::read(text)?);
    let mut values: Vec<Option<String>> =
        statements::ORPHAN_COLUMNS.iter().map(|column| reader.text(column)).collect();
    let received_at = values.get(1).cloned().flatten();
    for (name, value) in statements::ORPHAN_COLUMNS.iter().zip(&mut values) {
        // Version 0.2.0 did not export these columns.
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
