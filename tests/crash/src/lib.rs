//! Databases for the journal's tests: each server runs as an ordinary user, in its own folder with its
//! socket, and ends with the test.

mod mariadb;
mod page;
mod pgbouncer;
mod postgresql;
mod server;
#[cfg(feature = "stores")]
mod stores;
mod tcp;

pub use mariadb::Mariadb;
pub use page::backup_commands;
pub use pgbouncer::Pgbouncer;
pub use postgresql::Postgresql;
pub use server::random;
#[cfg(feature = "stores")]
pub use stores::{CStore, MariadbStore, PostgresStore};
