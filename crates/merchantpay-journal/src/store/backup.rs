//! A copy of a journal's file, made while processes use it.

use std::path::Path;

use super::connection::Store;
use super::database::Database;
use super::dialect::{Dialect, render};
use super::failure::Failure;
use super::sqlite::{self, NewFile, SqliteStore};
use super::statements;
use super::upkeep::PAUSE;

impl Database {
    /// Writes the content that a journal's file has at one moment into a new file, whose attempts are marked as
    /// restored and which is paused with a note: whoever restores it need not remember to. `stamp` becomes the
    /// stamp of every attempt in the copy.
    pub fn backup(&self, to: &Path, note: &str, stamp: &str) -> Result<(), Failure> {
        if std::fs::symlink_metadata(to).is_ok() {
            return Err(Failure::lasting(format!("{} exists already", to.display())));
        }
        // It may lie on a FUSE file system: nobody else knows its name while it is written.
        let new = NewFile::create(to).map_err(|failure| of_copy(to, failure))?;
        let name = new.path().to_str().ok_or_else(|| Failure::lasting("the backup's path is not UTF-8"))?;
        // A connection of its own, so that payments do not wait for the copy.
        self.0.pools.with_unchecked(|connection| connection.run("VACUUM INTO ?", &[name.into()]))?;
        let mut copy = SqliteStore::at(new.path()).connect()?;
        let render = |template: &str| render(template, Dialect::Sqlite);
        copy.run(&render(statements::MARK_RESTORED), &[stamp.into()])?;
        copy.run(&render(&statements::set(Dialect::Sqlite)), &[PAUSE.into(), note.into()])?;
        copy.run(&sqlite::set_identity(), &[])?;
        drop(copy);
        sqlite::leave_wal_mode(new.path())?;
        new.publish_alone()
    }
}

/// Names the copy: the journal itself has no fault.
fn of_copy(to: &Path, failure: Failure) -> Failure {
    match failure {
        Failure::Failed { why, lasting } => {
            Failure::Failed { why: format!("the copy {} cannot be made: {why}", to.display()), lasting }
        }
        other => other,
    }
}
