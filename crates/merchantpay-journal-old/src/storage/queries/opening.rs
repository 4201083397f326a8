//! Queries about the database itself. They run when a journal is opened, and after an attempt is stored.

use super::{Loaded, Pause, Queries, asks_whether_known, is_in_sqlites_transaction, no_row, of_key};
use crate::model::driver::Key;
use crate::model::record::Record;
use crate::storage::columns;
use crate::storage::durability::{SQLITE_FILE, Settings};
use crate::storage::statements;
use crate::storage::store::{Dialect, StoreError};

impl Queries {
    /// Like [`look`](Queries::look), but the same statement also reads the values that are checked when a
    /// journal is opened.
    pub(crate) fn look_and_open(&self, key: &Key) -> Result<(Loaded, Opening), StoreError> {
        let dialect = self.store.dialect();
        let mut row = self.row(&statements::with_opening(self.statements.looking(key), dialect), key)?;
        let columns = if asks_whether_known(key) { 1 } else { columns::COLUMNS.len() };
        let opening = Opening::read(dialect, &row.split_off(row.len().min(2 + columns)))?;
        Ok((self.looked(key, row)?, opening))
    }

    /// Reads the values that are checked when a journal is opened: the version of the tables, the journal's
    /// account, and the settings of the database.
    pub(crate) fn opening(&self) -> Result<Opening, StoreError> {
        let dialect = self.store.dialect();
        let rows = self.run(&statements::opening(dialect), &vec![])?.rows;
        Opening::read(dialect, &rows.into_iter().next().unwrap_or_default())
    }

    /// The file of a SQLite database, which is empty for a database in memory. `None` for a database server.
    pub(crate) fn file(&self) -> Result<Option<String>, StoreError> {
        match self.store.dialect() {
            Dialect::Sqlite => self
                .value(&format!("SELECT {SQLITE_FILE}"), &vec![])
                .map(|file| Some(file.unwrap_or_default())),
            _ => Ok(None),
        }
    }

    pub(crate) fn has_tables(&self) -> Result<bool, StoreError> {
        match self.value(statements::has_tables(self.store.dialect()), &vec![])?.as_deref() {
            Some("0") => Ok(false),
            Some("1") => Ok(true),
            _ => Err(no_row()),
        }
    }

    /// Checks whether it is safe to send the request of a stored attempt. The row must be committed, each
    /// earlier attempt must be final or superseded, and the journal must not be paused.
    pub(crate) fn stored(&self, record: &Record) -> Result<Stored, StoreError> {
        if !self.store.checks_rows() {
            return Ok(self.pause()?.1.map_or(Stored::Well, Stored::Paused));
        }
        let key = Key::of(record);
        let (mut statement, mut parameters) = (&self.statements.first_stored, of_key(&key));
        if record.attempt > 1 {
            statement = &self.statements.stored;
            parameters.extend(of_key(&key));
        }
        let rows = self.run_statement(statement, &parameters)?.rows;
        let row = rows.into_iter().next().unwrap_or_default();
        let [writer, unsealed, in_transaction, pause]: [Option<String>; 4] =
            row.try_into().map_err(|_| no_row())?;
        let is_in_transaction = in_transaction.as_deref() != Some("0")
            || (self.store.dialect() == Dialect::Sqlite
                && is_in_sqlites_transaction(self.store.as_ref(), &record.writer)?);
        Ok(if is_in_transaction {
            Stored::Badly(
                "its connection is in a transaction: give the journal connections of its own, in autocommit",
            )
        } else if writer.as_deref() != Some(&record.writer) {
            Stored::Badly(
                "other connections cannot see the stored row: the journal needs the primary server, and \
                 connections in autocommit",
            )
        } else if unsealed.as_deref() != Some("0") {
            Stored::Badly("an earlier attempt is neither final nor superseded")
        } else {
            Pause::of(pause).map_or(Stored::Well, Stored::Paused)
        })
    }
}

/// Shows whether it is safe to send the request of an attempt.
pub(crate) enum Stored {
    Well,
    /// The request must not be sent, for this reason.
    Badly(&'static str),
    Paused(Pause),
}

/// The facts about the database that are checked when a journal is opened.
pub(crate) struct Opening {
    pub(crate) layout: Option<i64>,
    pub(crate) account: Option<String>,
    pub(crate) settings: Settings,
}

impl Opening {
    /// Reads the row of [`statements::opening`].
    fn read(dialect: Dialect, row: &[Option<String>]) -> Result<Opening, StoreError> {
        let [layout, account, asked @ ..] = row else { return Err(no_row()) };
        Ok(Opening {
            layout: layout.as_ref().and_then(|text| text.parse().ok()),
            account: account.clone(),
            settings: Settings::read(dialect, asked).ok_or_else(no_row)?,
        })
    }
}
