//! A MariaDB server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::server::{Folder, Process, command, prepare, program};

/// A MariaDB server on a socket in a folder of its own, with the user `root` without a password.
pub struct Mariadb {
    _process: Process,
    socket: PathBuf,
    // Goes last.
    _folder: Folder,
}

impl Mariadb {
    /// Starts one with the binary log, as servers with a replica have it.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Mariadb {
        Mariadb::start(&["--log-bin=binlog", "--server-id=1", "--sync-binlog=1"])
    }

    /// Starts one without the binary log.
    pub fn without_binary_log() -> Mariadb {
        Mariadb::start(&["--skip-log-bin"])
    }

    fn start(binary_log: &[&str]) -> Mariadb {
        let folder = Folder::new();
        let data = format!("--datadir={}", folder.path().join("data").display());
        let places = ["/usr/bin", "/usr/sbin"].map(PathBuf::from);
        let mut install = command(&program("mariadb-install-db", &places), &folder);
        install.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db", &data]);
        prepare(install);
        let socket = folder.path().join("socket");
        let mut server = command(&program("mariadbd", &places), &folder);
        server.args(["--no-defaults", "--skip-networking", "--max-connections=200", &data]).args(binary_log);
        server.args(["--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M"]);
        // A place whose local time jumps.
        server.env("TZ", "Europe/Berlin");
        server.arg(format!("--socket={}", socket.display()));
        server.arg(format!("--pid-file={}", folder.path().join("pid").display()));
        // It is not shut down in order: its folder goes with it.
        let process = Process::start(server, &folder, &socket, Signal::KILL);
        Mariadb { _process: process, socket, _folder: folder }
    }

    /// Its socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}
