//! A journal's database: a SQLite file of its own, PostgreSQL, MySQL or MariaDB, or a Rust program's own
//! [`Store`].
//!
//! A place is opened by text. The journal connects by itself: no program lends it a connection, so no
//! transaction, time zone or session setting of a program reaches it.

mod backup;
mod connection;
mod database;
mod dialect;
mod durability;
mod failure;
mod messages;
mod opening;
mod place;
mod pool;
mod row;
mod schema;
#[cfg(feature = "databases")]
mod servers;
mod sqlite;
mod statements;
mod upkeep;

pub use connection::{Connection, Rows, Store, Value};
pub use database::{Database, Found, Look, Written};
pub use dialect::Dialect;
pub use durability::VOUCHABLE;
pub use failure::Failure;
pub use messages::{Message, OrphanOrder};
pub use place::Options;
pub use pool::Limits;
pub use row::Unreadable;
pub use schema::schema;
pub use sqlite::SqliteStore;
pub use statements::acknowledge;
pub use upkeep::Counts;
