//! Databases for the journal's tests: each is started as an ordinary user, in a folder of its own, on a
//! socket in it, and goes with the test.

mod mariadb;
mod pgbouncer;
mod postgresql;
mod server;
#[cfg(feature = "stores")]
mod stores;
mod tcp;

pub use mariadb::Mariadb;
pub use pgbouncer::Pgbouncer;
pub use postgresql::Postgresql;
pub use server::random;
#[cfg(feature = "stores")]
pub use stores::{CStore, MariadbStore, PostgresStore};
