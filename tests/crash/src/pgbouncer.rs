//! pgbouncer in transaction mode, in front of a PostgreSQL server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::postgresql::Postgresql;
use crate::server::{Folder, Process, command, program};

/// A pgbouncer that assigns a server connection to a client at the beginning of a transaction, and takes the
/// connection back at the end of the transaction.
pub struct Pgbouncer {
    _process: Process,
    folder: Folder,
}

impl Pgbouncer {
    /// Starts pgbouncer with two connections to each database. This pgbouncer ignores the parameter
    /// `extra_float_digits`, which lib/pq (Go) and JDBC send. By default pgbouncer refuses this parameter. After a
    /// restart of the server it tries again at once, and not after 15 s.
    pub fn new(server: &Postgresql) -> Pgbouncer {
        let folder = Folder::new();
        let users = folder.write("users", "\"shop\" \"\"\n");
        let settings = format!(
            "[databases]\n* = host={} user=shop\n[pgbouncer]\nlisten_port = 5432\nunix_socket_dir = {}\n\
             auth_type = trust\nauth_file = {}\npool_mode = transaction\ndefault_pool_size = 2\n\
             max_client_conn = 200\nignore_startup_parameters = extra_float_digits\nserver_login_retry = 1\n",
            server.host().display(),
            folder.path().display(),
            users.display(),
        );
        let file = folder.write("pgbouncer.ini", &settings);
        let mut command = command(&program("pgbouncer", &[PathBuf::from("/usr/sbin")]), &folder);
        command.arg(file);
        let socket = folder.path().join(".s.PGSQL.5432");
        let process = Process::start(command, &folder, &socket, Signal::KILL);
        Pgbouncer { _process: process, folder }
    }

    /// The folder of pgbouncer's socket.
    pub fn host(&self) -> &Path {
        self.folder.path()
    }
}
