//! The merchant's own database, reached through a function that runs a statement.

use std::fmt;

use crate::storage::store::{Dialect, Placeholders, Rows, Store, StoreError};

type Run = dyn Fn(&str, &[Option<&str>]) -> Result<Rows, StoreError> + Send + Sync;

/// A database behind a function: "run this SQL with these text parameters".
///
/// The function uses a connection that only the journal uses, in autocommit: each statement is durable when
/// the function returns. Several threads can call the function at the same time. The function returns every
/// value as text, and classifies each failure as a [`StoreError`]: [`of_code`](StoreError::of_code) does this
/// for the server's error code. If there is no code, the function returns [`Unclear`](StoreError::Unclear) if
/// the statement was possibly sent, and [`Failed`](StoreError::Failed) if it was certainly not sent.
pub struct Database {
    dialect: Dialect,
    placeholders: Placeholders,
    run: Box<Run>,
}

impl Database {
    /// Makes a database with this SQL dialect. Parameters are written as the usual drivers of the database
    /// write them: `?`, for PostgreSQL `$1`.
    pub fn new(
        dialect: Dialect,
        run: impl Fn(&str, &[Option<&str>]) -> Result<Rows, StoreError> + Send + Sync + 'static,
    ) -> Database {
        Database { dialect, placeholders: dialect.placeholders(), run: Box::new(run) }
    }

    /// Sets how parameters are written.
    #[must_use]
    pub fn placeholders(mut self, placeholders: Placeholders) -> Database {
        self.placeholders = placeholders;
        self
    }
}

impl Store for Database {
    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn placeholders(&self) -> Placeholders {
        self.placeholders
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        (self.run)(sql, parameters)
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}
