//! A MariaDB server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use crate::server::{Folder, Process, command, prepare, program};
use crate::tcp::Tcp;

/// A MariaDB server on a socket in its own folder, with the user `root` without a password.
pub struct Mariadb {
    // The process is declared before the folder, so that it ends before the folder is deleted.
    process: Option<Process>,
    socket: PathBuf,
    options: Vec<String>,
    /// The library that is preloaded into the server to emulate a power loss.
    synced: Option<PathBuf>,
    tcp: Option<Tcp>,
    folder: Folder,
}

impl Mariadb {
    /// Starts a server with the binary log, like servers with a replica.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Mariadb {
        Mariadb::install(&["--log-bin=binlog", "--server-id=1", "--sync-binlog=1"])
    }

    /// Starts a server without the binary log.
    pub fn without_binary_log() -> Mariadb {
        Mariadb::install(&["--skip-log-bin"])
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

    /// Starts a server that can lose power, with this `sync_binlog`.
    pub fn that_loses_power(sync_binlog: u32) -> Mariadb {
        let mut server = Mariadb::prepared(&["--log-bin=binlog", "--server-id=1"]);
        server.options.push(format!("--sync-binlog={sync_binlog}"));
        // Without this option InnoDB's own log would have the commit on the disk within a second, and the
        // binary log would not matter.
        server.options.push("--innodb-flush-log-at-timeout=2700".to_owned());
        let library = server.folder.path().join("synced.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("c/synced.c");
        let mut compile = Command::new("cc");
        compile.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-shared", "-fPIC"]);
        compile.arg(source).arg("-o").arg(&library).arg("-ldl");
        prepare(compile);
        server.synced = Some(library);
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
        let server = Mariadb { process: None, socket, options, synced: None, tcp: None, folder };
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
        server.envs(self.synced.iter().map(|library| ("LD_PRELOAD", library)));
        // The server is not shut down properly, because its folder is deleted anyway.
        self.process = Some(Process::start(server, &self.folder, &self.socket, Signal::KILL));
    }

    /// Kills the server, truncates its binary logs to their synced part, and starts it again.
    pub fn lose_power(&mut self) {
        drop(self.process.take());
        for file in fs::read_dir(self.data()).expect("the server's data").flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            if name.strip_prefix("binlog.").is_some_and(|end| end.bytes().all(|byte| byte.is_ascii_digit())) {
                let synced = fs::read_to_string(self.folder.path().join(format!("{name}.synced")));
                let synced = synced.ok().and_then(|length| length.parse().ok()).unwrap_or(0);
                let log = File::options().write(true).open(file.path()).expect("a binary log");
                log.set_len(synced).expect("a binary log is cut");
            }
        }
        self.start();
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
