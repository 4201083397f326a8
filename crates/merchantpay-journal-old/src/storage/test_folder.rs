//! A temporary folder for a test's database.

use std::path::PathBuf;

/// A temporary folder. It is deleted at the end of the test.
pub(crate) struct TestFolder(PathBuf);

impl TestFolder {
    pub(crate) fn new() -> TestFolder {
        let mut number = [0; 16];
        getrandom::fill(&mut number).unwrap();
        let name = format!("merchantpay-journal-{:032x}", u128::from_be_bytes(number));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        TestFolder(folder)
    }

    /// The path of the journal's file.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("payments.db")
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        // Windows does not delete an open file, and a test can leave connections open.
        let deleted = std::fs::remove_dir_all(&self.0);
        assert!(deleted.is_ok() || cfg!(windows) || std::thread::panicking(), "{deleted:?}");
    }
}
