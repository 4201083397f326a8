//! A journal in MySQL or MariaDB.

use mysql::consts::ColumnType;
use mysql::prelude::{Protocol, Queryable as _};
use mysql::{ClientIdentity, Conn, DriverError, Error, OptsBuilder, Params, QueryResult, SslOpts};

use super::address::{Address, Server, Tls};
use super::password::Password;
use super::sigpipe::without_sigpipe;
use super::{STATEMENT_LIMIT, shortened, with_causes};
use crate::store::connection::{Connection, Rows, Value};
use crate::store::dialect::Dialect;
use crate::store::failure::Failure;

/// `ER_ACCESS_DENIED_ERROR`, and what MariaDB sends in its place for an account of `unix_socket`.
const ACCESS_DENIED: [u16; 2] = [1045, 1698];

/// Takes no gap locks: with them, INSERTs of neighbouring references would deadlock.
const ISOLATION: &str = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// More than the statements of a journal, so that none is prepared twice.
const PREPARED: usize = 64;

/// One session; `None` only while it is being closed.
struct Session(Option<Box<Conn>>);

pub(super) fn connect(address: &Address, password: &Password) -> Result<Box<dyn Connection>, Failure> {
    let password = password.read()?;
    if password.is_some() && address.tls == Tls::Unverified {
        return Err(Failure::lasting(
            "ssl-mode=require does not verify the server, so the password is not sent: set ssl-mode=verify-full, \
             with ca_file for a CA of your own",
        ));
    }
    let options = options(address, password.as_deref().map(String::as_str))?;
    let connected = without_sigpipe(|| Conn::new(options));
    let connection = connected.map_err(|error| connect_failure(address, &error, password.is_some()))?;
    Ok(Box::new(Session(Some(Box::new(connection)))))
}

fn options(address: &Address, password: Option<&str>) -> Result<OptsBuilder, Failure> {
    let options = OptsBuilder::new()
        .user(Some(&address.user))
        .pass(password)
        .db_name(Some(&address.database))
        .tcp_connect_timeout(Some(address.connect_timeout))
        .read_timeout(Some(STATEMENT_LIMIT))
        .write_timeout(Some(STATEMENT_LIMIT))
        .stmt_cache_size(PREPARED)
        .init(vec![ISOLATION])
        // The server may name a socket, and a connection to it would not have the TLS that the URL asks for.
        .prefer_socket(false);
    let options = match address.servers.first() {
        Some(Server::Tcp(host, port)) => options.ip_or_hostname(Some(host)).tcp_port(*port),
        Some(Server::Socket(path, _)) => {
            let path = path.to_str().ok_or_else(|| Failure::lasting("the socket's path is not UTF-8"))?;
            options.socket(Some(path))
        }
        None => options,
    };
    if address.tls == Tls::Disabled {
        return Ok(options);
    }
    let identity = address.identity.as_ref();
    let files =
        address.ca_file.iter().chain(identity.iter().flat_map(|(certificate, key)| [certificate, key]));
    // Opened first: the driver reports a file that it cannot read as a lost connection.
    for file in files {
        std::fs::File::open(file)
            .map_err(|error| Failure::lasting(format!("{} cannot be read: {error}", file.display())))?;
    }
    let is_unverified = address.tls == Tls::Unverified;
    let tls = SslOpts::default()
        .with_root_cert_path(address.ca_file.clone())
        .with_client_identity(
            identity.map(|(certificate, key)| ClientIdentity::new(certificate.clone(), key.clone())),
        )
        .with_danger_accept_invalid_certs(is_unverified)
        .with_danger_skip_domain_validation(is_unverified);
    Ok(options.ssl_opts(tls))
}

fn connect_failure(address: &Address, error: &Error, has_password: bool) -> Failure {
    let server = address.servers.first().map(ToString::to_string).unwrap_or_default();
    let user = &address.user;
    match error {
        Error::MySqlError(answer) if ACCESS_DENIED.contains(&answer.code) => {
            Failure::lasting(match has_password {
                true => format!("{server} refuses the user {user:?} with this password"),
                false => {
                    format!("{server} refuses the user {user:?} without a password: name a file with it")
                }
            })
        }
        Error::MySqlError(answer) => {
            Failure::failed(format!("{server} refuses the connection: {}", shortened(&answer.message)))
        }
        Error::DriverError(DriverError::TlsNotSupported) => {
            Failure::lasting(format!("{server} does not offer TLS, but the URL asks for TLS"))
        }
        error => Failure::failed(format!("{server} cannot be reached: {}", text(error))),
    }
}

impl Connection for Session {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let connection = self.0.as_mut().ok_or_else(|| Failure::failed("the connection is closed"))?;
        without_sigpipe(|| match parameters {
            // BEGIN cannot be prepared.
            [] => connection.query_iter(sql).map_err(|error| statement_failure(&error)).and_then(read_rows),
            parameters => {
                let values = parameters.iter().map(to_mysql).collect();
                let result = connection.exec_iter(sql, Params::Positional(values));
                result.map_err(|error| statement_failure(&error)).and_then(read_rows)
            }
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        without_sigpipe(|| drop(self.0.take()));
    }
}

fn to_mysql(value: &Value) -> mysql::Value {
    match value {
        Value::Null => mysql::Value::NULL,
        Value::Integer(number) => mysql::Value::Int(*number),
        Value::Text(text) => mysql::Value::Bytes(text.clone().into_bytes()),
    }
}

fn read_rows<P: Protocol>(mut result: QueryResult<'_, '_, '_, P>) -> Result<Rows, Failure> {
    // Read first: after the rows the driver has no count any more.
    let affected = result.affected_rows();
    let mut rows = Vec::new();
    for row in result.by_ref() {
        let row = row.map_err(|error| statement_failure(&error))?;
        let numbers: Vec<bool> =
            row.columns_ref().iter().map(|column| is_number(column.column_type())).collect();
        let values =
            row.unwrap().into_iter().zip(numbers).map(|(cell, is_number)| from_mysql(cell, is_number));
        rows.push(
            values
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| Failure::failed("a column has an unexpected value"))?,
        );
    }
    Ok(Rows { rows, affected })
}

fn is_number(kind: ColumnType) -> bool {
    use ColumnType::{
        MYSQL_TYPE_INT24, MYSQL_TYPE_LONG, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_SHORT, MYSQL_TYPE_TINY,
    };
    matches!(
        kind,
        MYSQL_TYPE_TINY | MYSQL_TYPE_SHORT | MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG | MYSQL_TYPE_LONGLONG
    )
}

/// A statement without parameters gets numbers as text. `None` if the cell does not fit a [`Value`].
fn from_mysql(cell: mysql::Value, is_number: bool) -> Option<Value> {
    match cell {
        mysql::Value::NULL => Some(Value::Null),
        mysql::Value::Bytes(bytes) => {
            let text = String::from_utf8(bytes).ok()?;
            if is_number { text.parse().ok().map(Value::Integer) } else { Some(Value::Text(text)) }
        }
        mysql::Value::Int(number) => Some(Value::Integer(number)),
        mysql::Value::UInt(number) => number.try_into().ok().map(Value::Integer),
        _ => None,
    }
}

fn statement_failure(error: &Error) -> Failure {
    match error {
        Error::MySqlError(answer) => {
            Failure::of_code(Dialect::Mysql, &answer.code.to_string(), &answer.message)
        }
        error => Failure::Unclear(text(error)),
    }
}

/// The error's text without the driver's own names.
fn text(error: &Error) -> String {
    match error {
        Error::IoError(error) => with_causes(error),
        Error::DriverError(error) => with_causes(error),
        Error::TlsError(error) => with_causes(error),
        error => with_causes(error),
    }
}
