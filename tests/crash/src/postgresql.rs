//! A PostgreSQL server.

use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::server::{Folder, Process, command, prepare, program, wait_until};
use crate::tcp::Tcp;

/// On a socket, with the user `shop`.
pub struct Postgresql {
    // Before the folder, so that the process ends before its folder is deleted.
    process: Option<Process>,
    tcp: Option<Tcp>,
    folder: Folder,
}

/// Over TCP everybody needs a password, and the user `strict` needs TLS.
const RULES: &str = "local all all trust\nhostnossl all strict 127.0.0.1/32 reject\n\
    host all all 127.0.0.1/32 scram-sha-256\n";

impl Postgresql {
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Postgresql {
        Postgresql::start(Postgresql::prepared(), None)
    }

    /// Also listens on TCP, with TLS, for users with a password.
    pub fn over_tcp() -> Postgresql {
        let folder = Postgresql::prepared();
        folder.write("data/pg_hba.conf", RULES);
        folder.write("data/postgresql.auto.conf", "ssl = on\n");
        let tcp = Tcp::new(&folder);
        Postgresql::start(folder, Some(tcp))
    }

    fn prepared() -> Folder {
        let folder = Folder::new();
        let mut initdb = command(&program("initdb", &folders()), &folder);
        initdb.args(["--username=shop", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"]);
        initdb.arg(folder.path().join("data"));
        prepare(initdb);
        folder
    }

    /// Gets the commits of this server over the socket.
    #[must_use]
    pub fn standby(&self) -> Postgresql {
        let folder = Folder::new();
        let mut copy = command(&program("pg_basebackup", &folders()), &folder);
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--username=shop", "-h"]);
        copy.arg(self.host()).arg("-D").arg(folder.path().join("data"));
        prepare(copy);
        Postgresql::start(folder, None)
    }

    pub fn promote(&self) {
        let mut promote = command(&program("pg_ctl", &folders()), &self.folder);
        prepare({
            promote.args(["promote", "-D"]).arg(self.folder.path().join("data"));
            promote
        });
    }

    fn start(folder: Folder, tcp: Option<Tcp>) -> Postgresql {
        let process = Some(start(&folder, tcp.as_ref()));
        Postgresql { process, tcp, folder }
    }

    /// Kills every process of the server, and starts it again.
    pub fn restart(&mut self) {
        self.kill();
        self.process = Some(start(&self.folder, self.tcp.as_ref()));
    }

    /// Kills every process of the server for good.
    pub fn kill(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill_with_children(&self.folder.path().join("data"));
        }
    }

    pub fn host(&self) -> &Path {
        self.folder.path()
    }

    pub fn port(&self) -> u16 {
        self.tcp.as_ref().map_or(5432, |tcp| tcp.port)
    }

    pub fn ca(&self) -> &Path {
        self.tcp.as_ref().map_or(Path::new(""), |tcp| &tcp.ca)
    }
}

fn start(folder: &Folder, tcp: Option<&Tcp>) -> Process {
    let data = &folder.path().join("data");
    let mut server = command(&program("postgres", &folders()), folder);
    server.arg("-D").arg(data).arg("-k").arg(folder.path());
    server.args(["-c", "max_connections=200", "-c", "shared_buffers=32MB"]);
    let port = match tcp {
        None => {
            server.args(["-h", ""]);
            5432
        }
        Some(tcp) => {
            server.args(["-h", "127.0.0.1", "-p", &tcp.port.to_string()]);
            server.arg("-c").arg(format!("ssl_cert_file={}", tcp.certificate.display()));
            server.arg("-c").arg(format!("ssl_key_file={}", tcp.key.display()));
            tcp.port
        }
    };
    let socket = folder.path().join(format!(".s.PGSQL.{port}"));
    let process = Process::start(server, folder, &socket, Signal::QUIT);
    // The server accepts connections before it can answer queries; the last line of this file says when it can.
    let file = data.join("postmaster.pid");
    let is_ready = || std::fs::read_to_string(&file).is_ok_and(|text| text.trim_end().ends_with("ready"));
    wait_until("PostgreSQL does not become ready", is_ready);
    process
}

/// Debian has a folder for each version. The newest one comes first here.
fn folders() -> Vec<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders
}
