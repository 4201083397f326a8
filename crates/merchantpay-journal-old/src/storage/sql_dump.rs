//! Rows as SQL statements, for the client program of another database.

use crate::storage::columns::{COLUMNS, news_at, set_restored};
use crate::storage::schema::{JOURNAL, ORPHANS};
use crate::storage::statements;
use crate::storage::store::Dialect;

/// The statements before the rows. They make texts UTF-8 without escapes, and put the rows into one
/// transaction.
pub(crate) fn begin(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Sqlite => &["BEGIN"],
        Dialect::Postgresql => {
            &["SET client_encoding = 'UTF8'", "SET standard_conforming_strings = on", "BEGIN"]
        }
        Dialect::Mysql => &[
            "SET NAMES utf8mb4",
            "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'",
            "START TRANSACTION",
        ],
    }
}

/// The statement after the rows.
pub(crate) const END: &str = "COMMIT";

/// The statement that stores an attempt as restored. It does nothing if the attempt exists. The values have
/// the order of [`COLUMNS`].
pub(crate) fn attempt(dialect: Dialect, values: &[Option<String>]) -> String {
    let mut values = values.to_vec();
    let news_at = news_at(&values.iter().map(|value| value.as_deref().map(Into::into)).collect::<Vec<_>>());
    set_restored(&mut values);
    values.push(news_at.map(|time| time.into_owned()));
    let columns = [COLUMNS, &["news_at"]].concat();
    insert(dialect, JOURNAL, &columns, &values)
}

/// The statement that stores an orphan. It does nothing if the orphan exists.
pub(crate) fn orphan(dialect: Dialect, values: &[Option<String>]) -> String {
    insert(dialect, ORPHANS, statements::ORPHAN_COLUMNS, values)
}

fn insert(dialect: Dialect, table: &str, columns: &[&str], values: &[Option<String>]) -> String {
    let values: Vec<String> = values.iter().map(|value| literal(value.as_deref())).collect();
    // MySQL's INSERT IGNORE would also truncate values that are too long.
    let present = match dialect {
        Dialect::Mysql => format!("ON DUPLICATE KEY UPDATE {table}.{0} = {table}.{0}", columns[0]),
        _ => "ON CONFLICT DO NOTHING".to_owned(),
    };
    format!("INSERT INTO {table} ({}) VALUES ({}) {present}", columns.join(", "), values.join(", "))
}

/// A value as a text literal. Every database converts the literal to a number if the column needs a number.
fn literal(value: Option<&str>) -> String {
    value.map_or("NULL".to_owned(), |text| format!("'{}'", text.replace('\'', "''")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::columns::NUMBERS;

    #[test]
    fn no_value_ends_its_literal() {
        for (value, expected) in [
            (None, "NULL"),
            (Some(""), "''"),
            (Some("7"), "'7'"),
            (Some("'); DROP TABLE t; --"), "'''); DROP TABLE t; --'"),
            (Some("\\'\n\"ы"), "'\\''\n\"ы'"),
        ] {
            assert_eq!(literal(value), expected);
        }
    }

    #[test]
    fn rows_go_into_the_tables_of_the_schema_once() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for statement in crate::storage::schema::schema(Dialect::Sqlite) {
            connection.execute_batch(&statement).unwrap();
        }
        let attempt_values: Vec<Option<String>> = COLUMNS
            .iter()
            .map(|column| Some(if NUMBERS.contains(column) { "1" } else { "it's" }.into()))
            .collect();
        let orphan_values = vec![Some("7".to_owned()); statements::ORPHAN_COLUMNS.len()];
        for _ in 0..2 {
            connection.execute_batch(&attempt(Dialect::Sqlite, &attempt_values)).unwrap();
            connection.execute_batch(&orphan(Dialect::Sqlite, &orphan_values)).unwrap();
        }
        let (reference, count): (String, u32) = connection
            .query_row("SELECT reference, COUNT(*) FROM merchantpay_journal", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!((reference.as_str(), count), ("it's", 1));
    }
}
