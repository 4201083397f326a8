//! pgbouncer in transaction mode, in front of a PostgreSQL server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::postgresql::Postgresql;
use crate::server::{Folder, Process, command, program};

pub struct Pgbouncer {
    _process: Process,
    folder: Folder,
}

impl Pgbouncer {
    /// Two connections to each database. Ignores `extra_float_digits`, which lib/pq (Go) and JDBC send and pgbouncer by
    /// default refuses. After a restart of the server it tries again after 1 s, and not after 15 s.
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

    pub fn host(&self) -> &Path {
        self.folder.path()
    }
}
