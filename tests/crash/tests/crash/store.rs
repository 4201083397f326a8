//! A SQLite store that kills its process at a statement: the journal's own store has no such place.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_crash::Moment;
use merchantpay_journal::{Connection, Dialect, Failure, Rows, Store, Value};
use rusqlite::types::Value as Sql;

/// Counts statements from 1 when it is set to 1.
pub type Count = Arc<AtomicU32>;

pub struct Trap {
    pub at: u32,
    pub moment: Moment,
    pub count: Count,
}

pub struct TrapStore(pub PathBuf, pub Arc<Trap>);

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
        let trap = self.1.clone();
        let counts = |count: u32| (count > 0).then_some(count + 1);
        let is_it = trap.count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, counts) == Ok(trap.at);
        if is_it && trap.moment == Moment::Before {
            die();
        }
        let result = self.execute(sql, parameters);
        if is_it {
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
