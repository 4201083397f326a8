//! A store that uses the driver `postgres`.

use std::path::Path;
use std::time::{Duration, Instant};

use merchantpay_journal::{Dialect, Rows, Store, StoreError};
use postgres::config::TargetSessionAttrs;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator as _;
use postgres::types::Type;
use postgres::{Client, Config, Error, NoTls, Row};

use super::Pool;

/// The longest time to create a database.
const PATIENCE: Duration = Duration::from_secs(30);

/// A database of a PostgreSQL server, which may be behind pgbouncer.
pub struct PostgresStore {
    config: Config,
    /// The statement that each connection runs first.
    first: Option<String>,
    pool: Pool<Client>,
}

impl PostgresStore {
    /// A database of the server with this socket folder.
    pub fn new(host: &Path, database: &str) -> PostgresStore {
        let mut config = Config::new();
        config.host_path(host).user("shop").dbname(database);
        PostgresStore { config, first: None, pool: Pool::new() }
    }

    /// A database on the server that accepts writes, which is one of these servers.
    pub fn of_primary(hosts: &[&Path], database: &str) -> PostgresStore {
        let mut config = Config::new();
        for host in hosts {
            config.host_path(host).port(5432);
        }
        config.user("shop").dbname(database).target_session_attrs(TargetSessionAttrs::ReadWrite);
        PostgresStore { config, first: None, pool: Pool::new() }
    }

    /// Sets a statement that each connection runs first. It must not be used with pgbouncer.
    #[must_use]
    pub fn first(mut self, statement: &str) -> PostgresStore {
        self.first = Some(statement.to_owned());
        self
    }

    /// Creates a new database.
    pub fn create(host: &Path, database: &str) {
        let mut client = PostgresStore::new(host, "postgres").client().expect("the server answers");
        let end = Instant::now() + PATIENCE;
        // Creating a database copies the template, which only one client at a time can do.
        while let Err(error) = client.batch_execute(&format!("CREATE DATABASE \"{database}\"")) {
            assert!(Instant::now() < end, "{error}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A new connection.
    ///
    /// # Errors
    ///
    /// `Failed`: nothing was sent.
    pub fn client(&self) -> Result<Client, StoreError> {
        let failed = |error: Error| StoreError::Failed(error.to_string());
        let mut client = self.config.connect(NoTls).map_err(failed)?;
        if let Some(first) = &self.first {
            client.batch_execute(first).map_err(failed)?;
        }
        Ok(client)
    }

    /// Runs a statement on a connection, for all stores with this driver. The statement's parameters are texts,
    /// and no statement is prepared by name.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::run`].
    pub fn run_on(client: &mut Client, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        let parameters = parameters.iter().map(|parameter| (*parameter, Type::TEXT));
        let mut rows = client.query_typed_raw(sql, parameters).map_err(failure)?;
        let mut read = Vec::new();
        while let Some(row) = rows.next().map_err(failure)? {
            read.push((0..row.len()).map(|place| text(&row, place)).collect());
        }
        // After a SELECT the driver's count has the rows that were read, so it is not used.
        let affected = if read.is_empty() { rows.rows_affected().unwrap_or_default() } else { 0 };
        Ok(Rows { rows: read, affected })
    }
}

impl Store for PostgresStore {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        self.pool.with(|| self.client(), |client| PostgresStore::run_on(client, sql, parameters))
    }
}

fn text(row: &Row, place: usize) -> Option<String> {
    let type_ = row.columns()[place].type_();
    if *type_ == Type::INT8 {
        row.get::<_, Option<i64>>(place).map(|number| number.to_string())
    } else if *type_ == Type::INT4 {
        row.get::<_, Option<i32>>(place).map(|number| number.to_string())
    } else {
        row.get(place)
    }
}

fn failure(error: Error) -> StoreError {
    let text = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
    StoreError::of_code(Dialect::Postgresql, error.code().map_or("", SqlState::code), text)
}
