//! The place where a test's journals are stored: here a folder with SQLite files. The tests of the other
//! databases have a module with the same name.

use std::path::{Path, PathBuf};

use merchantpay_journal_old::{JournalConfig, SqliteStore, Store};

/// A temporary folder, which is deleted when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).unwrap();
        let path =
            std::env::temp_dir().join(format!("merchantpay-journal-{:016x}", u64::from_ne_bytes(bytes)));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self) -> PathBuf {
        self.0.join("payments.db")
    }

    /// The configuration of the journal in this place.
    pub fn config(&self) -> JournalConfig {
        JournalConfig::new(self.file()).create(true)
    }

    /// A separate store over the journal's rows.
    pub fn store(&self) -> Box<dyn Store> {
        Box::new(SqliteStore::create(self.file()).unwrap())
    }

    /// The configuration of another, empty journal.
    pub fn another(&self, name: &str) -> JournalConfig {
        JournalConfig::new(self.0.join(format!("{name}.db"))).create(true)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
