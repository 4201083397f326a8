//! A fresh place for a journal, in each kind of database.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::types::ValueRef;

use crate::server::Folder;
use crate::{Mariadb, Pgbouncer, Postgresql, Proxy, random};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgresql,
    Pgbouncer,
    Mariadb,
}

impl Kind {
    pub const ALL: [Kind; 4] = [Kind::Sqlite, Kind::Postgresql, Kind::Pgbouncer, Kind::Mariadb];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            Kind::Postgresql => "postgresql",
            Kind::Pgbouncer => "pgbouncer",
            Kind::Mariadb => "mariadb",
        }
    }
}

/// They start with the first place, and end with the last clone of this value.
#[derive(Clone)]
pub struct Servers {
    kind: Kind,
    running: Arc<Mutex<Option<Running>>>,
}

enum Running {
    Postgresql(Postgresql),
    // pgbouncer comes first, so that it ends before its server.
    Pgbouncer(Pgbouncer, Postgresql),
    Mariadb(Mariadb),
}

impl Running {
    fn start(kind: Kind) -> Option<Running> {
        match kind {
            Kind::Sqlite => None,
            Kind::Postgresql => Some(Running::Postgresql(Postgresql::over_tcp())),
            Kind::Pgbouncer => {
                let server = Postgresql::new();
                Some(Running::Pgbouncer(Pgbouncer::new(&server), server))
            }
            Kind::Mariadb => Some(Running::Mariadb(Mariadb::new())),
        }
    }
}

impl Servers {
    pub fn new(kind: Kind) -> Servers {
        Servers { kind, running: Arc::default() }
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new, empty database; for a file, a folder.
    pub fn place(&self) -> Place {
        let mut running = self.running();
        if running.is_none() {
            *running = Running::start(self.kind);
        }
        let socket_of = |host: &Path, port| host.join(format!(".s.PGSQL.{port}"));
        let (server, socket, port, ca) = match &*running {
            None => (Path::new(""), PathBuf::new(), 0, Path::new("")),
            Some(Running::Postgresql(server)) => {
                (server.host(), socket_of(server.host(), server.port()), server.port(), server.ca())
            }
            Some(Running::Pgbouncer(pgbouncer, server)) => {
                (server.host(), socket_of(pgbouncer.host(), server.port()), server.port(), server.ca())
            }
            Some(Running::Mariadb(server)) => {
                (server.socket(), server.socket().to_owned(), server.port(), server.ca())
            }
        };
        let (name, folder) = (format!("journal_{}", random()), Folder::new());
        let (server, ca) = (server.to_owned(), ca.to_owned());
        let place = Place { kind: self.kind, name, server, socket, port, ca, folder };
        if self.kind != Kind::Sqlite {
            place.admin(&format!("CREATE DATABASE {}", place.name));
        }
        place
    }

    /// Kills every process of the database server, and starts it again.
    pub fn restart(&self) {
        match &mut *self.running() {
            None => {}
            Some(Running::Postgresql(server) | Running::Pgbouncer(_, server)) => server.restart(),
            Some(Running::Mariadb(server)) => server.restart(),
        }
    }
}

pub struct Place {
    kind: Kind,
    name: String,
    server: PathBuf,
    socket: PathBuf,
    port: u16,
    ca: PathBuf,
    folder: Folder,
}

impl Place {
    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn ca(&self) -> &Path {
        &self.ca
    }

    /// Where the database's own client connects: PostgreSQL's folder, or MariaDB's socket.
    pub fn server(&self) -> &Path {
        &self.server
    }

    /// As in the journal's setting `place`.
    pub fn url(&self) -> String {
        self.url_at(&self.socket)
    }

    pub fn url_behind(&self, proxy: &Proxy) -> String {
        self.url_at(proxy.socket())
    }

    fn url_at(&self, socket: &Path) -> String {
        match self.kind {
            Kind::Sqlite => self.folder.path().join("payments.db").display().to_string(),
            Kind::Mariadb => format!("mysql:///{}?user=root&socket={}", self.name, socket.display()),
            Kind::Postgresql | Kind::Pgbouncer => {
                let host = socket.parent().unwrap_or(socket).display();
                format!("postgresql://:{}/{}?user=shop&host={host}", self.port, self.name)
            }
        }
    }

    pub fn proxy(&self) -> Proxy {
        Proxy::new(&self.socket)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the folder; the server can read it.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        self.folder.write(name, text)
    }

    /// By the database's own client, beside the journal. Columns are separated by `|`.
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

    /// Like [`sql`](Place::sql), in the server's own database.
    pub fn admin(&self, sql: &str) -> String {
        let database = if self.kind == Kind::Mariadb { "mysql" } else { "postgres" };
        self.client(database, sql).unwrap_or_else(|why| panic!("{why}"))
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
                command.args(["-p", &self.port.to_string(), "-d", database, "-c", sql])
            }
        };
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().replace('\t', "|")),
            false => Err(format!("{sql}: {}", String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// By the journal's own SQLite: another one in this process would drop the journal's POSIX locks when it closes the file.
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
