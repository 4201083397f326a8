//! A store that uses the driver `mysql`.

use std::path::{Path, PathBuf};

use merchantpay_journal::{Dialect, Rows, Store, StoreError};
use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Error, OptsBuilder, Params, Value};

use super::Pool;

/// A database of a MariaDB server.
pub struct MariadbStore {
    socket: PathBuf,
    database: String,
    /// The statement that each connection runs first.
    first: Option<String>,
    /// `true` if an UPDATE counts the rows that it found, not the rows that it changed.
    found_rows: bool,
    pool: Pool<Conn>,
}

impl MariadbStore {
    /// A database of the server with this socket.
    pub fn new(socket: &Path, database: &str) -> MariadbStore {
        MariadbStore {
            socket: socket.to_owned(),
            database: database.to_owned(),
            first: None,
            found_rows: false,
            pool: Pool::new(),
        }
    }

    /// Sets a statement that each connection runs first.
    #[must_use]
    pub fn first(mut self, statement: &str) -> MariadbStore {
        self.first = Some(statement.to_owned());
        self
    }

    /// Makes an UPDATE count the rows that it found, not only the rows that it changed.
    #[must_use]
    pub fn found_rows(mut self) -> MariadbStore {
        self.found_rows = true;
        self
    }

    /// Creates a new database.
    pub fn create(socket: &Path, database: &str) {
        let mut connection = MariadbStore::new(socket, "mysql").connection().expect("the server answers");
        connection.query_drop(format!("CREATE DATABASE `{database}`")).expect("a database is made");
    }

    /// A new connection.
    ///
    /// # Errors
    ///
    /// `Failed`: nothing was sent.
    pub fn connection(&self) -> Result<Conn, StoreError> {
        let mut options = OptsBuilder::new()
            .socket(self.socket.to_str())
            .user(Some("root"))
            .db_name(Some(&self.database))
            .init(self.first.iter().cloned().collect::<Vec<_>>());
        if self.found_rows {
            options = options.additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS);
        }
        Conn::new(options).map_err(|error| StoreError::Failed(error.to_string()))
    }

    /// Runs a statement on a connection, for all stores with this driver.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::run`].
    pub fn run_on(connection: &mut Conn, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let value = |parameter: &Option<&str>| parameter.map_or(Value::NULL, Value::from);
        let parameters = match parameters {
            [] => Params::Empty,
            parameters => Params::Positional(parameters.iter().map(value).collect()),
        };
        let mut result = connection.exec_iter(sql, parameters).map_err(failure)?;
        // The driver sets the count to 0 when it has read the rows of a result, so the count is read first.
        let affected = result.affected_rows();
        let mut rows = Vec::new();
        for row in result.by_ref() {
            rows.push(row.map_err(failure)?.unwrap().into_iter().map(text).collect());
        }
        Ok(Rows { rows, affected })
    }
}

impl Store for MariadbStore {
    fn dialect(&self) -> Dialect {
        Dialect::Mysql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        self.pool.with(|| self.connection(), |connection| MariadbStore::run_on(connection, sql, parameters))
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::NULL => None,
        Value::Bytes(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Value::Int(number) => Some(number.to_string()),
        Value::UInt(number) => Some(number.to_string()),
        other => Some(format!("{other:?}")),
    }
}

fn failure(error: Error) -> StoreError {
    match error {
        Error::MySqlError(error) => {
            StoreError::of_code(Dialect::Mysql, &error.code.to_string(), error.to_string())
        }
        error => StoreError::Unclear(error.to_string()),
    }
}
