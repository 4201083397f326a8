//! A server process in its own folder.

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process};

const PATIENCE: Duration = Duration::from_secs(120);

/// Panics with `what` after [`PATIENCE`].
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The user `nobody`: no database runs as root.
const NOBODY: u32 = 65534;

/// Belongs to the user of the servers, and is deleted at its end.
pub struct Folder(PathBuf);

impl Folder {
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Folder {
        // Short, because the path of a socket has at most 107 bytes.
        let path = std::env::temp_dir().join(format!("mpay-{}", random()));
        fs::create_dir(&path).expect("a folder for the database");
        let folder = Folder(path);
        folder.give(&folder.0);
        folder
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    fn give(&self, path: &Path) {
        if geteuid().is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).expect("the folder's owner is changed");
        }
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file of the database's settings");
        self.give(&path);
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// 64 random bits, as a name.
pub fn random() -> String {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    format!("{:016x}", u64::from_ne_bytes(bytes))
}

/// As an ordinary user in this folder.
pub(crate) fn command(program: &Path, folder: &Folder) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder.path()).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    // TMPDIR, because MariaDB names temporary files by its process id, and a killed server leaves them.
    command.env("HOME", folder.path()).env("TMPDIR", folder.path()).stdin(Stdio::null());
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

pub(crate) fn prepare(mut command: Command) {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?}: {error}: tools/dev/setup databases"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) struct Process {
    child: Child,
    end: Signal,
}

impl Process {
    /// Waits until the socket accepts connections.
    pub(crate) fn start(mut command: Command, folder: &Folder, socket: &Path, end: Signal) -> Process {
        let log = fs::File::create(folder.path().join("log")).expect("the server's log");
        let errors = log.try_clone().expect("the server's log");
        let started = command.stdout(log).stderr(errors).spawn();
        let mut child =
            started.unwrap_or_else(|error| panic!("{command:?}: {error}: tools/dev/setup databases"));
        let patience = Instant::now() + PATIENCE;
        while UnixStream::connect(socket).is_err() {
            let is_over = child.try_wait().expect("a child's state").is_some();
            if is_over || Instant::now() > patience {
                let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
                panic!("{command:?} does not start: {log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Process { child, end }
    }
}

impl Process {
    /// Until no process works in this folder any more.
    pub(crate) fn kill_with_children(mut self, data: &Path) {
        self.end = Signal::KILL;
        drop(self);
        wait_until("a killed process goes on", || {
            let works_there = |process: &u32| {
                fs::read_link(format!("/proc/{process}/cwd")).is_ok_and(|folder| folder == data)
            };
            let all = fs::read_dir("/proc").expect("the processes").flatten();
            let numbers = all.filter_map(|process| process.file_name().to_string_lossy().parse().ok());
            let left: Vec<u32> = numbers.filter(works_there).collect();
            left.iter().for_each(|process| signal(*process, Signal::KILL));
            left.is_empty()
        });
    }
}

fn signal(process: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        signal(self.child.id(), self.end);
        let _ = self.child.wait();
    }
}

/// In the first folder that has it, otherwise in `PATH`.
pub(crate) fn program(name: &str, folders: &[PathBuf]) -> PathBuf {
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
    found.unwrap_or_else(|| PathBuf::from(name))
}
