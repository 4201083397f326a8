//! The storage of attempts: the tables, the statements, and the databases that run them.

pub(crate) mod columns;
pub(crate) mod durability;
mod failure;
pub(crate) mod file_names;
pub(crate) mod merchant_database;
pub(crate) mod queries;
pub(crate) mod schema;
pub(crate) mod sql_dump;
pub(crate) mod sqlite_backup;
pub(crate) mod sqlite_files;
pub(crate) mod sqlite_store;
pub(crate) mod statements;
pub(crate) mod store;

#[cfg(test)]
pub(crate) mod test_folder;
