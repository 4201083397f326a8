//! The databases of a journal: the program's own drivers for PostgreSQL and MySQL or MariaDB. The library
//! contains no driver.

mod address;
mod message;
mod mysql;
mod password;
mod pool;
mod postgresql;
mod tls;

use std::path::Path;
use std::time::Duration;

use merchantpay::Result;
use merchantpay_journal::{Dialect, Store};

use address::Address;
pub(crate) use address::is_database;
pub(crate) use password::refuse_passwords;

/// The time limit of a statement: a stalled connection must not stop the program for ever.
const STATEMENT: Duration = Duration::from_secs(30);

/// Makes the database of a URL. Does not connect yet.
///
/// # Errors
///
/// `invalid_argument` for a URL, a password or certificates that cannot be used.
pub(crate) fn database(url: &str, password_file: Option<&Path>) -> Result<Box<dyn Store>> {
    let mut address = Address::read(url)?;
    if let Some(password) = password::configured(password_file)? {
        address.password = Some(password);
    }
    Ok(match address.dialect {
        Dialect::Postgresql => Box::new(postgresql::Postgresql::new(&address)?),
        _ => Box::new(mysql::Mysql::new(&address)?),
    })
}
