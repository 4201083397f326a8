//! A journal in MySQL or MariaDB.

use merchantpay::Result;
use merchantpay_journal::{Dialect, Rows, Store, StoreError};
use mysql::prelude::Queryable as _;
use mysql::{Conn, DriverError, Error, Opts, OptsBuilder, Params, SslOpts, Value};

use super::STATEMENT;
use super::address::{Address, Tls, text_of};
use super::message::{one_line, with_causes};
use super::pool::Pool;

/// The error `ER_ACCESS_DENIED_ERROR`, and the same error of MariaDB's `unix_socket`.
const ACCESS_DENIED: [u16; 2] = [1045, 1698];

/// A database of MySQL or MariaDB.
pub(super) struct Mysql {
    options: Opts,
    server: String,
    user: String,
    has_password: bool,
    pool: Pool<Conn>,
}

impl Mysql {
    pub(super) fn new(address: &Address) -> Result<Mysql> {
        // Reads the file here, because the driver would report an unreadable file as a lost connection.
        address.ca_pem()?;
        let mut options = OptsBuilder::new()
            .user(Some(&address.user))
            .pass(address.password.as_deref())
            .db_name(Some(&address.database))
            .tcp_connect_timeout(Some(address.connect_timeout))
            .read_timeout(Some(STATEMENT))
            .write_timeout(Some(STATEMENT))
            // The server may name a socket. A connection to this socket would not have the TLS that the URL
            // requires.
            .prefer_socket(false);
        options = match &address.socket {
            Some(socket) => options.socket(Some(text_of(socket)?)),
            None => options.ip_or_hostname(Some(&address.host)).tcp_port(address.port),
        };
        if address.tls != Tls::Disabled {
            let is_unverified = address.tls == Tls::Unverified;
            let tls = SslOpts::default()
                .with_root_cert_path(address.ca.clone())
                .with_danger_accept_invalid_certs(is_unverified)
                .with_danger_skip_domain_validation(is_unverified);
            options = options.ssl_opts(tls);
        }
        Ok(Mysql {
            options: options.into(),
            server: address.server(),
            user: address.user.clone(),
            has_password: address.password.is_some(),
            pool: Pool::new(),
        })
    }

    fn connect(&self) -> std::result::Result<Conn, StoreError> {
        Conn::new(self.options.clone()).map_err(|error| self.refused(&error))
    }

    /// Returns why there is no connection.
    fn refused(&self, error: &Error) -> StoreError {
        let Mysql { server, user, .. } = self;
        StoreError::Failed(match error {
            Error::MySqlError(answer) if ACCESS_DENIED.contains(&answer.code) && self.has_password => {
                format!("{server} refuses the user {user:?} with this password")
            }
            Error::MySqlError(answer) if ACCESS_DENIED.contains(&answer.code) => format!(
                "{server} refuses the user {user:?} without a password: set MERCHANTPAY_JOURNAL_PASSWORD or use a \
                 file"
            ),
            Error::MySqlError(answer) => {
                format!("{server} refuses the connection: {}", one_line(&answer.message))
            }
            Error::DriverError(DriverError::TlsNotSupported) => {
                format!("{server} does not offer TLS, but the URL asks for TLS")
            }
            error => format!("{server} cannot be reached: {}", text(error)),
        })
    }
}

impl Store for Mysql {
    fn dialect(&self) -> Dialect {
        Dialect::Mysql
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        self.pool.run(sql, || self.connect(), |connection| run(connection, sql, parameters))
    }
}

fn run(
    connection: &mut Conn,
    sql: &str,
    parameters: &[Option<&str>],
) -> std::result::Result<Rows, StoreError> {
    let failure = |error: Error| failure(&error);
    let value = |parameter: &Option<&str>| parameter.map_or(Value::NULL, Value::from);
    let parameters = match parameters {
        [] => Params::Empty,
        parameters => Params::Positional(parameters.iter().map(value).collect()),
    };
    let mut result = connection.exec_iter(sql, parameters).map_err(failure)?;
    // Reads the count first: after the rows are read, the driver has no count any more.
    let affected = result.affected_rows();
    let mut rows = Vec::new();
    for row in result.by_ref() {
        rows.push(row.map_err(failure)?.unwrap().into_iter().map(as_text).collect::<Option<Vec<_>>>());
    }
    let rows: Option<Vec<_>> = rows.into_iter().collect();
    let rows = rows.ok_or_else(|| StoreError::Failed("a column has an unexpected type".to_owned()))?;
    Ok(Rows { rows, affected })
}

/// A value as text; `None` for a type that no column of the journal has.
fn as_text(value: Value) -> Option<Option<String>> {
    match value {
        Value::NULL => Some(None),
        Value::Bytes(bytes) => String::from_utf8(bytes).ok().map(Some),
        Value::Int(number) => Some(Some(number.to_string())),
        Value::UInt(number) => Some(Some(number.to_string())),
        _ => None,
    }
}

/// Turns a driver's error into an error of the journal. If the error is not the server's own answer, it is
/// unclear whether the statement took effect.
fn failure(error: &Error) -> StoreError {
    match error {
        Error::MySqlError(answer) => {
            StoreError::of_code(Dialect::Mysql, &answer.code.to_string(), one_line(&answer.message))
        }
        error => StoreError::Unclear(text(error)),
    }
}

/// The error's text without the driver's own names.
fn text(error: &Error) -> String {
    match error {
        Error::IoError(error) => with_causes(error),
        Error::DriverError(error) => with_causes(error),
        Error::MySqlError(error) => one_line(&error.message),
        Error::TlsError(error) => with_causes(error),
        error => with_causes(error),
    }
}
