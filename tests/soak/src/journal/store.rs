//! The place of the journal for all processes: a file or a database.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use merchantpay_journal::JournalConfig;

use crate::AnyResult;

/// A store by its name on the command line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind {
    Sqlite,
    #[cfg(feature = "servers")]
    Postgresql,
    /// PostgreSQL behind pgbouncer in transaction mode.
    #[cfg(feature = "servers")]
    Pgbouncer,
    #[cfg(feature = "servers")]
    Mariadb,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Sqlite => "sqlite",
            #[cfg(feature = "servers")]
            Kind::Postgresql => "postgresql",
            #[cfg(feature = "servers")]
            Kind::Pgbouncer => "pgbouncer",
            #[cfg(feature = "servers")]
            Kind::Mariadb => "mariadb",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Kind, String> {
        let known = [
            Kind::Sqlite,
            #[cfg(feature = "servers")]
            Kind::Postgresql,
            #[cfg(feature = "servers")]
            Kind::Pgbouncer,
            #[cfg(feature = "servers")]
            Kind::Mariadb,
        ];
        let found = known.into_iter().find(|kind| kind.name() == name);
        found
            .ok_or_else(|| format!("{name}: there is {known:?}, and without --features servers a file alone"))
    }
}

/// The information that a process needs to open its parent's journal.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    /// For a database the socket or the folder of the socket; for a file its folder.
    pub(crate) socket: String,
    pub(crate) database: String,
}

impl Place {
    pub(crate) fn config(&self) -> JournalConfig {
        let socket = Path::new(&self.socket);
        match self.kind {
            Kind::Sqlite => JournalConfig::new(socket.join("payments.db")),
            #[cfg(feature = "servers")]
            Kind::Postgresql | Kind::Pgbouncer => {
                JournalConfig::over(merchantpay_databases::PostgresStore::new(socket, &self.database))
            }
            #[cfg(feature = "servers")]
            Kind::Mariadb => {
                JournalConfig::over(merchantpay_databases::MariadbStore::new(socket, &self.database))
            }
        }
    }
}

/// The servers of a run. The servers end with the run.
pub(crate) struct Servers {
    place: Place,
    #[cfg(feature = "servers")]
    _servers: (
        Option<merchantpay_databases::Pgbouncer>,
        Option<merchantpay_databases::Postgresql>,
        Option<merchantpay_databases::Mariadb>,
    ),
}

impl Servers {
    /// Starts the store of the journal: an empty database, or nothing for a file.
    pub(crate) fn start(kind: Kind, folder: &Path) -> AnyResult<Servers> {
        let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path that is not text");
        #[cfg(not(feature = "servers"))]
        {
            let place = Place { kind, socket: text(folder)?, database: String::new() };
            Ok(Servers { place })
        }
        #[cfg(feature = "servers")]
        {
            use merchantpay_databases::{
                Mariadb, MariadbStore, Pgbouncer, PostgresStore, Postgresql, random,
            };

            let database = format!("soak_{}", random());
            let (mut socket, mut servers) = (text(folder)?, (None, None, None));
            match kind {
                Kind::Sqlite => {}
                Kind::Postgresql | Kind::Pgbouncer => {
                    let server = Postgresql::new();
                    PostgresStore::create(server.host(), &database);
                    let pgbouncer = (kind == Kind::Pgbouncer).then(|| Pgbouncer::new(&server));
                    socket = text(pgbouncer.as_ref().map_or(server.host(), Pgbouncer::host))?;
                    servers = (pgbouncer, Some(server), None);
                }
                Kind::Mariadb => {
                    let server = Mariadb::new();
                    MariadbStore::create(server.socket(), &database);
                    socket = text(server.socket())?;
                    servers = (None, None, Some(server));
                }
            }
            Ok(Servers { place: Place { kind, socket, database }, _servers: servers })
        }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }
}

/// A folder that is deleted after the run.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> AnyResult<Folder> {
        let path = std::env::temp_dir().join(format!("merchantpay-soak-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
