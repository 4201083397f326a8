//! The SQLite file to which every change is written. The sandbox reads the file at the start, and for
//! receipts that are no longer in memory; `/status` never uses the file.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, ToSql, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::clock::{Clock, ClockMode};
use crate::base::{Random, lock};

const TABLE: &str =
    "CREATE TABLE entries (kind TEXT NOT NULL, id TEXT NOT NULL, value NOT NULL, PRIMARY KEY (kind, id))";

/// Kinds of entries. A setting's id is its name, a payment's its number, a webhook's its id, and a receipt's its path.
const SETTING: &str = "setting";
pub(crate) const PAYMENT: &str = "payment";
pub(crate) const WEBHOOK: &str = "webhook";
pub(crate) const RECEIPT: &str = "receipt";

/// The `user_version` of a file. Version 1 is 0.3.
const SCHEMA_VERSION: u32 = 2;
/// The `application_id` of a sandbox's file: "MPay".
const APPLICATION_ID: u32 = 0x4d50_6179;

const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER: u64 = 100;

/// Without a file, nothing is saved.
#[derive(Default)]
pub(crate) struct Database {
    connection: Option<Mutex<Connection>>,
    path: Option<PathBuf>,
    /// Of the first failed write, after which the file is incomplete.
    failure: Mutex<Option<String>>,
}

impl Database {
    /// For this process only. A file that is not a sandbox's stays as it is.
    pub(crate) fn open(path: &Path) -> io::Result<Database> {
        let connection = prepare(&claim(path)?).map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy) => {
                io::Error::new(ErrorKind::WouldBlock, "another sandbox uses this database")
            }
            _ => io::Error::other(format!("{}: {error}", path.display())),
        })?;
        Ok(Database {
            connection: Some(Mutex::new(connection)),
            path: Some(path.to_owned()),
            failure: Mutex::default(),
        })
    }

    pub(crate) fn is_open(&self) -> bool {
        self.connection.is_some()
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    fn write(&self, statement: &str, parameters: impl rusqlite::Params) {
        let Some(connection) = &self.connection else { return };
        let connection = lock(connection);
        let written = connection.prepare_cached(statement).and_then(|mut known| known.execute(parameters));
        if let Err(error) = written {
            lock(&self.failure).get_or_insert_with(|| error.to_string());
        }
    }

    /// Must be called under the store's lock, so that only one transaction runs at a time. Concurrent writes of other
    /// threads become part of it.
    pub(crate) fn in_transaction<T>(&self, action: impl FnOnce() -> T) -> T {
        self.write("BEGIN", []);
        let done = action();
        self.write("COMMIT", []);
        done
    }

    pub(crate) fn save(&self, kind: &str, id: impl Display, value: impl ToSql) {
        let id = id.to_string();
        self.write(
            "INSERT OR REPLACE INTO entries (kind, id, value) VALUES (?, ?, ?)",
            params![kind, id, value],
        );
    }

    pub(crate) fn save_record(&self, kind: &str, id: impl Display, record: &impl Serialize) {
        if self.is_open() {
            self.save(kind, id, serde_json::to_string(record).unwrap_or_default());
        }
    }

    pub(crate) fn save_setting(&self, name: &str, value: &str) {
        self.save(SETTING, name, value);
    }

    pub(crate) fn delete(&self, kind: &str, id: impl Display) {
        self.write("DELETE FROM entries WHERE kind = ? AND id = ?", [kind, &id.to_string()]);
    }

    /// What a repeatable run needs: the time of a manual clock, and the state of seeded ids.
    pub(crate) fn save_progress(&self, clock: &Clock, random: &Random) {
        if clock.mode() == ClockMode::Manual {
            self.save_setting("clock", &clock.now().to_string());
        }
        if let Some(state) = random.state() {
            self.save_setting("random", &state.to_string());
        }
    }

    pub(crate) fn value<T: FromSql>(&self, kind: &str, id: &str) -> Option<T> {
        let connection = lock(self.connection.as_ref()?);
        let query = "SELECT value FROM entries WHERE kind = ? AND id = ?";
        connection.query_row(query, [kind, id], |row| row.get(0)).optional().ok()?
    }

    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        self.value(SETTING, name)
    }

    pub(crate) fn records<T: DeserializeOwned>(&self, kind: &str) -> io::Result<Vec<T>> {
        let Some(connection) = &self.connection else { return Ok(Vec::new()) };
        let connection = lock(connection);
        let query = "SELECT value FROM entries WHERE kind = ?";
        let mut statement = connection.prepare(query).map_err(io::Error::other)?;
        let rows = statement.query_map([kind], |row| row.get::<_, String>(0)).map_err(io::Error::other)?;
        let unreadable = |error: serde_json::Error| {
            let why = format!("the database has a record that cannot be read: {error}");
            io::Error::new(ErrorKind::InvalidData, why)
        };
        rows.map(|text| serde_json::from_str(&text.map_err(io::Error::other)?).map_err(unreadable)).collect()
    }
}

fn prepare(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Enough for a previous sandbox to end.
    connection.busy_timeout(Duration::from_millis(500))?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    // Before the change to WAL mode, so that the file itself has the ids from the beginning.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))? == 0 {
        transaction.execute(TABLE, [])?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // A crash of the sandbox loses nothing; a crash of the machine may lose the last writes.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// The real path of a file that is new, empty or made by a sandbox. Any other is refused and stays as it is, which
/// SQLite cannot promise: to look it creates `-wal` and `-shm`, and rolls back somebody else's journal.
fn claim(path: &Path) -> io::Result<PathBuf> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(refused(path, "is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            refuse_side_files(path)?;
            let mut new = OpenOptions::new();
            new.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut new, 0o600);
            new.open(path).map_err(named)?;
        }
        Err(error) => return Err(named(error)),
    }
    let real = path.canonicalize().map_err(named)?;
    match ids(&real).map_err(named)? {
        None => refuse_side_files(&real)?,
        Some((APPLICATION_ID, SCHEMA_VERSION)) => {}
        Some((APPLICATION_ID, _)) => return Err(refused(path, "was made by another version of the sandbox")),
        Some(_) => return Err(refused(path, "is not a database of the sandbox")),
    }
    // SQLite would silently open it for reading only.
    OpenOptions::new().read(true).write(true).open(&real).map_err(named)?;
    #[cfg(unix)]
    keep_private(&real)?;
    Ok(real)
}

fn refused(path: &Path, why: &str) -> io::Error {
    let why = format!("{} {why}; it was left as it is, choose another file", path.display());
    io::Error::new(ErrorKind::InvalidData, why)
}

fn side_file(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// SQLite deletes the side files of an empty database, which may hold the data of a database that was moved.
fn refuse_side_files(path: &Path) -> io::Result<()> {
    let mut all = SIDE_FILES.iter().map(|ending| side_file(path, ending));
    match all.find(|file| file.symlink_metadata().is_ok()) {
        Some(left) => Err(refused(&left, "belongs to a database that is missing or empty")),
        None => Ok(()),
    }
}

/// The database and its side files contain private keys.
#[cfg(unix)]
fn keep_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let side_files = SIDE_FILES.iter().map(|ending| side_file(path, ending));
    for file in std::iter::once(path.to_owned()).chain(side_files) {
        let mode = |metadata: std::fs::Metadata| metadata.permissions().mode() & 0o777;
        match file.symlink_metadata() {
            Ok(metadata) if !metadata.is_file() => return Err(refused(&file, "is not a file")),
            Ok(metadata) if mode(metadata.clone()) == 0o600 => continue,
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        let private = std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600));
        // Some file systems accept every mode and keep none.
        if private.is_err() || mode(file.symlink_metadata()?) != 0o600 {
            let why = "will contain private keys, but its mode cannot be set to 600";
            return Err(io::Error::new(ErrorKind::PermissionDenied, refused(&file, why).to_string()));
        }
    }
    Ok(())
}

/// The `application_id` and the `user_version` in a file's header; `None` if the file has no bytes.
fn ids(path: &Path) -> io::Result<Option<(u32, u32)>> {
    let mut header = Vec::new();
    File::open(path)?.take(HEADER).read_to_end(&mut header)?;
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let ids = number(68).zip(number(60)).filter(|_| header.starts_with(MAGIC));
    Ok((!header.is_empty()).then(|| ids.unwrap_or_default()))
}
