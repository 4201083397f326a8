//! The merchant's own database, of which the journal knows a function that runs a statement.

use std::fmt;

use crate::storage::store::{Dialect, Placeholders, Rows, Store, StoreError};

type Run = dyn Fn(&str, &[Option<&str>]) -> Result<Rows, StoreError> + Send + Sync;

/// A database behind a function: "run this SQL with these text parameters".
///
/// The function uses a connection that is the journal's own, in autocommit: each statement is durable when it
/// returns. It may be called by several threads at a time. It gives every value as text, and decides which
/// [`StoreError`] a failure is: [`Duplicate`](StoreError::Duplicate) for a unique key that is taken
/// (SQLSTATE 23505, MySQL 1062), [`Unclear`](StoreError::Unclear) where the connection was lost after the
/// statement may have left, [`Failed`](StoreError::Failed) where it certainly had no effect.
pub struct Database {
    dialect: Dialect,
    placeholders: Placeholders,
    run: Box<Run>,
}

impl Database {
    /// A database that speaks this SQL. Parameters are written as its own drivers do: `?`, for PostgreSQL
    /// `$1`.
    pub fn new(
        dialect: Dialect,
        run: impl Fn(&str, &[Option<&str>]) -> Result<Rows, StoreError> + Send + Sync + 'static,
    ) -> Database {
        Database { dialect, placeholders: dialect.placeholders(), run: Box::new(run) }
    }

    /// The same with parameters written in another way.
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
