//! A fresh journal for each test, in each kind of place. Servers start at their first use.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use merchantpay_databases::{Mariadb, Pgbouncer, Postgresql, random};
use merchantpay_journal::store::{Database, Options};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "databases"), expect(dead_code, reason = "kinds of servers"))]
pub enum Kind {
    Sqlite,
    Postgresql,
    Pgbouncer,
    Mariadb,
}

impl Kind {
    #[cfg(feature = "databases")]
    pub const ALL: &[Kind] = &[Kind::Sqlite, Kind::Postgresql, Kind::Pgbouncer, Kind::Mariadb];
    #[cfg(not(feature = "databases"))]
    pub const ALL: &[Kind] = &[Kind::Sqlite];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgresql => "postgresql",
            Kind::Pgbouncer => "pgbouncer",
            Kind::Mariadb => "mariadb",
        }
    }
}

#[derive(Default)]
pub struct Servers {
    // pgbouncer is declared first, so that it ends before its server.
    pgbouncer: OnceLock<Pgbouncer>,
    /// pgbouncer's server: it looks for the usual port.
    pooled: OnceLock<Postgresql>,
    postgresql: OnceLock<Postgresql>,
    mariadb: OnceLock<Mariadb>,
}

/// A place without tables. The folder of a file is deleted with it.
pub struct Place {
    pub url: String,
    kind: Kind,
    folder: PathBuf,
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
        let folder = match kind {
            Kind::Sqlite => {
                let folder = std::env::temp_dir().join(&name);
                std::fs::create_dir(&folder).unwrap();
                folder
            }
            Kind::Postgresql => self.postgresql().host().to_owned(),
            Kind::Pgbouncer => self.pooled().host().to_owned(),
            Kind::Mariadb => self.mariadb().socket().to_owned(),
        };
        let port = if kind == Kind::Postgresql { self.postgresql().port() } else { 5432 };
        let place = |url| Place { url, kind, folder: folder.clone(), name: name.clone(), port };
        match kind {
            Kind::Sqlite => place(folder.join("payments.db").display().to_string()),
            Kind::Postgresql | Kind::Pgbouncer => {
                psql(&folder, port, "postgres", &format!("CREATE DATABASE {name}"));
                let pgbouncer = || self.pgbouncer.get_or_init(|| Pgbouncer::new(self.pooled())).host();
                let host = if kind == Kind::Pgbouncer { pgbouncer() } else { &folder };
                place(format!("postgresql://:{port}/{name}?user=shop&host={}", host.display()))
            }
            Kind::Mariadb => {
                mariadb(&folder, &format!("CREATE DATABASE {name}"));
                place(format!("mysql:///{name}?user=root&socket={}", folder.display()))
            }
        }
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

impl Drop for Place {
    fn drop(&mut self) {
        if self.kind == Kind::Sqlite {
            let _ = std::fs::remove_dir_all(&self.folder);
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
