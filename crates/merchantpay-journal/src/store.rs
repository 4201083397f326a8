//! Where rows are kept: something that runs SQL. The SQL stands once, in `sql.rs`.

use std::fmt;

/// Which SQL a store speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL, from 12 on.
    Postgresql,
    /// MySQL from 8 on, and MariaDB from 10.5 on.
    Mysql,
}

/// How a store writes the place of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Placeholders {
    /// `?`
    Question,
    /// `$1`, `$2`, …
    Numbered,
    /// `%s`
    Percent,
}

/// What a statement gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The rows of a SELECT, every value as text.
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows were written. Zero may mean that there was nothing to change.
    pub affected: u64,
}

/// Why a statement gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Another row has the key: nothing was written.
    Duplicate,
    /// It is not known whether it took effect: the connection was lost.
    Unclear(String),
    /// It did not take effect.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Duplicate => f.write_str("another row has the key"),
            StoreError::Unclear(why) | StoreError::Failed(why) => f.write_str(why),
        }
    }
}

/// Runs one statement at a time, each in a transaction of its own that is durable when `run` returns. Shared
/// by threads as it is.
pub trait Store: Send + Sync {
    /// Which SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// How it writes the place of a parameter.
    fn placeholders(&self) -> Placeholders {
        match self.dialect() {
            Dialect::Postgresql => Placeholders::Numbered,
            _ => Placeholders::Question,
        }
    }

    /// Runs a statement.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: which one decides whether the statement is repeated.
    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError>;
}
