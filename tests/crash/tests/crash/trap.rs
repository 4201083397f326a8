//! A SQLite store that kills its process at a statement: the journal's own store has no such place.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_crash::Moment;
use merchantpay_journal::{Connection, Dialect, Failure, JournalConfig, Rows, Store, Value};
use rusqlite::types::Value as Sql;

/// The variable with the trap's file. Statements are counted from 1 once the file is there; it says where the process dies.
pub const FILE: &str = "CRASH_TRAP";

/// What the file says.
pub fn text(at: u32, moment: Moment) -> String {
    format!("{at} {moment:?}")
}

struct Trap {
    file: PathBuf,
    count: AtomicU32,
}

impl Trap {
    /// Counts a statement. Returns when in it the process dies.
    fn moment(&self) -> Option<Moment> {
        let said = std::fs::read_to_string(&self.file).ok()?;
        let at = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        [Moment::Before, Moment::After].into_iter().find(|moment| said == text(at, *moment))
    }
}

/// The settings of a journal in a file, with a trap if the environment names one.
pub fn config(place: String) -> JournalConfig {
    let Some(file) = std::env::var_os(FILE) else { return JournalConfig::new(place) };
    let trap = Trap { file: file.into(), count: AtomicU32::new(0) };
    JournalConfig::over(TrapStore(place.into(), Arc::new(trap)))
}

struct TrapStore(PathBuf, Arc<Trap>);

struct TrapConnection(rusqlite::Connection, Arc<Trap>);

impl Store for TrapStore {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn place(&self) -> String {
        "trap".to_owned()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Failure> {
        let connection =
            rusqlite::Connection::open(&self.0).map_err(|error| Failure::failed(error.to_string()))?;
        connection.execute_batch("PRAGMA synchronous = FULL").map_err(|error| failure(&error))?;
        Ok(Box::new(TrapConnection(connection, self.1.clone())))
    }
}

impl Connection for TrapConnection {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let moment = self.1.moment();
        if moment == Some(Moment::Before) {
            die();
        }
        let result = self.execute(sql, parameters);
        if moment.is_some() {
            die();
        }
        result
    }
}

fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}

impl TrapConnection {
    fn execute(&self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let parameters = rusqlite::params_from_iter(parameters.iter().map(|value| match value {
            Value::Null => Sql::Null,
            Value::Integer(number) => Sql::Integer(*number),
            Value::Text(text) => Sql::Text(text.clone()),
        }));
        let mut statement = self.0.prepare(sql).map_err(|error| failure(&error))?;
        let columns = statement.column_count();
        if columns == 0 {
            let affected = statement.execute(parameters).map_err(|error| failure(&error))?;
            return Ok(Rows { rows: Vec::new(), affected: affected as u64 });
        }
        let value = |value: Sql| match value {
            Sql::Integer(number) => Value::Integer(number),
            Sql::Text(text) => Value::Text(text),
            _ => Value::Null,
        };
        let read = |row: &rusqlite::Row<'_>| (0..columns).map(|place| row.get(place).map(value)).collect();
        let rows = statement.query_map(parameters, read).and_then(Iterator::collect);
        Ok(Rows { rows: rows.map_err(|error| failure(&error))?, affected: 0 })
    }
}

fn failure(error: &rusqlite::Error) -> Failure {
    let code = error.sqlite_error().map_or(0, |error| error.extended_code);
    Failure::of_code(Dialect::Sqlite, &code.to_string(), &error.to_string())
}
