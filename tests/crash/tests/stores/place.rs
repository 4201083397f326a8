//! The places of a test's journals: databases that are made for it and end with the server, or SQLite files.

use std::path::PathBuf;

use merchantpay_crash::{CStore, MariadbStore, PostgresStore, random};
use merchantpay_journal::{Dialect, JournalConfig, SqliteStore, Store};

/// The built `c/store.c`.
fn program() -> PathBuf {
    std::env::var_os("JOURNAL_PROGRAM").expect("the program in C").into()
}

/// Opens a database in the same way as the program.
fn opened(url: &str) -> Box<dyn Store> {
    merchantpay_cli::journal_database(url).unwrap()
}

/// A place for the journals of one test.
pub struct Folder {
    database: String,
    socket: PathBuf,
    name: String,
}

impl Folder {
    pub fn new() -> Folder {
        let database = std::env::var("JOURNAL_DATABASE").unwrap_or_else(|_| "sqlite".to_owned());
        let socket = std::env::var_os("JOURNAL_SOCKET").unwrap_or_default().into();
        let folder = Folder { database, socket, name: format!("journal_{}", random()) };
        folder.create("");
        folder
    }

    fn create(&self, end: &str) {
        let name = format!("{}{end}", self.name);
        match self.database.as_str() {
            "postgresql" | "pgbouncer" | "libpq" => PostgresStore::create(&self.socket, &name),
            "mariadb" | "libmariadb" => MariadbStore::create(&self.socket, &name),
            _ => {}
        }
    }

    fn at(&self, end: &str) -> Box<dyn Store> {
        let name = format!("{}{end}", self.name);
        let socket = self.socket.display();
        match self.database.as_str() {
            "sqlite" => Box::new(SqliteStore::create(self.file(end)).unwrap()),
            "postgresql" | "pgbouncer" => opened(&format!("postgresql:///{name}?user=shop&host={socket}")),
            "mariadb" => opened(&format!("mysql:///{name}?user=root&socket={socket}")),
            "libpq" => Box::new(CStore::new(Dialect::Postgresql, &program(), &self.socket, &name)),
            "libmariadb" => Box::new(CStore::new(Dialect::Mysql, &program(), &self.socket, &name)),
            other => panic!("no such database: {other}"),
        }
    }

    fn file(&self, end: &str) -> PathBuf {
        std::env::temp_dir().join(format!("{}{end}.db", self.name))
    }

    pub fn config(&self) -> JournalConfig {
        JournalConfig::over(self.at("")).create(true)
    }

    pub fn store(&self) -> Box<dyn Store> {
        self.at("")
    }

    pub fn another(&self, name: &str) -> JournalConfig {
        let end = format!("_{name}");
        self.create(&end);
        JournalConfig::over(self.at(&end)).create(true)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let Ok(files) = std::fs::read_dir(std::env::temp_dir()) else { return };
        let is_ours = |file: &std::fs::DirEntry| file.file_name().to_string_lossy().starts_with(&self.name);
        for file in files.flatten().filter(is_ours) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}
