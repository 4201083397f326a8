//! A journal in PostgreSQL.

use std::error::Error as StdError;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::config::{ChannelBinding, SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Config, Error, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{Address, Server, Tls};
use super::password::Password;
use super::{STATEMENT_LIMIT, shortened, tls, with_causes};
use crate::store::connection::{Connection, Rows, Value};
use crate::store::dialect::Dialect;
use crate::store::failure::Failure;

/// One session. Its runtime runs only during a statement. Neither it nor the driver writes with `writev`, so no
/// lost connection raises SIGPIPE.
struct Session {
    client: Client,
    runtime: Runtime,
}

/// Tries the servers in order. A password that one refuses is not shown to the next.
pub(super) fn connect(address: &Address, password: &Password) -> Result<Box<dyn Connection>, Failure> {
    let tls = MakeRustlsConnect::new(tls::client(address)?);
    let mut why = Vec::new();
    for server in &address.servers {
        match connect_to(address, password, server, &tls) {
            Ok(session) => return Ok(Box::new(session)),
            Err(Failure::Failed { why: reason, lasting: false }) => why.push(reason),
            Err(failure) => return Err(failure),
        }
    }
    Err(Failure::failed(why.join("; ")))
}

fn connect_to(
    address: &Address,
    password: &Password,
    server: &Server,
    tls: &MakeRustlsConnect,
) -> Result<Session, Failure> {
    let mut config = config(address, server);
    let password = password.read_for(address, server)?;
    if let Some(password) = &password {
        config.password(password.as_bytes());
    }
    let failed = |error: std::io::Error| Failure::failed(format!("no connection: {error}"));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let limit = address.connect_timeout;
    let connecting = async { tokio::time::timeout(limit, config.connect(tls.clone())).await };
    let connected = runtime
        .block_on(connecting)
        .map_err(|_| Failure::failed(format!("{server} does not answer within {} s", limit.as_secs())))?;
    let (client, connection) = connected.map_err(|error| connect_failure(address, server, &error))?;
    runtime.spawn(connection);
    Ok(Session { client, runtime })
}

fn config(address: &Address, server: &Server) -> Config {
    let mut config = Config::new();
    match server {
        Server::Tcp(host, port) => config.host(host).port(*port),
        #[cfg(unix)]
        Server::Socket(folder, port) => config.host_path(folder).port(*port),
        #[cfg(not(unix))]
        Server::Socket(folder, port) => config.host(folder.display().to_string()).port(*port),
    };
    config.user(&address.user).dbname(&address.database).application_name("merchantpay");
    config.ssl_mode(if address.tls == Tls::Disabled { SslMode::Disable } else { SslMode::Require });
    if address.tls == Tls::Unverified {
        // Somebody between may have answered. SCRAM bound to the certificate proves the password without
        // sending it, and is of no use on another connection.
        config.channel_binding(ChannelBinding::Require);
    }
    if address.needs_primary || address.servers.len() > 1 {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    config
}

fn connect_failure(address: &Address, server: &Server, error: &Error) -> Failure {
    let user = &address.user;
    let text = with_causes(error);
    if let Some(answer) = error.as_db_error() {
        let refusal = format!("{server} refuses the connection: {}", shortened(answer.message()));
        return match *answer.code() {
            SqlState::INVALID_PASSWORD => {
                Failure::lasting(format!("{server} refuses the password of the user {user:?}"))
            }
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION | SqlState::INVALID_CATALOG_NAME => {
                Failure::lasting(refusal)
            }
            _ => Failure::failed(refusal),
        };
    }
    if text.contains("password missing") {
        return Failure::lasting(format!(
            "{server} asks for a password: name a file with it, or write it into ~/.pgpass"
        ));
    }
    if text.contains("channel binding") {
        return Failure::lasting(format!(
            "{server} wants the password over a connection whose server is not verified: set ca_file, or \
             sslmode=verify-full"
        ));
    }
    if text.contains("server does not support TLS") {
        return Failure::lasting(format!("{server} does not offer TLS, but the URL asks for TLS"));
    }
    Failure::failed(format!("{server} cannot be reached: {text}"))
}

impl Connection for Session {
    /// Runs a statement without a name: pgbouncer may send the next one to another session. The parameters have
    /// types, but for a NULL, whose type its place in the statement gives.
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        const NULL: Option<&str> = None;
        let typed: Vec<(&(dyn ToSql + Sync), Type)> = parameters
            .iter()
            .map(|parameter| match parameter {
                Value::Null => (&NULL as &(dyn ToSql + Sync), Type::UNKNOWN),
                Value::Integer(number) => (number as &(dyn ToSql + Sync), Type::INT8),
                Value::Text(text) => (text as &(dyn ToSql + Sync), Type::TEXT),
            })
            .collect();
        let client = &self.client;
        let statement = async {
            match sql.starts_with("SELECT ") {
                true => client.query_typed(sql, &typed).await.and_then(|rows| read_rows(&rows)),
                false => Ok(Rows { rows: Vec::new(), affected: client.execute_typed(sql, &typed).await? }),
            }
        };
        let bounded = async { tokio::time::timeout(STATEMENT_LIMIT, statement).await };
        match self.runtime.block_on(bounded) {
            Ok(result) => result.map_err(|error| statement_failure(&error)),
            Err(_) => Err(Failure::Unclear("the database did not answer in time".to_owned())),
        }
    }
}

fn read_rows(rows: &[Row]) -> Result<Rows, Error> {
    let values = |row: &Row| -> Result<Vec<Value>, Error> {
        (0..row.len())
            .map(|place| Ok(row.try_get::<_, Option<Cell>>(place)?.map_or(Value::Null, |cell| cell.0)))
            .collect()
    };
    Ok(Rows { rows: rows.iter().map(values).collect::<Result<_, Error>>()?, affected: 0 })
}

/// A value, whatever the type of its column is.
struct Cell(Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Cell, Box<dyn StdError + Sync + Send>> {
        Ok(Cell(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            _ => Value::Text(std::str::from_utf8(raw)?.to_owned()),
        }))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Classifies a driver's error. Its details are left out: they have values of the row.
fn statement_failure(error: &Error) -> Failure {
    match error.as_db_error() {
        Some(answer) => Failure::of_code(Dialect::Postgresql, answer.code().code(), answer.message()),
        None => Failure::Unclear(with_causes(error)),
    }
}
