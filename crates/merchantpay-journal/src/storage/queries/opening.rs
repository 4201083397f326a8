//! Questions about the database itself: when a journal is opened, and after an attempt is stored.

use super::{Queries, no_row, of_key, read_one};
use crate::model::driver::Key;
use crate::model::record::Record;
use crate::storage::columns::{self, number, text};
use crate::storage::durability::Settings;
use crate::storage::statements;
use crate::storage::store::{Dialect, StoreError};

impl Queries {
    /// The same, and what is asked when a journal is opened, at once.
    pub(crate) fn load_and_open(&self, key: &Key) -> Result<(i64, Option<Record>, Opening), StoreError> {
        let dialect = self.store.dialect();
        let statement = statements::with_opening(self.statements.reading(key), dialect);
        let rows = self.run_statement(&statement, &of_key(key))?.rows;
        let mut row = rows.into_iter().next().ok_or_else(no_row)?;
        let asked = row.split_off(row.len().min(1 + columns::COLUMNS.len()));
        let (now, record) = read_one(row)?;
        Ok((now, record, Opening::read(dialect, &asked)?))
    }

    /// What is asked when a journal is opened: the version of the tables, whose payments they hold, and what
    /// is wrong with the database.
    pub(crate) fn opening(&self) -> Result<Opening, StoreError> {
        let dialect = self.store.dialect();
        let rows = self.run(&statements::opening(dialect), &vec![])?.rows;
        Opening::read(dialect, &rows.into_iter().next().unwrap_or_default())
    }

    pub(crate) fn has_tables(&self) -> Result<bool, StoreError> {
        match self.value(statements::has_tables(self.store.dialect()), &vec![])?.as_deref() {
            Some("0") => Ok(false),
            Some("1") => Ok(true),
            _ => Err(no_row()),
        }
    }

    /// What stands against sending the request of an attempt that was inserted: that it is not stored for
    /// good, as others see it, or that an attempt before it is not sealed.
    pub(crate) fn why_not_stored(&self, record: &Record) -> Result<Option<&'static str>, StoreError> {
        let (reference, attempt) = (record.reference.as_str(), record.attempt);
        let parameters = vec![text!(reference), number!(attempt), text!(reference), number!(attempt)];
        let rows = self.run_statement(&self.statements.stored, &parameters)?.rows;
        let row = rows.into_iter().next().unwrap_or_default();
        let [writer, unsealed, in_transaction]: [Option<String>; 3] = row.try_into().map_err(|_| no_row())?;
        Ok(if in_transaction.as_deref() != Some("0") {
            Some("its connection is in a transaction: give the journal connections of its own, in autocommit")
        } else if writer.as_deref() != Some(&record.writer) {
            Some("what was stored is not there for others to see: does it run on the primary, in autocommit?")
        } else if unsealed.as_deref() != Some("0") {
            Some("an attempt before it is not sealed")
        } else {
            None
        })
    }
}

/// What a database says of itself when a journal is opened.
pub(crate) struct Opening {
    pub(crate) layout: Option<i64>,
    pub(crate) account: Option<String>,
    pub(crate) settings: Settings,
}

impl Opening {
    /// Reads what [`statements::opening`] has asked.
    fn read(dialect: Dialect, row: &[Option<String>]) -> Result<Opening, StoreError> {
        let [layout, account, asked @ ..] = row else { return Err(no_row()) };
        Ok(Opening {
            layout: layout.as_ref().and_then(|text| text.parse().ok()),
            account: account.clone(),
            settings: Settings::read(dialect, asked).ok_or_else(no_row)?,
        })
    }
}
