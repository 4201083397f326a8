//! The sandbox's data in memory and in its database.

pub(crate) mod database;
pub(crate) mod database_file;
pub(crate) mod exchanges;
pub(crate) mod payments;
pub(crate) mod receipts;
pub(crate) mod record;
pub(crate) mod webhooks;
