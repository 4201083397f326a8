//! Where rows are kept: something that runs SQL. The SQL stands once, in `statements`.

use std::fmt;

use merchantpay::words;

words! {
    /// Which SQL a store speaks.
    #[non_exhaustive]
    pub enum Dialect {
        /// SQLite.
        Sqlite = "sqlite", 1, since "0.2.0";
        /// PostgreSQL, from 12 on.
        Postgresql = "postgresql", 2, since "0.2.0";
        /// MySQL from 8 on, and MariaDB from 10.5 on.
        Mysql = "mysql", 3, since "0.2.0";
    }
}

impl Dialect {
    /// How its own drivers write the place of a parameter.
    pub(crate) fn placeholders(self) -> Placeholders {
        match self {
            Dialect::Postgresql => Placeholders::Numbered,
            _ => Placeholders::Question,
        }
    }
}

words! {
    /// How a store writes the place of a parameter.
    #[non_exhaustive]
    pub enum Placeholders {
        /// ?
        Question = "question", 1, since "0.2.0";
        /// $1, $2 and so on.
        Numbered = "numbered", 2, since "0.2.0";
        /// %s
        Percent = "percent", 3, since "0.2.0";
    }
}

/// What a statement gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The rows of a SELECT, or of an UPDATE with RETURNING, every value as text.
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
        self.dialect().placeholders()
    }

    /// Whether a stored row is looked at once more before its request is sent. Only a store of which it is
    /// known that it is in autocommit, and counts right, can say no.
    fn checks_rows(&self) -> bool {
        true
    }

    /// Runs a statement.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: which one decides whether the statement is repeated.
    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError>;
}

impl<S: Store + ?Sized> Store for Box<S> {
    fn dialect(&self) -> Dialect {
        (**self).dialect()
    }

    fn placeholders(&self) -> Placeholders {
        (**self).placeholders()
    }

    fn checks_rows(&self) -> bool {
        (**self).checks_rows()
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        (**self).run(sql, parameters)
    }
}
