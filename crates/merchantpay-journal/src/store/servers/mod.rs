//! PostgreSQL, MySQL and MariaDB.

mod address;
mod mysql;
mod password;
mod postgresql;
mod sigpipe;
mod tls;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::Result;

use super::connection::{Connection, Store};
use super::dialect::Dialect;
use super::failure::{Failure, shortened};
use address::Address;
use password::Password;

/// The limit of a statement: a stalled connection must not stop a program for ever.
const STATEMENT_LIMIT: Duration = Duration::from_secs(30);

/// The database of a URL, to which nothing connects yet; `None` for another scheme.
pub(super) fn store(scheme: &str, url: &str, password_file: Option<&Path>) -> Result<Option<Arc<dyn Store>>> {
    let dialect = match scheme.to_ascii_lowercase().as_str() {
        "postgresql" | "postgres" => Dialect::Postgresql,
        "mysql" | "mariadb" => Dialect::Mysql,
        _ => return Ok(None),
    };
    let mut address = Address::read(dialect, url)?;
    let password = Password::new(address.password.take(), password_file);
    Ok(Some(Arc::new(Remote { address, password })))
}

/// A database of a server, perhaps behind a pooler.
struct Remote {
    address: Address,
    password: Password,
}

impl Store for Remote {
    fn dialect(&self) -> Dialect {
        self.address.dialect
    }

    fn place(&self) -> String {
        self.address.place()
    }

    fn statement_limit(&self) -> Duration {
        STATEMENT_LIMIT
    }

    fn connect(&self) -> std::result::Result<Box<dyn Connection>, Failure> {
        match self.address.dialect {
            Dialect::Mysql => mysql::connect(&self.address, &self.password),
            _ => postgresql::connect(&self.address, &self.password),
        }
    }
}

/// An error with its causes, as one line.
fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    shortened(&text)
}
