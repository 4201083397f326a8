//! A MariaDB server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::server::{Folder, Process, command, prepare, program};
use crate::tcp::Tcp;

/// On a socket, with the user `root` without a password, and on TCP, with TLS.
pub struct Mariadb {
    // Before the folder, so that the process ends before its folder is deleted.
    process: Option<Process>,
    socket: PathBuf,
    tcp: Tcp,
    folder: Folder,
}

impl Mariadb {
    /// With the binary log, like servers with a replica.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Mariadb {
        let folder = Folder::new();
        let (socket, tcp) = (folder.path().join("socket"), Tcp::new(&folder));
        let mut server = Mariadb { process: None, socket, tcp, folder };
        let mut install = command(&server.program("mariadb-install-db"), &server.folder);
        install.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        install.arg(format!("--datadir={}", server.data().display()));
        prepare(install);
        server.start();
        server
    }

    fn program(&self, name: &str) -> PathBuf {
        program(name, &["/usr/bin", "/usr/sbin"].map(PathBuf::from))
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn start(&mut self) {
        let mut server = command(&self.program("mariadbd"), &self.folder);
        server.args(["--no-defaults", "--max-connections=200", "--bind-address=127.0.0.1"]);
        server.args(["--log-bin=binlog", "--server-id=1", "--sync-binlog=1"]);
        server.arg(format!("--port={}", self.tcp.port));
        server.arg(format!("--ssl-cert={}", self.tcp.certificate.display()));
        server.arg(format!("--ssl-key={}", self.tcp.key.display()));
        server.args(["--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M"]);
        // In this time zone the local time jumps twice a year.
        server.env("TZ", "Europe/Berlin");
        server.arg(format!("--datadir={}", self.data().display()));
        server.arg(format!("--socket={}", self.socket.display()));
        server.arg(format!("--pid-file={}", self.folder.path().join("pid").display()));
        // Killed, because its folder is deleted anyway.
        self.process = Some(Process::start(server, &self.folder, &self.socket, Signal::KILL));
    }

    /// Kills the server with its connections, and starts it again.
    pub fn restart(&mut self) {
        drop(self.process.take());
        self.start();
    }

    pub fn port(&self) -> u16 {
        self.tcp.port
    }

    pub fn ca(&self) -> &Path {
        &self.tcp.ca
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }
}
