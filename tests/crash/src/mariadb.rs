//! A MariaDB server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::server::{Folder, Process, command, prepare, program};
use crate::tcp::Tcp;

/// A MariaDB server on a socket in its own folder, with the user `root` without a password.
pub struct Mariadb {
    // The process is declared before the folder, so that it ends before the folder is deleted.
    process: Option<Process>,
    socket: PathBuf,
    options: Vec<String>,
    tcp: Option<Tcp>,
    folder: Folder,
}

impl Mariadb {
    /// Starts a server with the binary log, like servers with a replica.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Mariadb {
        Mariadb::install(&["--log-bin=binlog", "--server-id=1", "--sync-binlog=1"])
    }

    /// Starts a server that also listens on TCP, with or without TLS.
    pub fn over_tcp(has_tls: bool) -> Mariadb {
        let mut server = Mariadb::prepared(&["--skip-log-bin", "--bind-address=127.0.0.1"]);
        let tcp = Tcp::new(&server.folder);
        server.options.push(format!("--port={}", tcp.port));
        if has_tls {
            server.options.push(format!("--ssl-cert={}", tcp.certificate.display()));
            server.options.push(format!("--ssl-key={}", tcp.key.display()));
        }
        server.tcp = Some(tcp);
        server.start();
        server
    }

    fn install(options: &[&str]) -> Mariadb {
        let mut server = Mariadb::prepared(options);
        server.start();
        server
    }

    fn prepared(options: &[&str]) -> Mariadb {
        let folder = Folder::new();
        let socket = folder.path().join("socket");
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let server = Mariadb { process: None, socket, options, tcp: None, folder };
        let mut install = command(&server.program("mariadb-install-db"), &server.folder);
        install.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        install.arg(format!("--datadir={}", server.data().display()));
        prepare(install);
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
        server.args(["--no-defaults", "--max-connections=200"]).args(&self.options);
        if self.tcp.is_none() {
            server.arg("--skip-networking");
        }
        server.args(["--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M"]);
        // In this time zone the local time jumps twice a year.
        server.env("TZ", "Europe/Berlin");
        server.arg(format!("--datadir={}", self.data().display()));
        server.arg(format!("--socket={}", self.socket.display()));
        server.arg(format!("--pid-file={}", self.folder.path().join("pid").display()));
        // The server is not shut down properly, because its folder is deleted anyway.
        self.process = Some(Process::start(server, &self.folder, &self.socket, Signal::KILL));
    }

    /// Kills the server with its connections, and starts it again.
    pub fn restart(&mut self) {
        drop(self.process.take());
        self.start();
    }

    /// The server's TCP port.
    pub fn port(&self) -> u16 {
        self.tcp.as_ref().map_or(0, |tcp| tcp.port)
    }

    /// The CA of the server's certificate.
    pub fn ca(&self) -> &Path {
        self.tcp.as_ref().map_or(Path::new(""), |tcp| &tcp.ca)
    }

    /// The server's socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}
