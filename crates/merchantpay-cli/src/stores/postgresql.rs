//! A journal in PostgreSQL.

use std::error::Error as StdError;
use std::time::Duration;

use merchantpay::Result;
use merchantpay_journal::{Dialect, Rows, Store, StoreError};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Config, Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::STATEMENT;
use super::address::{Address, Tls};
use super::message::{one_line, with_causes};
use super::pool::Pool;
use super::tls;

/// A database of PostgreSQL.
pub(super) struct Postgresql {
    config: Config,
    tls: MakeRustlsConnect,
    server: String,
    user: String,
    connect_timeout: Duration,
    pool: Pool<Connection>,
}

/// One session. Its runtime runs only during a statement.
struct Connection {
    client: Client,
    runtime: Runtime,
}

impl Postgresql {
    pub(super) fn new(address: &Address) -> Result<Postgresql> {
        let mut config = Config::new();
        match &address.socket {
            Some(socket) => config.host(super::address::text_of(socket)?),
            None => config.host(&address.host),
        };
        config.port(address.port).user(&address.user).dbname(&address.database);
        config.application_name("merchantpay").ssl_mode(match address.tls {
            Tls::Disabled => SslMode::Disable,
            _ => SslMode::Require,
        });
        if let Some(password) = &address.password {
            config.password(password.as_bytes());
        }
        Ok(Postgresql {
            config,
            tls: MakeRustlsConnect::new(tls::client(address)?),
            server: address.server(),
            user: address.user.clone(),
            connect_timeout: address.connect_timeout,
            pool: Pool::new(),
        })
    }

    fn connect(&self) -> std::result::Result<Connection, StoreError> {
        let failed = |error: std::io::Error| StoreError::Failed(format!("the connection failed: {error}"));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let connecting =
            async { tokio::time::timeout(self.connect_timeout, self.config.connect(self.tls.clone())).await };
        let connected = runtime.block_on(connecting).map_err(|_| {
            let seconds = self.connect_timeout.as_secs();
            StoreError::Failed(format!("{} does not answer within {seconds} s", self.server))
        })?;
        let (client, connection) = connected.map_err(|error| self.refused(&error))?;
        runtime.spawn(connection);
        Ok(Connection { client, runtime })
    }

    /// Returns why there is no connection.
    fn refused(&self, error: &Error) -> StoreError {
        let Postgresql { server, user, .. } = self;
        let code = error.code();
        let said = error.as_db_error().map(|error| one_line(error.message())).unwrap_or_default();
        let text = with_causes(error);
        StoreError::Failed(if code == Some(&SqlState::INVALID_PASSWORD) {
            format!("{server} refuses the password of the user {user:?}")
        } else if code.is_some() {
            format!("{server} refuses the connection: {said}")
        } else if text.contains("password missing") {
            format!("{server} asks for a password: set MERCHANTPAY_JOURNAL_PASSWORD or use a file")
        } else if text.contains("server does not support TLS") {
            format!("{server} does not offer TLS, but the URL asks for TLS")
        } else {
            format!("{server} cannot be reached: {text}")
        })
    }
}

impl Store for Postgresql {
    fn dialect(&self) -> Dialect {
        Dialect::Postgresql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        self.pool.run(sql, || self.connect(), |connection| connection.run(sql, parameters))
    }
}

impl Connection {
    /// Runs a statement without a name, because a pooler may send a named statement to the wrong connection.
    /// The parameters are texts.
    fn run(&mut self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        let typed: Vec<(&(dyn ToSql + Sync), Type)> =
            parameters.iter().map(|parameter| (parameter as &(dyn ToSql + Sync), Type::TEXT)).collect();
        let has_rows = sql.starts_with("SELECT ") || sql.contains(" RETURNING ");
        let client = &self.client;
        let statement = async {
            match has_rows {
                true => client.query_typed(sql, &typed).await.and_then(|rows| read(&rows)),
                false => Ok(Rows { rows: Vec::new(), affected: client.execute_typed(sql, &typed).await? }),
            }
        };
        let bounded = async { tokio::time::timeout(STATEMENT, statement).await };
        match self.runtime.block_on(bounded) {
            Ok(result) => result.map_err(|error| failure(&error)),
            Err(_) => Err(StoreError::Unclear("the database did not answer in time".to_owned())),
        }
    }
}

fn read(rows: &[Row]) -> std::result::Result<Rows, Error> {
    let texts = |row: &Row| {
        let values = (0..row.len()).map(|place| row.try_get::<_, Option<Text>>(place));
        values.map(|value| Ok(value?.map(|text| text.0))).collect()
    };
    Ok(Rows { rows: rows.iter().map(texts).collect::<std::result::Result<_, Error>>()?, affected: 0 })
}

/// A value as text, whatever the type of its column is.
struct Text(String);

impl<'a> FromSql<'a> for Text {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> std::result::Result<Text, Box<dyn StdError + Sync + Send>> {
        Ok(Text(match *kind {
            Type::INT8 => i64::from_sql(kind, raw)?.to_string(),
            Type::INT4 => i32::from_sql(kind, raw)?.to_string(),
            _ => std::str::from_utf8(raw)?.to_owned(),
        }))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Turns a driver's error into an error of the journal. If the error is not the server's own answer, it is
/// unclear whether the statement took effect.
fn failure(error: &Error) -> StoreError {
    let Some(answer) = error.as_db_error() else { return StoreError::Unclear(with_causes(error)) };
    // Leaves out the details of the error, because they contain values of the row.
    StoreError::of_code(Dialect::Postgresql, answer.code().code(), one_line(answer.message()))
}
