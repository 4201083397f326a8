//! The sandbox's data in memory and in its database.

pub(crate) mod database;
pub(crate) mod database_file;
pub(crate) mod exchanges;
pub(crate) mod payments;
mod upgrade;
pub(crate) mod webhooks;
