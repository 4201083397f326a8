//! The example programs as they run.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use merchantpay_sandbox::{Options, Sandbox};

/// How long a test waits for what has to come.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A sandbox that hurries.
pub fn sandbox() -> Sandbox {
    let options = Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(500),
        // On a busy machine a receiver responds late, and one attempt has to be enough.
        webhook_timeout: PATIENCE,
        ..Options::default()
    };
    Sandbox::start(options).unwrap()
}

/// An example without any setting. Cargo builds the examples of a crate before its tests, but not before one
/// file of them alone.
pub fn clean(name: &str, arguments: &[&str]) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_merchantpay")).with_file_name("examples").join(name);
    assert!(program.exists(), "do `cargo build --package merchantpay-cli --examples` first");
    let mut command = Command::new(program);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// The same with the settings for a sandbox, as `examples/README.md` lists them.
pub fn at(sandbox: &Sandbox, name: &str, arguments: &[&str]) -> Command {
    let mut command = clean(name, arguments);
    command
        .env("MERCHANTPAY_BASE_URL", sandbox.url())
        .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
        .env("MERCHANTPAY_PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64())
        .env("MERCHANTPAY_SERVER_KEY_ID", sandbox.server_key_id());
    command
}

pub fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// A program that runs, and ends with the test.
pub struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
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

    /// Waits until it ends, which it has to do well and without another word.
    pub fn end(mut self) {
        // The channel closes when the program does.
        assert_eq!(self.lines.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
