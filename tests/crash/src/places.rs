//! A fresh place for a journal, in each kind of database.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::server::Folder;
use crate::{Mariadb, Pgbouncer, Postgresql, Proxy, random};

/// A kind of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    Sqlite,
    /// PostgreSQL.
    Postgresql,
    /// PostgreSQL behind pgbouncer in transaction mode.
    Pgbouncer,
    /// MariaDB.
    Mariadb,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Sqlite, Kind::Postgresql, Kind::Pgbouncer, Kind::Mariadb];

    /// The kind's name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgresql => "postgresql",
            Kind::Pgbouncer => "pgbouncer",
            Kind::Mariadb => "mariadb",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The servers of one kind of place.
pub struct Servers {
    kind: Kind,
    // pgbouncer is declared first, so that it ends before its server.
    pgbouncer: Option<Pgbouncer>,
    postgresql: Option<Postgresql>,
    mariadb: Option<Mariadb>,
}

impl Servers {
    /// Starts the servers of a kind.
    pub fn start(kind: Kind) -> Servers {
        let postgresql = matches!(kind, Kind::Postgresql | Kind::Pgbouncer).then(Postgresql::new);
        let pgbouncer =
            postgresql.as_ref().filter(|_| kind == Kind::Pgbouncer).map(|server| Pgbouncer::new(server));
        let mariadb = (kind == Kind::Mariadb).then(Mariadb::new);
        Servers { kind, pgbouncer, postgresql, mariadb }
    }

    /// The kind of these servers.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Makes a new, empty database; for a file, a folder.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn place(&self) -> Place {
        let name = format!("journal_{}", random());
        let (server, socket) = match (&self.postgresql, &self.mariadb) {
            (Some(server), _) => {
                let host = self.pgbouncer.as_ref().map_or(server.host(), Pgbouncer::host);
                (server.host().to_owned(), host.join(".s.PGSQL.5432"))
            }
            (_, Some(server)) => (server.socket().to_owned(), server.socket().to_owned()),
            _ => (PathBuf::new(), PathBuf::new()),
        };
        let place = Place { kind: self.kind, name, server, socket, folder: Folder::new() };
        if self.kind != Kind::Sqlite {
            place.client(&place.default(), &format!("CREATE DATABASE {}", place.name));
        }
        place
    }

    /// Kills every process of the database server, and starts it again.
    pub fn restart(&mut self) {
        self.postgresql.iter_mut().for_each(Postgresql::restart);
        self.mariadb.iter_mut().for_each(Mariadb::restart);
    }
}

/// A database or file for one journal.
pub struct Place {
    kind: Kind,
    name: String,
    /// Where the database's own client connects.
    server: PathBuf,
    /// The socket for the journal's connections.
    socket: PathBuf,
    folder: Folder,
}

impl Place {
    /// The place as the journal's setting `place`.
    pub fn url(&self) -> String {
        self.url_at(&self.socket)
    }

    /// The place behind a proxy.
    pub fn url_behind(&self, proxy: &Proxy) -> String {
        self.url_at(proxy.socket())
    }

    fn url_at(&self, socket: &Path) -> String {
        match self.kind {
            Kind::Sqlite => self.folder.path().join("payments.db").display().to_string(),
            Kind::Mariadb => format!("mysql:///{}?user=root&socket={}", self.name, socket.display()),
            Kind::Postgresql | Kind::Pgbouncer => {
                let host = socket.parent().unwrap_or(socket).display();
                format!("postgresql:///{}?user=shop&host={host}", self.name)
            }
        }
    }

    /// A proxy in front of the server.
    pub fn proxy(&self) -> Proxy {
        Proxy::new(&self.socket)
    }

    /// A folder that is removed with the place; a file's own.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs statements beside the journal in another process, and returns the rows that its client prints: the columns
    /// are separated by `|`.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn sql(&self, sql: &str) -> String {
        self.client(&self.name, sql)
    }

    fn default(&self) -> String {
        if self.kind == Kind::Mariadb { "mysql" } else { "postgres" }.to_owned()
    }

    fn client(&self, database: &str, sql: &str) -> String {
        const SQLITE: &str = "import sqlite3, sys\n\
            c = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)\n\
            for s in sys.argv[2].split(';'):\n  for r in c.execute(s): print(*r, sep='|')";
        let (mut command, is_tabbed) = match self.kind {
            Kind::Sqlite => (Command::new("python3"), false),
            Kind::Mariadb => (Command::new("mariadb"), true),
            Kind::Postgresql | Kind::Pgbouncer => (Command::new("psql"), false),
        };
        match self.kind {
            Kind::Sqlite => command.args(["-c", SQLITE, &self.url(), sql]),
            Kind::Mariadb => {
                command.args(["--no-defaults", "-uroot", "-BN", "--socket"]).arg(&self.server);
                command.args([database, "-e", sql])
            }
            Kind::Postgresql | Kind::Pgbouncer => {
                command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "shop", "-h"]).arg(&self.server);
                command.args(["-d", database, "-c", sql])
            }
        };
        let text = printed(&command.output().unwrap_or_else(|error| panic!("{command:?}: {error}")), sql);
        if is_tabbed { text.replace('\t', "|") } else { text }
    }
}

fn printed(output: &Output, sql: &str) -> String {
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}
