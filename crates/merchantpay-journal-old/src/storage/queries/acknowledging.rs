//! Claims and acknowledgements of news, also within a merchant's own transaction.

use super::{Queries, no_row, run};
use crate::model::record::Record;
use crate::model::standing::Level;
use crate::storage::columns::{number, text};
use crate::storage::durability::{NOT_UTF8, keeps_utf8};
use crate::storage::statements;
use crate::storage::store::{Dialect, Store, StoreError};

impl Queries {
    /// Claims an entry. Returns `true` if this call claimed it.
    pub(crate) fn claim_news(&self, record: &Record, time: i64, claimer: &str) -> Result<bool, StoreError> {
        let parameters =
            vec![number!(time), text!(claimer), text!(&record.reference), number!(record.attempt)];
        Ok(self.run(statements::CLAIM_NEWS, &parameters)?.affected > 0)
    }

    /// The random text of the call that last raised the acknowledged level.
    pub(crate) fn acknowledged_by(
        &self,
        reference: &str,
        attempt: u32,
    ) -> Result<Option<String>, StoreError> {
        self.value(statements::ACKNOWLEDGED_BY, &vec![text!(reference), number!(attempt)])
    }
}

/// The reason why a merchant's connection cannot acknowledge in a transaction; `None` if the connection can.
/// MySQL, unlike MariaDB, does not report whether a transaction is open, so an open transaction is assumed.
/// `unique` is a text that no other call passes.
pub(crate) fn fault_of_connection(
    store: &dyn Store,
    unique: &str,
) -> Result<Option<&'static str>, StoreError> {
    let row = |statement: &str| -> Result<_, StoreError> {
        let rows = run(store, statement, &vec![])?.rows;
        let mut values = rows.into_iter().flatten();
        Ok((values.next().flatten(), values.next().flatten()))
    };
    let is_in_transaction = match store.dialect() {
        Dialect::Sqlite => is_in_sqlites_transaction(store, unique)?,
        // The first statement gets a transaction number. In autocommit the transaction of that statement then
        // ends, so the second statement finds no number.
        Dialect::Postgresql => {
            row("SELECT CAST(txid_current() AS TEXT)")?;
            let (number, encoding) =
                row("SELECT CAST(txid_current_if_assigned() AS TEXT), current_setting('client_encoding')")?;
            if !encoding.is_some_and(|encoding| keeps_utf8(&encoding)) {
                return Ok(Some(NOT_UTF8));
            }
            number.is_some()
        }
        Dialect::Mysql => {
            row("SELECT 1 /*M! - (@@autocommit = 1 AND @@in_transaction = 0) */")?.0.as_deref() != Some("0")
        }
    };
    Ok((!is_in_transaction).then_some("the connection is in autocommit: begin a transaction first"))
}

/// SQLite has no function that reports a transaction. But SQLite refuses this statement inside a transaction.
/// Outside a transaction SQLite ignores the statement, because temporary tables have no such setting. SQLite
/// decides this when it compiles the statement. A driver can keep compiled statements, so the text must be
/// new.
pub(crate) fn is_in_sqlites_transaction(store: &dyn Store, unique: &str) -> Result<bool, StoreError> {
    match run(store, &format!("PRAGMA temp.synchronous = FULL /* {unique} */"), &vec![]) {
        Ok(_) => Ok(false),
        Err(StoreError::Failed(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Reads the reported level and the account of an attempt. The store may be a merchant's own transaction.
pub(crate) fn reported(
    store: &dyn Store,
    reference: &str,
    attempt: u32,
) -> Result<Option<(Level, String)>, StoreError> {
    let rows = run(store, statements::REPORTED, &vec![text!(reference), number!(attempt)])?.rows;
    let Some(row) = rows.into_iter().next() else { return Ok(None) };
    match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(level), Some(account)]) => {
            let level = level.parse().ok().and_then(Level::from_number);
            Ok(Some((level.unwrap_or(Level::None), account)))
        }
        _ => Err(no_row()),
    }
}

/// Raises the acknowledged level. Returns `true` if this call raised it. The store may be a merchant's own
/// transaction.
pub(crate) fn acknowledge(
    store: &dyn Store,
    reference: &str,
    attempt: u32,
    level: Level,
    who: &str,
) -> Result<bool, StoreError> {
    let level = level.number();
    let parameters =
        vec![number!(level), number!(level), text!(who), text!(reference), number!(attempt), number!(level)];
    Ok(run(store, statements::ACKNOWLEDGE, &parameters)?.affected > 0)
}
