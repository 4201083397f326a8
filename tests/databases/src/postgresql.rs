//! A PostgreSQL server.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::server::{Folder, PATIENCE, Process, command, prepare, program};

/// A PostgreSQL server on a socket in a folder of its own, with the user `shop`.
pub struct Postgresql {
    // Ends before its folder goes.
    process: Option<Process>,
    folder: Folder,
}

impl Postgresql {
    /// Starts one.
    #[expect(clippy::new_without_default, reason = "it starts a server")]
    pub fn new() -> Postgresql {
        let folder = Folder::new();
        let mut initdb = command(&program("initdb", &folders()), &folder);
        initdb.args(["--username=shop", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"]);
        initdb.arg(folder.path().join("data"));
        prepare(initdb);
        Postgresql::start(folder)
    }

    /// Starts a standby of it, which gets its commits over its socket.
    #[must_use]
    pub fn standby(&self) -> Postgresql {
        let folder = Folder::new();
        let mut copy = command(&program("pg_basebackup", &folders()), &folder);
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--username=shop", "-h"]);
        copy.arg(self.host()).arg("-D").arg(folder.path().join("data"));
        prepare(copy);
        Postgresql::start(folder)
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        let mut promote = command(&program("pg_ctl", &folders()), &self.folder);
        prepare({
            promote.args(["promote", "-D"]).arg(self.folder.path().join("data"));
            promote
        });
    }

    fn start(folder: Folder) -> Postgresql {
        let process = Some(start(&folder, &folder.path().join("data")));
        Postgresql { process, folder }
    }

    /// Ends the server at once, with its connections, and starts it again.
    pub fn restart(&mut self) {
        drop(self.process.take());
        self.process = Some(start(&self.folder, &self.folder.path().join("data")));
    }

    /// Kills every process of the server, and starts it again.
    pub fn lose_power(&mut self) {
        if let Some(process) = self.process.take() {
            process.kill_with_children();
        }
        self.process = Some(start(&self.folder, &self.folder.path().join("data")));
    }

    /// Where its socket is.
    pub fn host(&self) -> &Path {
        self.folder.path()
    }
}

fn start(folder: &Folder, data: &Path) -> Process {
    let mut server = command(&program("postgres", &folders()), folder);
    server.arg("-D").arg(data).arg("-k").arg(folder.path());
    server.args(["-h", "", "-c", "max_connections=200", "-c", "shared_buffers=32MB"]);
    let socket = folder.path().join(".s.PGSQL.5432");
    let process = Process::start(server, folder, &socket, Signal::QUIT);
    wait_until_ready(&data.join("postmaster.pid"));
    process
}

/// It takes connections before it answers them, which the last line of this file says.
fn wait_until_ready(file: &Path) {
    let patience = Instant::now() + PATIENCE;
    let is_ready = || std::fs::read_to_string(file).is_ok_and(|text| text.trim_end().ends_with("ready"));
    while !is_ready() {
        assert!(Instant::now() < patience, "PostgreSQL does not become ready");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Debian keeps each version's programs in a folder of its own, the newest last.
fn folders() -> Vec<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders
}
