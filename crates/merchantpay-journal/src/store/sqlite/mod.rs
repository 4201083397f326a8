//! The default place: one SQLite file, which only the journal uses.

mod file;
mod kept;
pub(super) mod names;
mod wal;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags, ToSql, params_from_iter};

pub(super) use file::NewFile;

use super::connection::{Connection, Rows, Store, Value};
use super::dialect::Dialect;
use super::failure::Failure;
use super::schema::schema;

/// The time for which a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The `application_id` of a journal's file: "MPj3". An older library refuses it, and opens none but its own.
const APPLICATION: i64 = 0x4d50_6a33;

/// The `application_id` of a journal of versions 0.2.0 and 0.3.0: "MPjo".
const OLD_APPLICATION: i64 = 0x4d50_6a6f;

/// A SQLite VFS that accepts every name that Windows accepts. The default one accepts at most 1040 bytes.
#[cfg(windows)]
const LONG_PATHS: &str = "win32-longpath";

/// A SQLite file in WAL mode, in which every completed write is durable.
#[derive(Debug)]
pub struct SqliteStore {
    name: PathBuf,
    /// The resolved name.
    path: PathBuf,
    /// The first connection makes the tables. A later one must not: the file would have been replaced.
    creates: AtomicBool,
}

impl SqliteStore {
    pub(super) fn open(name: &Path, creates: bool, vouched: &[String]) -> Result<SqliteStore, Failure> {
        let find = if creates { file::find_or_create } else { file::find };
        let path = find(name, vouched)?;
        Ok(SqliteStore { name: name.to_owned(), path, creates: AtomicBool::new(creates) })
    }

    /// A complete journal in a file under its own name.
    pub fn at(path: &Path) -> SqliteStore {
        SqliteStore { name: path.to_owned(), path: path.to_owned(), creates: AtomicBool::new(false) }
    }
}

impl Store for SqliteStore {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn place(&self) -> String {
        self.name.display().to_string()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Failure> {
        let creates = self.creates.load(Ordering::Relaxed);
        let open = Open::new(&self.path, &self.name, creates)?;
        self.creates.store(false, Ordering::Relaxed);
        Ok(Box::new(open))
    }

    /// A new connection could silently go on with a file that has taken the place of this one.
    fn reconnects(&self) -> bool {
        false
    }
}

struct Open {
    /// `None` only while it is being closed.
    connection: Option<rusqlite::Connection>,
    path: PathBuf,
    /// The identity of the files when the connection was opened.
    identity: file::Identity,
    was_replaced: bool,
}

impl Open {
    /// Opens the journal in a file. Nothing is written to the file before its content was recognised.
    fn new(path: &Path, name: &Path, creates: bool) -> Result<Open, Failure> {
        if let Some(why) = wal::foreign(path) {
            return Err(Failure::lasting(format!(
                "the file {}-wal beside it does not belong to it ({why}): was a backup copied over the journal while the \
                 old -wal stayed? Stop every process, move the files -wal and -shm away, restore the backup again, and \
                 run `merchantpay journal restored`",
                name.display()
            )));
        }
        let connection = connect(path).map_err(|error| unusable(&error))?;
        let content = patiently(|| Content::of(&connection)).map_err(|error| unusable(&error))?;
        match content {
            Content::Other => return Err(Failure::lasting("it is a SQLite file of another program")),
            Content::Old => {
                return Err(Failure::lasting(
                    "it is a journal of version 0.3.0 or older: export it there, and import the export into a new file",
                ));
            }
            Content::Nothing if !creates => {
                return Err(Failure::lasting(format!("it is empty; {}", file::how_to_create(name))));
            }
            Content::Nothing | Content::Journal => {}
        }
        begin(&connection, content).map_err(|error| unusable(&error))?;
        let (path, identity) = (path.to_owned(), file::Identity::of(path));
        Ok(Open { connection: Some(connection), path, identity, was_replaced: false })
    }

    fn has_other_files(&self) -> bool {
        self.identity != file::Identity::of(&self.path)
    }

    /// Detects replaced files. If a second SQLite in this process closes the file, the system drops our locks;
    /// another process can then remove the -wal file, and a COMMIT that reported success is lost.
    fn check_files(&mut self) -> Result<(), Failure> {
        self.was_replaced |= self.has_other_files();
        match self.was_replaced {
            false => Ok(()),
            true => Err(Failure::failed(
                "its files were replaced: check whether another SQLite library in this process uses the file",
            )),
        }
    }

    fn query(&self, sql: &str, parameters: &[Value]) -> rusqlite::Result<Rows> {
        let connection = self.connection.as_ref().ok_or(rusqlite::Error::InvalidQuery)?;
        let mut statement = connection.prepare_cached(sql)?;
        if statement.column_count() == 0 {
            let affected = statement.execute(params_from_iter(parameters))?;
            return Ok(Rows { rows: Vec::new(), affected: affected as u64 });
        }
        let count = statement.column_count();
        let mut rows = statement.query(params_from_iter(parameters))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(
                (0..count).map(|place| row.get_ref(place).map(value)).collect::<rusqlite::Result<_>>()?,
            );
        }
        Ok(Rows { rows: read, affected: 0 })
    }
}

impl Connection for Open {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        self.check_files()?;
        let rows = self.query(sql, parameters).map_err(failure)?;
        if rows.affected > 0 {
            self.check_files()?;
        }
        Ok(rows)
    }

    /// Closes the connection without writing to the files, which the parent may have closed and others use.
    ///
    /// It is not leaked: SQLite counts locks per file and process, and would take the parent's for the child's.
    /// A second connection of the child would then hold no real lock, and the parent would remove the -wal file
    /// when it closes.
    fn leave(mut self: Box<Self>) {
        if let Some(connection) = self.connection.take() {
            match connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) {
                Ok(true) => drop(connection),
                _ => std::mem::forget(connection),
            }
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Closing would overwrite newer data with the old -wal file.
        if self.was_replaced || self.has_other_files() {
            std::mem::forget(self.connection.take());
        }
    }
}

fn unusable(error: &rusqlite::Error) -> Failure {
    use ErrorCode::{DatabaseCorrupt, NotADatabase, PermissionDenied, ReadOnly};
    match error.sqlite_error_code() {
        Some(NotADatabase | DatabaseCorrupt | PermissionDenied | ReadOnly) => {
            Failure::lasting(error.to_string())
        }
        _ => Failure::failed(error.to_string()),
    }
}

fn connect(path: &Path) -> rusqlite::Result<rusqlite::Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    #[cfg(windows)]
    let connection =
        rusqlite::Connection::open_with_flags_and_vfs(file::name_for_sqlite(path), flags, LONG_PATHS)?;
    #[cfg(not(windows))]
    let connection = rusqlite::Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Sets a connection up, and creates the tables if there are none.
fn begin(connection: &rusqlite::Connection, content: Content) -> rusqlite::Result<()> {
    patiently(|| connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Without this setting SQLite compiles a cached statement again for each new parameter, because the
    // parameter might change the query plan.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    match content {
        Content::Nothing => patiently(|| make(connection)),
        // A file that was in another journal mode gets its -wal file only now, by a read in WAL mode.
        _ => patiently(|| Content::of(connection).map(drop)),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Journal,
    Old,
    Nothing,
    /// Another program's tables.
    Other,
}

impl Content {
    fn of(connection: &rusqlite::Connection) -> rusqlite::Result<Content> {
        // The tables are read before the application id. If another process creates the journal between the
        // two reads, the file still counts as a journal.
        let tables: i64 = connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let application: i64 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        Ok(match (application, tables) {
            (APPLICATION, _) => Content::Journal,
            (OLD_APPLICATION, _) => Content::Old,
            (0, 0) => Content::Nothing,
            _ => Content::Other,
        })
    }
}

/// Creates the tables in an empty file. Several processes can run this at the same time.
fn make(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    if Content::of(connection)? == Content::Nothing {
        for statement in schema(Dialect::Sqlite) {
            connection.execute_batch(&statement)?;
        }
        connection.pragma_update(None, "application_id", APPLICATION)?;
        connection.execute_batch(&set_identity())?;
    }
    connection.execute_batch("COMMIT")?;
    // Brings the identity into the file itself. If others read at this moment, a later checkpoint does it.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// The statement that gives a file a random number in its header. The number tells the -wal of this file from
/// that of another journal, and from that of the journal of which it is a backup.
pub(super) fn set_identity() -> String {
    let mut bytes = [0; 4];
    // Without random numbers only the check of the -wal becomes weaker.
    let _ = getrandom::fill(&mut bytes);
    format!("PRAGMA user_version = {}", (u32::from_ne_bytes(bytes) >> 1) | 1)
}

/// Marks a closed copy as one that has had no -wal file: a -wal beside it belongs to the file that it replaces.
pub(super) fn leave_wal_mode(path: &Path) -> Result<(), Failure> {
    let mode = connect(path)
        .and_then(|copy| copy.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0)));
    match mode {
        Ok(mode) if mode == "delete" => Ok(()),
        Ok(_) => Err(Failure::failed("the copy could not be closed")),
        Err(error) => Err(unusable(&error)),
    }
}

/// Retries while the file is locked. SQLite does not call its busy handler for a change of the journal mode or
/// for an upgraded lock.
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

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Text(number.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// `SQLITE_IOERR_FSYNC`.
const IOERR_FSYNC: i32 = 1034;

/// Classifies an error. In WAL mode a failed write is rolled back, so it has failed, unless only the sync of the
/// -wal file has failed: the write may be in it.
fn failure(error: rusqlite::Error) -> Failure {
    let extended = error.sqlite_error().map(|error| error.extended_code);
    match extended {
        Some(code) if code != IOERR_FSYNC => {
            match Failure::of_code(Dialect::Sqlite, &code.to_string(), &error.to_string()) {
                Failure::Unclear(why) => Failure::failed(why),
                failure => failure,
            }
        }
        Some(_) => Failure::Unclear(error.to_string()),
        None => Failure::failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::store::statements::Statements;

    /// The processes of two containers have the same ids, and a folder may belong to others too.
    #[test]
    fn new_files_of_one_name_are_apart() {
        let name = std::env::temp_dir().join("new-files.db");
        let [one, two] = [(); 2].map(|()| NewFile::create(&name).unwrap());
        assert!(one.path() != two.path() && one.path().exists() && two.path().exists());
    }

    #[test]
    fn statement_is_compiled_once_whatever_its_parameters_are() {
        let file = std::env::temp_dir().join(format!("compiled-{}.db", std::process::id()));
        std::fs::write(&file, "").unwrap();
        let open = Open::new(&file, &file, true).unwrap();
        let statements = Statements::new(Dialect::Sqlite);
        for sql in [&statements.look, &statements.by_token, &statements.stamp, &statements.claim] {
            for value in ["1", "2", "3"] {
                open.query(sql, &vec![Value::from(value); sql.matches('?').count()]).unwrap();
            }
            let cached = open.connection.as_ref().unwrap().prepare_cached(sql).unwrap();
            let counts =
                [StatementStatus::Run, StatementStatus::RePrepare].map(|what| cached.get_status(what));
            assert_eq!(counts, [3, 0], "{sql}");
        }
        drop(open);
        std::fs::remove_file(file).unwrap();
    }
}
