//! A fresh place for a journal, in each kind of database.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rusqlite::types::ValueRef;

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
        let pgbouncer = postgresql.as_ref().filter(|_| kind == Kind::Pgbouncer).map(Pgbouncer::new);
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
            place.client(place.default(), &format!("CREATE DATABASE {}", place.name)).expect("a database");
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

    /// Runs statements beside the journal by the database's own client, and returns the rows: the columns are
    /// separated by `|`.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn sql(&self, sql: &str) -> String {
        self.try_sql(sql).unwrap_or_else(|why| panic!("{why}"))
    }

    /// Like [`sql`](Place::sql).
    ///
    /// # Errors
    ///
    /// What the client prints.
    pub fn try_sql(&self, sql: &str) -> Result<String, String> {
        self.client(&self.name, sql)
    }

    fn default(&self) -> &'static str {
        if self.kind == Kind::Mariadb { "mysql" } else { "postgres" }
    }

    fn client(&self, database: &str, sql: &str) -> Result<String, String> {
        let mut command = match self.kind {
            Kind::Sqlite => return self.sqlite(sql).map_err(|error| error.to_string()),
            Kind::Mariadb => Command::new("mariadb"),
            Kind::Postgresql | Kind::Pgbouncer => Command::new("psql"),
        };
        match self.kind {
            Kind::Mariadb => {
                command.args(["--no-defaults", "-uroot", "-BN", "--socket"]).arg(&self.server);
                command.args([database, "-e", sql])
            }
            _ => {
                command.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "shop", "-h"]).arg(&self.server);
                command.args(["-d", database, "-c", sql])
            }
        };
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().replace('\t', "|")),
            false => Err(format!("{sql}: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// In this process: it is the journal's own SQLite, so closing the file takes no lock of the journal away.
    fn sqlite(&self, sql: &str) -> rusqlite::Result<String> {
        let connection = rusqlite::Connection::open(self.url())?;
        connection.busy_timeout(Duration::from_secs(30))?;
        let mut lines = Vec::new();
        for statement in sql.split(';') {
            let mut statement = connection.prepare(statement)?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let value = |place| {
                    row.get_ref(place).map(|value| match value {
                        ValueRef::Integer(number) => number.to_string(),
                        value => value.as_str().unwrap_or_default().to_owned(),
                    })
                };
                lines.push((0..columns).map(value).collect::<rusqlite::Result<Vec<_>>>()?.join("|"));
            }
        }
        Ok(lines.join("\n"))
    }
}
