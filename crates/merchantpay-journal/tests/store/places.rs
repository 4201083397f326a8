//! A fresh journal for each test, in each kind of place. Servers start at their first use.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub use merchantpay_databases::Kind;
use merchantpay_databases::{Folder, Mariadb, Pgbouncer, Postgresql, random};
use merchantpay_journal::store::{Database, Options};

pub const KINDS: &[Kind] = if cfg!(feature = "databases") { &Kind::ALL } else { &[Kind::Sqlite] };

#[derive(Default)]
pub struct Servers {
    // pgbouncer is declared first, so that it ends before its server.
    pgbouncer: OnceLock<Pgbouncer>,
    /// pgbouncer's server: it looks for the usual port.
    pooled: OnceLock<Postgresql>,
    postgresql: OnceLock<Postgresql>,
    mariadb: OnceLock<Mariadb>,
}

/// A place without tables.
pub struct Place {
    pub url: String,
    kind: Kind,
    /// The file's folder, or where the server's own client connects.
    folder: PathBuf,
    _folder: Option<Folder>,
    name: String,
    port: u16,
}

impl Servers {
    pub fn postgresql(&self) -> &Postgresql {
        self.postgresql.get_or_init(Postgresql::over_tcp)
    }

    fn pooled(&self) -> &Postgresql {
        self.pooled.get_or_init(Postgresql::new)
    }

    pub fn mariadb(&self) -> &Mariadb {
        self.mariadb.get_or_init(|| Mariadb::over_tcp(true))
    }

    pub fn place(&self, kind: Kind) -> Place {
        let name = format!("store_{}", random());
        let own = (kind == Kind::Sqlite).then(Folder::new);
        let (folder, port) = match kind {
            Kind::Sqlite => (own.as_ref().unwrap().path(), 0),
            Kind::Postgresql => (self.postgresql().host(), self.postgresql().port()),
            Kind::Pgbouncer => (self.pooled().host(), 5432),
            Kind::Mariadb => (self.mariadb().socket(), 0),
        };
        let shown = folder.display();
        let url = match kind {
            Kind::Sqlite => format!("{shown}/payments.db"),
            Kind::Postgresql => format!("postgresql://:{port}/{name}?user=shop&host={shown}"),
            Kind::Pgbouncer => {
                let pgbouncer = self.pgbouncer.get_or_init(|| Pgbouncer::new(self.pooled()));
                format!("postgresql://:{port}/{name}?user=shop&host={}", pgbouncer.host().display())
            }
            Kind::Mariadb => format!("mysql:///{name}?user=root&socket={shown}"),
        };
        match kind {
            Kind::Sqlite => {}
            Kind::Postgresql | Kind::Pgbouncer => {
                psql(folder, port, "postgres", &format!("CREATE DATABASE {name}"));
            }
            Kind::Mariadb => drop(mariadb(folder, &format!("CREATE DATABASE {name}"))),
        }
        Place { url, kind, folder: folder.to_owned(), _folder: own, name, port }
    }

    /// A journal with its tables.
    pub fn journal(&self, kind: Kind) -> (Place, Database) {
        let place = self.place(kind);
        let database = place.create();
        (place, database)
    }
}

impl Place {
    pub fn create(&self) -> Database {
        Database::open(&self.url, &Options { create: true, ..Options::default() }).unwrap()
    }

    pub fn open(&self) -> Database {
        Database::open(&self.url, &Options::default()).unwrap()
    }

    #[cfg(feature = "databases")]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs SQL beside the journal, and returns what a client prints.
    pub fn sql(&self, sql: &str) -> String {
        match self.kind {
            Kind::Sqlite => {
                let output = Command::new("python3")
                    .args(["-c", "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], timeout=10)\nfor r in c.execute(sys.argv[2]): print(*r)\nc.commit()"])
                    .args([&self.url, sql])
                    .output();
                text(output.unwrap())
            }
            Kind::Postgresql | Kind::Pgbouncer => psql(&self.folder, self.port, &self.name, sql),
            Kind::Mariadb => mariadb(&self.folder, &format!("USE {}; {sql}", self.name)),
        }
    }
}

pub fn psql(host: &Path, port: u16, database: &str, sql: &str) -> String {
    let mut psql = Command::new("psql");
    psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "shop", "-d", database, "-c", sql]);
    text(psql.arg("-h").arg(host).args(["-p", &port.to_string()]).output().unwrap())
}

pub fn mariadb(socket: &Path, sql: &str) -> String {
    let socket = format!("--socket={}", socket.display());
    text(
        Command::new("mariadb")
            .args(["--no-defaults", "-uroot", "-BN", &socket, "-e", sql])
            .output()
            .unwrap(),
    )
}

fn text(output: std::process::Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}
