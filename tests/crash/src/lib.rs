//! Databases for the journal's tests: each server runs as an ordinary user, in its own folder with its socket, and ends
//! with the test.

#![allow(missing_docs, reason = "a library of tests, whose names say it")]

mod mariadb;
mod pgbouncer;
mod places;
mod postgresql;
mod proxy;
mod server;
mod tcp;
mod tests;

pub use mariadb::Mariadb;
pub use pgbouncer::Pgbouncer;
pub use places::{Kind, Place, Servers};
pub use postgresql::Postgresql;
pub use proxy::{Moment, Proxy};
pub use server::{Folder, random, wait_until};
pub use tcp::{Tcp, free_port};
pub use tests::{Test, run};
