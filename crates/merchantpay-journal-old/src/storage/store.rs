//! The interface to a database that runs SQL. The SQL itself is in `statements`.

use std::fmt;

use merchantpay::words;

/// The largest number of characters that an error contains of a database's text.
const LONGEST: usize = 300;

/// MySQL and MariaDB quote values of a statement or of a row after these words.
const BEFORE_VALUES: [&str; 3] = [" near '", " value: '", " entry '"];

words! {
    /// The SQL dialect of a store.
    #[non_exhaustive]
    pub enum Dialect {
        /// SQLite.
        Sqlite = "sqlite", 1, since "0.2.0";
        /// PostgreSQL 12 or later.
        Postgresql = "postgresql", 2, since "0.2.0";
        /// MySQL 8 or later, and MariaDB 10.5 or later.
        Mysql = "mysql", 3, since "0.2.0";
    }
}

impl Dialect {
    /// The syntax of parameters for this dialect's own drivers.
    pub(crate) fn placeholders(self) -> Placeholders {
        match self {
            Dialect::Postgresql => Placeholders::Numbered,
            _ => Placeholders::Question,
        }
    }
}

words! {
    /// The syntax of parameters in a store's SQL.
    #[non_exhaustive]
    pub enum Placeholders {
        /// A parameter is `?`.
        Question = "question", 1, since "0.2.0";
        /// The parameters are `$1`, `$2` and so on.
        Numbered = "numbered", 2, since "0.2.0";
        /// A parameter is `%s`.
        Percent = "percent", 3, since "0.2.0";
    }
}

/// The result of a statement. `Debug` shows the number of rows, but no value: a value can be the number of a
/// person's account.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Rows {
    /// The rows of a SELECT, or of an UPDATE with RETURNING, every value as text.
    pub rows: Vec<Vec<Option<String>>>,
    /// The number of written rows. Some databases report zero if the new values are equal to the old ones.
    pub affected: u64,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("rows", &self.rows.len())
            .field("affected", &self.affected)
            .finish_non_exhaustive()
    }
}

/// The failure of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Another row has the same key; nothing was written.
    Duplicate,
    /// The connection was lost, so the statement may have taken effect.
    Unclear(String),
    /// The statement failed, and was certainly not carried out.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Duplicate => f.write_str("another row has this key"),
            StoreError::Unclear(why) | StoreError::Failed(why) => f.write_str(&shortened(why)),
        }
    }
}

/// The first line of a failure's text, without the values that MySQL quotes there. Such a value can be the
/// number of a person's account.
fn shortened(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let end = BEFORE_VALUES.iter().filter_map(|words| Some(line.find(words)? + words.len() - 1)).min();
    let mut shown: String = line[..end.unwrap_or(line.len())].chars().take(LONGEST).collect();
    if end.is_some() {
        shown.push('…');
    }
    shown
}

/// Runs single statements, each in its own transaction. The transaction is durable when `run` returns.
/// Several threads can share a store.
pub trait Store: Send + Sync {
    /// The SQL dialect.
    fn dialect(&self) -> Dialect;

    /// The syntax of parameters in the store's SQL.
    fn placeholders(&self) -> Placeholders {
        self.dialect().placeholders()
    }

    /// Returns `true` if the journal reads a stored row again before the payment's request is sent. Only a
    /// store that certainly uses autocommit and counts rows correctly can return `false`.
    fn checks_rows(&self) -> bool {
        true
    }

    /// Runs one statement.
    ///
    /// # Errors
    ///
    /// [`StoreError`]: its kind decides whether the statement is retried.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_how_many_rows_there_are_and_none_of_their_values() {
        let rows = Rows { rows: vec![vec![Some("2202209988776655".to_owned()), None]], affected: 3 };
        assert_eq!(format!("{rows:?}"), "Rows { rows: 1, affected: 3, .. }");
    }

    #[test]
    fn the_text_of_a_failure_has_one_line_and_no_values() {
        let texts = [
            ("relation \"a\" is missing\nDETAIL: 79001234567", "relation \"a\" is missing"),
            ("\n  Incorrect string value: '\\xF0' for column 'record'", "Incorrect string value: …"),
            ("error in your syntax near '{\"customerAccount\"' entry 'x", "error in your syntax near …"),
            ("Duplicate entry 'o-1' for key 'PRIMARY'", "Duplicate entry …"),
            ("", ""),
        ];
        for (text, shown) in texts {
            assert_eq!(StoreError::Unclear(text.to_owned()).to_string(), shown);
        }
        assert_eq!(StoreError::Failed("ы".repeat(1000)).to_string(), "ы".repeat(LONGEST));
    }
}
