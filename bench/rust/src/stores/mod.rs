//! Stores of the journal of 0.3.0, with the drivers `postgres` and `mysql`.

mod mariadb;
mod postgresql;

pub use mariadb::MariadbStore;
pub use postgresql::PostgresStore;

use std::sync::{Mutex, PoisonError};

use merchantpay_journal::StoreError;

/// Idle connections.
struct Pool<C>(Mutex<Vec<C>>);

impl<C> Pool<C> {
    fn new() -> Pool<C> {
        Pool(Mutex::new(Vec::new()))
    }

    /// Runs a function with a connection. Afterwards the connection is kept for reuse, unless it may be
    /// broken.
    fn with<T>(
        &self,
        connect: impl FnOnce() -> Result<C, StoreError>,
        run: impl FnOnce(&mut C) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let free = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match free {
            Some(connection) => connection,
            None => connect()?,
        };
        let result = run(&mut connection);
        if !matches!(result, Err(StoreError::Unclear(_))) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        result
    }
}
