//! Runs an action of another process between two statements of a journal.

use std::sync::Mutex;

use merchantpay_journal_old::{Dialect, Journal, JournalConfig, Rows, SqliteStore, Store, StoreError};

use crate::shop::Shop;

struct Interrupted {
    inner: SqliteStore,
    before: &'static str,
    other: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Store for Interrupted {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> Result<Rows, StoreError> {
        if sql.starts_with(self.before)
            && let Some(other) = self.other.lock().unwrap().take()
        {
            other();
        }
        self.inner.run(sql, parameters)
    }
}

impl Shop {
    /// A journal that runs the other process's action immediately before its own first write.
    pub fn interrupted(&self, other: impl FnOnce() + Send + 'static) -> Journal {
        self.interrupted_before("UPDATE", other)
    }

    /// Like [`interrupted`](Self::interrupted), but the action runs before the first statement that begins
    /// with `before`.
    pub fn interrupted_before(&self, before: &'static str, other: impl FnOnce() + Send + 'static) -> Journal {
        let inner = SqliteStore::open(self.folder.file()).unwrap();
        let store = Interrupted { inner, before, other: Mutex::new(Some(Box::new(other))) };
        Journal::open(&self.client, self.with_settings(JournalConfig::over(store))).unwrap()
    }
}
