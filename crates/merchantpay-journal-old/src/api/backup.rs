//! `backup`: copies a journal into a file while other processes use it.

use std::path::Path;
use std::sync::Arc;

use merchantpay::{Error, Result};

use crate::api::journal::Journal;
use crate::storage::file_names::FUSE;
use crate::storage::queries::{Pause, Queries, not_sent};
use crate::storage::sqlite_files::NewFile;
use crate::storage::sqlite_store::SqliteStore;

impl Journal {
    /// Copies a journal's file to a new file, whose absolute path must not exist yet. Other processes can use
    /// the journal during the backup. The copy has the state of one moment. The copy is paused, because it
    /// lacks later changes, and all rows of the copy are marked as restored. After a restore an operator
    /// [resumes](Journal::resume) the journal.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the journal is in a database, which has its own backup tools, or if the path is
    /// relative; `storage` if the copy cannot be written: then no new file is left.
    pub fn backup(&self, file: impl AsRef<Path>) -> Result<()> {
        let Some(store) = &self.file else {
            return Err(Error::invalid_argument(
                "the journal is in a database server: pause the journal, then copy it with the database's \
                 own tools",
            ));
        };
        let copy = NewFile::create(file.as_ref())?;
        // Nobody else can know the copy's name yet, so it may be on a FUSE file system.
        store.copy_into(copy.path())?;
        mark(&Queries::new(Arc::new(SqliteStore::open_with(copy.path(), &[FUSE.to_owned()])?)))?;
        copy.publish()
    }
}

fn mark(copy: &Queries) -> Result<()> {
    let (at, _) = copy.pause().map_err(not_sent)?;
    let pause = Pause { note: "this is a copy that backup made: later changes are missing".to_owned(), at };
    copy.set_pause(&pause, false).map_err(not_sent)?;
    copy.set_restored().map_err(not_sent)
}
