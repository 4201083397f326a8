//! The SQLite file to which every change is written. The sandbox reads the file at the start, and for
//! receipts that are no longer in memory; `/status` never uses the file.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use axum::body::Bytes;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::clock::{Clock, ClockMode};
use crate::base::lock;
use crate::base::random::Random;
use crate::model::payment::{Payment, Receipt};
use crate::model::webhook::Webhook;
use crate::stores::database_file::{APPLICATION_ID, SCHEMA_VERSION, claim};
use crate::stores::upgrade;

const TABLES: &str = "
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE payments (order_id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, record TEXT NOT NULL);
    CREATE TABLE webhooks (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, record TEXT NOT NULL);
    CREATE TABLE receipts (order_id TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, content_type TEXT NOT NULL,
                           bytes BLOB NOT NULL, PRIMARY KEY (order_id, number));
";

/// The file. Without a file, nothing is saved.
#[derive(Default)]
pub(crate) struct Database {
    connection: Option<Mutex<Connection>>,
    path: Option<PathBuf>,
    /// The error of the first failed write. After this error the file is incomplete.
    failure: Mutex<Option<String>>,
}

impl Database {
    /// Opens or creates the file, for this process only. A file that is not a sandbox's stays as it is.
    pub(crate) fn open(path: &Path) -> io::Result<Database> {
        let connection =
            Database::prepare(&claim(path)?).map_err(|error| match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy) => {
                    io::Error::new(io::ErrorKind::WouldBlock, "another sandbox uses this database")
                }
                _ => io::Error::other(format!("{}: {error}", path.display())),
            })?;
        Ok(Database {
            connection: Some(Mutex::new(connection)),
            path: Some(path.to_owned()),
            failure: Mutex::default(),
        })
    }

    fn prepare(path: &Path) -> rusqlite::Result<Connection> {
        let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // This time is enough for a previous sandbox to end.
        connection.busy_timeout(Duration::from_millis(500))?;
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        // Before the change to WAL mode, so that the file itself has the ids from the beginning.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))? == 0 {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        } else if transaction.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))? == 1 {
            upgrade_rows(&transaction)?;
        }
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        transaction.commit()?;
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        // A crash of the sandbox loses nothing; a crash of the machine may lose the last writes.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(connection)
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

    fn write(&self, action: impl FnOnce(&Connection) -> rusqlite::Result<usize>) {
        let Some(connection) = &self.connection else { return };
        if let Err(error) = action(&lock(connection)) {
            lock(&self.failure).get_or_insert_with(|| error.to_string());
        }
    }

    /// Runs an action in one transaction. Must be called under the store's lock, so that only one transaction
    /// runs at a time. Concurrent writes of other threads become part of the transaction.
    pub(crate) fn in_transaction<T>(&self, action: impl FnOnce() -> T) -> T {
        self.write(|connection| connection.execute("BEGIN", []));
        let done = action();
        self.write(|connection| connection.execute("COMMIT", []));
        done
    }

    pub(crate) fn save_setting(&self, name: &str, value: &str) {
        self.write(|connection| {
            let mut statement =
                connection.prepare_cached("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")?;
            statement.execute(params![name, value])
        });
    }

    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        let connection = lock(self.connection.as_ref()?);
        connection
            .query_row("SELECT value FROM settings WHERE name = ?", [name], |row| row.get(0))
            .optional()
            .ok()?
    }

    /// Saves the time of a manual clock, and the state of the random ids if they have a seed.
    pub(crate) fn save_progress(&self, clock: &Clock, random: &Random) {
        if !self.is_open() {
            return;
        }
        if clock.mode() == ClockMode::Manual {
            self.save_setting("clock", &clock.now().to_string());
        }
        if let Some(state) = random.state() {
            self.save_setting("random", &state.to_string());
        }
    }

    pub(crate) fn save_payment(&self, payment: &Payment) {
        self.write(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT OR REPLACE INTO payments (order_id, number, record) VALUES (?, ?, ?)",
            )?;
            statement.execute(params![payment.order_id, to_sql_integer(payment.number), record(payment)])
        });
    }

    /// Deletes a payment and its receipts.
    pub(crate) fn delete_payment(&self, order_id: &str) {
        for statement in
            ["DELETE FROM payments WHERE order_id = ?", "DELETE FROM receipts WHERE order_id = ?"]
        {
            self.write(|connection| connection.prepare_cached(statement)?.execute([order_id]));
        }
    }

    pub(crate) fn save_webhook(&self, webhook: &Webhook) {
        self.write(|connection| {
            let mut statement = connection
                .prepare_cached("INSERT OR REPLACE INTO webhooks (id, order_id, record) VALUES (?, ?, ?)")?;
            statement.execute(params![
                to_sql_integer(webhook.summary.id),
                webhook.summary.order_id,
                record(webhook)
            ])
        });
    }

    pub(crate) fn delete_webhook(&self, id: u64) {
        self.write(|connection| {
            connection.prepare_cached("DELETE FROM webhooks WHERE id = ?")?.execute([to_sql_integer(id)])
        });
    }

    pub(crate) fn save_receipt(&self, order_id: &str, receipt: &Receipt) {
        self.write(|connection| {
            let mut statement = connection
                .prepare_cached("INSERT OR REPLACE INTO receipts (order_id, number, name, content_type, bytes) VALUES (?, ?, ?, ?, ?)")?;
            statement.execute(params![order_id, to_sql_integer(receipt.id), receipt.name, receipt.content_type, receipt.bytes.as_ref()])
        });
    }

    pub(crate) fn receipt(&self, order_id: &str, number: u64) -> Option<Bytes> {
        let connection = lock(self.connection.as_ref()?);
        let mut statement =
            connection.prepare_cached("SELECT bytes FROM receipts WHERE order_id = ? AND number = ?").ok()?;
        let bytes: Option<Vec<u8>> = statement
            .query_row(params![order_id, to_sql_integer(number)], |row| row.get(0))
            .optional()
            .ok()?;
        bytes.map(Bytes::from)
    }

    /// The payments, oldest first.
    pub(crate) fn payments(&self) -> io::Result<Vec<Payment>> {
        self.read("SELECT record FROM payments ORDER BY number")
    }

    /// The webhooks, oldest first.
    pub(crate) fn webhooks(&self) -> io::Result<Vec<Webhook>> {
        self.read("SELECT record FROM webhooks ORDER BY id")
    }

    fn read<T: DeserializeOwned>(&self, query: &str) -> io::Result<Vec<T>> {
        let Some(connection) = &self.connection else { return Ok(Vec::new()) };
        let connection = lock(connection);
        let mut statement = connection.prepare(query).map_err(io::Error::other)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).map_err(io::Error::other)?;
        let unreadable = |error: serde_json::Error| {
            let why = format!("the database has a record that cannot be read: {error}");
            io::Error::new(io::ErrorKind::InvalidData, why)
        };
        rows.map(|text| serde_json::from_str(&text.map_err(io::Error::other)?).map_err(unreadable)).collect()
    }
}

fn record(entry: &impl Serialize) -> String {
    serde_json::to_string(entry).unwrap_or_default()
}

/// Rewrites the rows of version 0.3.
fn upgrade_rows(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for (table, upgrade) in [
        ("payments", upgrade::payment as fn(serde_json::Value) -> serde_json::Value),
        ("webhooks", upgrade::webhook),
    ] {
        let mut all = transaction.prepare(&format!("SELECT rowid, record FROM {table}"))?;
        let rows = all.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
        for row in rows.collect::<rusqlite::Result<Vec<_>>>()? {
            // What is no JSON stays, and is reported when it is read.
            let Ok(old) = serde_json::from_str(&row.1) else { continue };
            let update = format!("UPDATE {table} SET record = ? WHERE rowid = ?");
            transaction.execute(&update, params![upgrade(old).to_string(), row.0])?;
        }
    }
    Ok(())
}

/// SQLite's integers are signed; counts never reach the limit.
fn to_sql_integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
