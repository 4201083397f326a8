//! What a connection must show before the journal uses it: the tables of this layout, and a database that does
//! not lose what it has committed.

use std::path::Path;

use super::connection::{Connection, Value};
use super::dialect::Dialect;
use super::durability::{self, Settings};
use super::failure::Failure;
use super::schema::{ATTEMPTS, LAYOUT, MESSAGES, SETTINGS};
use super::sqlite::names;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opening {
    vouched: Vec<String>,
    is_checked: bool,
}

impl Opening {
    pub(super) fn new(vouched: Vec<String>) -> Opening {
        Opening { vouched, is_checked: true }
    }

    #[cfg(test)]
    pub(super) fn unchecked() -> Opening {
        Opening { vouched: Vec::new(), is_checked: false }
    }

    pub(super) fn check(&self, connection: &mut dyn Connection, dialect: Dialect) -> Result<(), Failure> {
        if !self.is_checked {
            return Ok(());
        }
        // The tables are only looked for when something is wrong: a good connection costs one statement.
        let row = match connection.run(&sql(dialect), &[]) {
            Ok(rows) => rows.rows.into_iter().next().unwrap_or_default(),
            Err(failure) => return Err(self.without_tables(connection, dialect).unwrap_or(failure)),
        };
        let [layout, _, _, values @ ..] = &row[..] else { return Err(no_row()) };
        let settings = Settings::read(dialect, values).ok_or_else(no_row)?;
        let fault = wrong_layout(layout)
            .or_else(|| settings.fault(&self.vouched))
            .or_else(|| self.second_name(settings.file()));
        fault.map_or(Ok(()), |fault| Err(Failure::lasting(fault)))
    }

    /// Why a database has no tables, if that is what is wrong.
    fn without_tables(&self, connection: &mut dyn Connection, dialect: Dialect) -> Option<Failure> {
        let mut read =
            |sql: &str| Some(connection.run(sql, &[]).ok()?.rows.into_iter().next().unwrap_or_default());
        if read(&tables(dialect))?.first()?.integer()? == 3 {
            return None;
        }
        let settings = read(&format!("SELECT 1{}", durability::columns(dialect)))?;
        let fault = Settings::read(dialect, settings.get(1..)?)?.unusable();
        Some(Failure::lasting(fault.unwrap_or(
            "it has no tables of a journal: if this journal existed before, check the address and the name of the \
             database; only for a new shop: `merchantpay journal init`",
        )))
    }

    /// Also a program's own SQLite must not split a journal's write-ahead log.
    fn second_name(&self, file: Option<&str>) -> Option<String> {
        let file = Path::new(file?).canonicalize().ok()?;
        names::fault(&file, &self.vouched)
    }
}

/// Reads the layout, then a value of each other table, then the database's settings.
fn sql(dialect: Dialect) -> String {
    let columns = durability::columns(dialect);
    format!(
        "SELECT (SELECT value FROM {SETTINGS} WHERE name = 'layout'), \
         (SELECT MAX(attempt) FROM {ATTEMPTS} WHERE reference = ''), \
         (SELECT MAX(seen) FROM {MESSAGES} WHERE order_id = ''){columns}"
    )
}

fn wrong_layout(layout: &Value) -> Option<String> {
    match layout.integer() {
        Some(LAYOUT) => None,
        Some(newer) if newer > LAYOUT => Some(format!(
            "its tables have the layout {newer}, but this version knows only {LAYOUT}: update the library"
        )),
        _ => Some(
            "its tables were not made completely: run `merchantpay journal init` again, with the right to \
             INSERT"
                .to_owned(),
        ),
    }
}

fn tables(dialect: Dialect) -> String {
    let names = format!("'{ATTEMPTS}', '{MESSAGES}', '{SETTINGS}'");
    match dialect {
        Dialect::Sqlite => {
            format!("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name IN ({names})")
        }
        Dialect::Postgresql => {
            format!("SELECT COUNT(to_regclass(n)) FROM unnest(ARRAY[{names}]) AS names(n)")
        }
        Dialect::Mysql => format!(
            "SELECT COUNT(*) FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name IN ({names})"
        ),
    }
}

fn no_row() -> Failure {
    Failure::lasting("the database returned other columns than it was asked for")
}
