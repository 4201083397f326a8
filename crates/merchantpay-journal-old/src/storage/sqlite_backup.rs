//! Copies a SQLite file while other processes use it.

use std::path::Path;

use merchantpay::{Error, Outcome, Result};

use crate::storage::sqlite_files;
use crate::storage::sqlite_store::{SqliteStore, connect};

impl SqliteStore {
    /// Writes the content that the journal has at one moment into an empty file. The method reads with a
    /// separate connection, so that payments of this process do not wait.
    ///
    /// # Errors
    ///
    /// `storage` with the outcome `not_sent`.
    pub(crate) fn copy_into(&self, new: &Path) -> Result<()> {
        let refused = |why: &str| sqlite_files::refused(new, why);
        #[cfg(windows)]
        let new = &sqlite_files::name_for_sqlite(new);
        let name = new.to_str().ok_or_else(|| refused("its path is not UTF-8"))?;
        let copied = connect(self.path()).and_then(|connection| connection.execute("VACUUM INTO ?1", [name]));
        copied
            .map(drop)
            .map_err(|error| Error::storage(Outcome::NotSent, refused(&error.to_string()).message()))
    }
}
