//! A store over SQLite that kills its process at a statement.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_crash::Moment;
use merchantpay_journal::store::SqliteStore;
use merchantpay_journal::{Connection, Dialect, Failure, JournalConfig, Rows, Store, Value};

/// Names the trap's file. Statements are counted from 1 once it is there; it says where the process dies.
pub const FILE: &str = "CRASH_TRAP";

pub fn text(at: u32, moment: Moment) -> String {
    format!("{at} {moment:?}")
}

struct Trap {
    file: PathBuf,
    count: AtomicU32,
}

impl Trap {
    /// Counts the statement, and says when in it the process dies.
    fn moment(&self) -> Option<Moment> {
        let said = std::fs::read_to_string(&self.file).ok()?;
        let at = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        [Moment::Before, Moment::After].into_iter().find(|moment| said == text(at, *moment))
    }
}

/// With a trap if the environment names one.
pub fn config(place: String) -> JournalConfig {
    let Some(file) = std::env::var_os(FILE) else { return JournalConfig::new(place) };
    let trap = Trap { file: file.into(), count: AtomicU32::new(0) };
    JournalConfig::over(TrapStore(SqliteStore::at(Path::new(&place)), Arc::new(trap)))
}

struct TrapStore(SqliteStore, Arc<Trap>);

struct TrapConnection(Box<dyn Connection>, Arc<Trap>);

impl Store for TrapStore {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn place(&self) -> String {
        "trap".to_owned()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Failure> {
        Ok(Box::new(TrapConnection(self.0.connect()?, self.1.clone())))
    }
}

impl Connection for TrapConnection {
    fn run(&mut self, sql: &str, parameters: &[Value]) -> Result<Rows, Failure> {
        let moment = self.1.moment();
        if moment == Some(Moment::Before) {
            die();
        }
        let result = self.0.run(sql, parameters);
        if moment.is_some() {
            die();
        }
        result
    }
}

fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
}
