//! Programs in C and C++ that use the installed library against a sandbox.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use merchantpay_sandbox::{Options, Sandbox};

use super::{pkg_config, prefix, run};

/// How long a test waits for what has to come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A sandbox that hurries.
pub fn sandbox() -> Sandbox {
    let options = Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(500),
        // A receiver under valgrind on a busy machine answers late, and one attempt has to be enough.
        webhook_timeout: PATIENCE,
        webhook_retries: vec![Duration::from_millis(20); 3],
        ..Options::default()
    };
    Sandbox::start(options).expect("a sandbox")
}

/// Compiles a program against the installed library and links it to it.
pub fn compile(compiler: &str, flags: &[&str], sources: &[&Path], program: &Path) {
    let libraries = pkg_config(&["--cflags", "--libs"]);
    run(Command::new(compiler).args(flags).args(sources).arg("-o").arg(program).args(libraries));
}

/// A command with no setting of ours but where the library is.
pub fn clean(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
        command.env_remove(name);
    }
    command.env("LD_LIBRARY_PATH", prefix().join("lib")).stdin(Stdio::null());
    command
}

/// The same with the settings for a sandbox, as `examples/README.md` lists them.
pub fn at(sandbox: &Sandbox, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let key = sandbox.merchant_private_key().expect("the sandbox has made the merchant's keys");
    let mut command = clean(program);
    command
        .env("MERCHANTPAY_BASE_URL", sandbox.url())
        .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
        .env("MERCHANTPAY_PRIVATE_KEY", key.to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64())
        .env("MERCHANTPAY_SERVER_KEY_ID", sandbox.server_key_id());
    command
}

/// A program that runs, and ends with the test.
pub struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Running { child, lines }
    }

    /// Its next line, for which it is waited.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("one more line")
    }

    /// Kills it. Gives the lines that it had printed and nobody has read.
    pub fn kill(mut self) -> Vec<String> {
        let _ = self.child.kill();
        let rest = self.lines.iter().collect();
        let _ = self.child.wait();
        rest
    }

    /// Waits until it ends, which it has to do well and without another word.
    pub fn end(mut self) {
        // The channel closes when the program does.
        let rest = self.lines.recv_timeout(PATIENCE);
        assert_eq!(rest, Err(mpsc::RecvTimeoutError::Disconnected));
        let status = self.child.wait().expect("the program can be waited for");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
