//! The default store: one SQLite file, which only the journal uses.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use crate::storage::schema::schema;
use crate::storage::sqlite_files;
use crate::storage::store::{Dialect, Rows, Store, StoreError};

/// The time for which a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for which a forked child waits for a lock. A thread of the child may hold the lock, and will
/// release it. If a thread of the parent held the lock at the fork, no thread releases it in the child.
const INHERITED_LOCK: Duration = Duration::from_secs(1);

/// The `application_id` of a journal's file: "MPjo".
const APPLICATION: i64 = 0x4d50_6a6f;

/// A SQLite VFS that accepts every name that Windows accepts. The default VFS accepts at most 1040 bytes.
#[cfg(windows)]
const LONG_PATHS: &str = "win32-longpath";

/// A SQLite file in WAL mode, in which every completed write is durable.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    slot: Slot,
}

/// The connection of one process. A forked child adds its own slot, because SQLite cannot be used across a
/// fork.
#[derive(Debug)]
struct Slot {
    pid: u32,
    /// `None` after the slot is dropped, or after a forked child has closed the connection.
    connection: Mutex<Option<Open>>,
    child: OnceLock<Box<Slot>>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    path: PathBuf,
    /// The identity of the files when the connection was opened.
    identity: sqlite_files::Identity,
    /// `true` if the files of this path were replaced. Then this connection is unusable.
    was_replaced: bool,
}

impl SqliteStore {
    /// Opens the journal in the file with this absolute path.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for a relative path; `storage` with the outcome `not_sent` if the file cannot be
    /// used: missing, not readable, not a journal, damaged, on a network or FUSE file system, mounted alone, or
    /// with several hard links.
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteStore> {
        SqliteStore::open_with(path, &[])
    }

    /// Like [`open`](SqliteStore::open), with the names of
    /// [`durability_vouched`](crate::JournalConfig::durability_vouched): `fuse` accepts a FUSE file system.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](SqliteStore::open).
    pub fn open_with(path: impl AsRef<Path>, durability_vouched: &[String]) -> Result<SqliteStore> {
        let path = path.as_ref();
        SqliteStore::at(path, sqlite_files::find(path, durability_vouched)?, Missing::Refused)
    }

    /// Like [`open`](SqliteStore::open), but creates the journal with mode 0600 if the journal is missing.
    /// The call can be repeated.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](SqliteStore::open), and `storage` if the file cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<SqliteStore> {
        SqliteStore::create_with(path, &[])
    }

    /// Like [`create`](SqliteStore::create), with the names of
    /// [`durability_vouched`](crate::JournalConfig::durability_vouched).
    ///
    /// # Errors
    ///
    /// The errors of [`create`](SqliteStore::create).
    pub fn create_with(path: impl AsRef<Path>, durability_vouched: &[String]) -> Result<SqliteStore> {
        let path = path.as_ref();
        SqliteStore::at(path, sqlite_files::find_or_create(path, durability_vouched)?, Missing::Created)
    }

    fn at(name: &Path, path: PathBuf, missing: Missing) -> Result<SqliteStore> {
        let open = Open::new(&path, missing).map_err(|why| why.error(name))?;
        Ok(SqliteStore { path, slot: Slot::new(open, std::process::id()) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The connection of the calling process, whose id is `pid`.
    fn slot(&self, pid: u32) -> std::result::Result<&Slot, StoreError> {
        let mut slot = &self.slot;
        while slot.pid != pid {
            slot = match slot.child.get() {
                Some(child) => child,
                None => {
                    slot.close_inherited();
                    let open = Open::new(&self.path, Missing::Refused)
                        .map_err(|why| StoreError::Failed(why.error(&self.path).message().to_owned()))?;
                    // The connection is opened first and then stored. So a fork during the opening does not
                    // leave a lock of the `OnceLock` that nobody releases.
                    let _ = slot.child.set(Box::new(Slot::new(open, pid)));
                    continue;
                }
            };
        }
        Ok(slot)
    }
}

impl SqliteStore {
    /// Detects replaced files. If a second SQLite in this process closes the file, the system drops our
    /// locks. Another process can then remove the -wal file, and a COMMIT that reported success is lost.
    fn check_files(&self, open: &mut Open) -> std::result::Result<(), StoreError> {
        open.was_replaced |= open.identity != sqlite_files::Identity::of(&self.path);
        match open.was_replaced {
            false => Ok(()),
            true => {
                let file = self.path.display();
                Err(StoreError::Failed(format!(
                    "the files of {file} were replaced: check whether another SQLite library in this \
                     process uses that file"
                )))
            }
        }
    }
}

/// The reason why a file cannot be opened.
enum Unusable {
    Other,
    Empty,
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Unusable {
        Unusable::Sqlite(error)
    }
}

impl Unusable {
    /// Makes the error for a file. The error is transient for a lock or a disk fault. Other errors need an
    /// operator.
    fn error(&self, name: &Path) -> Error {
        match self {
            Unusable::Other => sqlite_files::refused(name, "it is a SQLite file of another program"),
            Unusable::Empty => {
                sqlite_files::refused(name, &format!("it is empty; {}", sqlite_files::how_to_create(name)))
            }
            Unusable::Sqlite(error) => {
                let refused = sqlite_files::refused(name, &error.to_string());
                match error.sqlite_error_code() {
                    Some(
                        ErrorCode::NotADatabase
                        | ErrorCode::DatabaseCorrupt
                        | ErrorCode::PermissionDenied
                        | ErrorCode::ReadOnly,
                    ) => refused,
                    _ => Error::storage(Outcome::NotSent, refused.message()),
                }
            }
        }
    }
}

impl Slot {
    fn new(open: Open, pid: u32) -> Slot {
        Slot { pid, connection: Mutex::new(Some(open)), child: OnceLock::new() }
    }

    /// Closes an inherited connection in a forked child. SQLite counts locks per file and process, and would
    /// count the parent's locks as locks of the child. A second connection of the child would then hold no
    /// real lock, and the parent would remove the -wal file when the parent closes its connection.
    fn close_inherited(&self) {
        let end = Instant::now() + INHERITED_LOCK;
        loop {
            match self.connection.try_lock() {
                Ok(mut connection) => {
                    if let Some(open) = connection.take() {
                        open.close_without_checkpoint();
                    }
                    return;
                }
                // Another thread holds the connection. A thread of this process soon releases it. But if a
                // thread of the parent held the connection at the fork, that thread does not exist in this
                // process. Then the connection is leaked.
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(Duration::from_millis(5))
                }
                Err(_) => return,
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let connection = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = connection.take() else { return };
        let is_own = self.pid == std::process::id();
        // Leaks an inherited connection that this process has not used. Also leaks a connection if its files
        // were replaced: closing the connection would overwrite newer data with the old -wal file.
        if !is_own || open.was_replaced || open.identity != sqlite_files::Identity::of(&open.path) {
            std::mem::forget(open);
        }
    }
}

impl Open {
    /// Opens the journal in a file. Nothing is written to the file before its content was recognised.
    fn new(path: &Path, missing: Missing) -> std::result::Result<Open, Unusable> {
        let connection = connect(path)?;
        let content = patiently(|| Content::of(&connection))?;
        match (content, missing) {
            (Content::Other, _) => return Err(Unusable::Other),
            (Content::Nothing, Missing::Refused) => return Err(Unusable::Empty),
            _ => {}
        }
        patiently(|| connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        // Without this setting SQLite recompiles a cached statement for each new parameter, because the
        // parameter might change the query plan.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        match content {
            Content::Nothing => patiently(|| make(&connection))?,
            // A file that was in another journal mode gets its -wal file only now, by a read in WAL mode.
            _ => patiently(|| Content::of(&connection).map(drop))?,
        }
        Ok(Open {
            connection,
            path: path.to_owned(),
            identity: sqlite_files::Identity::of(path),
            was_replaced: false,
        })
    }

    /// Closes the connection without writing to the files. The process that opened the connection may have
    /// closed the files, and other processes may use them.
    fn close_without_checkpoint(self) {
        match self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
            Ok(true) => drop(self),
            _ => std::mem::forget(self),
        }
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> rusqlite::Result<Rows> {
        let mut statement = self.connection.prepare_cached(sql)?;
        if statement.column_count() == 0 {
            let affected = statement.execute(params_from_iter(parameters))?;
            return Ok(Rows { rows: Vec::new(), affected: affected as u64 });
        }
        let count = statement.column_count();
        let mut rows = statement.query(params_from_iter(parameters))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let value = |place| row.get_ref(place).map(text);
            read.push((0..count).map(value).collect::<rusqlite::Result<_>>()?);
        }
        Ok(Rows { rows: read, affected: 0 })
    }
}

pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(windows)]
    let connection =
        Connection::open_with_flags_and_vfs(sqlite_files::name_for_sqlite(path), flags, LONG_PATHS)?;
    #[cfg(not(windows))]
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// The behaviour for a file without tables.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Refused,
    Created,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Journal,
    Nothing,
    /// The file has another program's tables.
    Other,
}

impl Content {
    fn of(connection: &Connection) -> rusqlite::Result<Content> {
        // The tables are read before the application id. If another process creates the journal between the
        // two reads, the file still counts as a journal.
        let tables: i64 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        Ok(match (application, tables) {
            (APPLICATION, _) => Content::Journal,
            (0, 0) => Content::Nothing,
            _ => Content::Other,
        })
    }
}

/// Creates the tables in an empty file. Several processes can run this at the same time.
fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    if Content::of(connection)? == Content::Nothing {
        for statement in schema(Dialect::Sqlite) {
            connection.execute_batch(&statement)?;
        }
        connection.pragma_update(None, "application_id", APPLICATION)?;
    }
    connection.execute_batch("COMMIT")
}

/// Retries while the file is locked. SQLite does not call its busy handler for a change of the journal mode
/// or for an upgraded lock.
fn patiently<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let end = Instant::now() + BUSY_TIMEOUT;
    loop {
        match attempt() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

fn text(value: rusqlite::types::ValueRef<'_>) -> Option<String> {
    use rusqlite::types::ValueRef;
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

impl Store for SqliteStore {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn checks_rows(&self) -> bool {
        false
    }

    fn run(&self, sql: &str, parameters: &[Option<&str>]) -> std::result::Result<Rows, StoreError> {
        let mut connection =
            self.slot(std::process::id())?.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = connection.as_mut() else {
            return Err(StoreError::Failed("the journal is closed".to_owned()));
        };
        self.check_files(open)?;
        let rows = open.run(sql, parameters).map_err(StoreError::of_sqlite)?;
        if rows.affected > 0 {
            self.check_files(open)?;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::storage::statements;
    use crate::storage::test_folder::TestFolder;

    #[test]
    fn each_process_has_a_connection_of_its_own_to_the_same_rows() {
        let folder = TestFolder::new();
        let store = SqliteStore::create(folder.file()).unwrap();
        let own = std::process::id();
        let rows = |pid: u32| {
            let connection = store.slot(pid).unwrap().connection.lock().unwrap();
            connection
                .as_ref()
                .unwrap()
                .run("SELECT COUNT(*) FROM merchantpay_journal_settings", &[])
                .unwrap()
                .rows
        };
        let is_open = |pid: u32| store.slot(pid).unwrap().connection.lock().unwrap().is_some();
        let one = vec![vec![Some("1".to_owned())]];
        // If a thread of the parent holds the lock, the child is not blocked.
        let parent = store.slot(own).unwrap().connection.lock().unwrap();
        assert_eq!(rows(own + 1), one);
        drop(parent);
        assert_eq!((rows(own), rows(own + 1)), (one.clone(), one.clone()));
        assert!(std::ptr::eq(store.slot(own + 1).unwrap(), store.slot(own + 1).unwrap()));
        assert!(!std::ptr::eq(store.slot(own).unwrap(), store.slot(own + 1).unwrap()));
        // The child closes an inherited connection if no thread uses it.
        assert_eq!(rows(own + 2), one);
        assert!(!is_open(own + 1) && is_open(own + 2));
    }

    #[test]
    fn a_statement_is_compiled_once_whatever_its_parameters_are() {
        let folder = TestFolder::new();
        let store = SqliteStore::create(folder.file()).unwrap();
        let slot = store.slot(std::process::id()).unwrap().connection.lock().unwrap();
        let open = slot.as_ref().unwrap();
        for template in [
            statements::last(),
            statements::attempt(),
            statements::by_token(),
            statements::attempts(),
            statements::claimed(1),
        ] {
            let statement = statements::render(&template, Dialect::Sqlite, store.placeholders());
            for value in ["1", "2", "3"] {
                open.run(&statement, &vec![Some(value); statement.matches('?').count()]).unwrap();
            }
            let cached = open.connection.prepare_cached(&statement).unwrap();
            let counts =
                [StatementStatus::Run, StatementStatus::RePrepare].map(|what| cached.get_status(what));
            assert_eq!(counts, [3, 0], "{statement}");
        }
    }
}
