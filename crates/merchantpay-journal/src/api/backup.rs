//! `backup`: a copy of a journal in a file, while it is in use.

use std::path::Path;
use std::sync::Arc;

use merchantpay::{Error, Result};

use crate::api::journal::Journal;
use crate::storage::queries::{Pause, Queries, not_sent};
use crate::storage::sqlite_files::NewFile;
use crate::storage::sqlite_store::SqliteStore;

impl Journal {
    /// Copies a journal in a file into another one, whose absolute path nothing has yet. Other processes may use the
    /// journal meanwhile: the copy has it as it was at one moment. The copy is paused, because what happened since is
    /// missing in it, and all its rows are marked as restored. [Resume](Journal::resume) it after a restore, when an
    /// operator has decided so.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the journal is in a database, which has tools of its own, or if the path is relative;
    /// `storage` if the copy cannot be written: nothing has its name then.
    pub fn backup(&self, file: impl AsRef<Path>) -> Result<()> {
        let Some(store) = &self.file else {
            return Err(Error::invalid_argument(
                "the journal is in a database: copy it with the database's own tools, after pause",
            ));
        };
        let copy = NewFile::create(file.as_ref())?;
        store.copy_into(copy.path())?;
        mark(&Queries::new(Arc::new(SqliteStore::open(copy.path())?)))?;
        copy.publish()
    }
}

fn mark(copy: &Queries) -> Result<()> {
    let (at, _) = copy.pause().map_err(not_sent)?;
    let pause =
        Pause { note: "this is a copy that backup made: what happened since is missing".to_owned(), at };
    copy.set_pause(&pause, false).map_err(not_sent)?;
    copy.set_restored().map_err(not_sent)
}
