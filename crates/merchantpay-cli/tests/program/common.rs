//! Runs the program as a shell would.

use std::io::Write;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use merchantpay_sandbox::Sandbox;
use serde_json::Value;

/// A new folder, which is deleted with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("merchantpay-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The output and the exit status of a run.
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The one JSON line on stdout.
    pub fn reply(&self) -> Value {
        assert_eq!(self.status, 0, "{}", self.stderr);
        assert!(self.stderr.is_empty(), "{}", self.stderr);
        line(&self.stdout)
    }

    /// The object `error` of the one JSON line on stderr.
    pub fn error(&self) -> Value {
        assert!(self.stdout.is_empty(), "{}", self.stdout);
        line(&self.stderr)["error"].clone()
    }
}

fn line(text: &str) -> Value {
    assert_eq!(text.trim_end_matches('\n').lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The program without any setting.
pub fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_merchantpay"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}

/// The program with the settings of a sandbox in its environment.
pub fn at(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = program(args);
    command
        .env("MERCHANTPAY_BASE_URL", sandbox.url())
        .env("MERCHANTPAY_SANDBOX_URL", sandbox.url())
        .env("MERCHANTPAY_KEY_ID", sandbox.merchant_key_id())
        .env("MERCHANTPAY_PRIVATE_KEY", sandbox.merchant_private_key().unwrap().to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", sandbox.server_public_key().to_base64())
        .env("MERCHANTPAY_SERVER_KEY_ID", sandbox.server_key_id());
    command
}

pub fn run(mut command: Command) -> Ran {
    ran(command.output().unwrap())
}

pub fn run_with_stdin(mut command: Command, stdin: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Ignores a failed write: a program that refuses its arguments does not read stdin.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    ran(child.wait_with_output().unwrap())
}

fn ran(output: Output) -> Ran {
    Ran {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The command in a shell's syntax.
pub fn shell_words(command: &Command) -> String {
    let word = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', "'\\''"));
    let words: Vec<String> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(word).collect();
    words.join(" ")
}

/// Runs a shell's line on a pseudo terminal without colours, with the environment of `like`.
pub fn script(line: &str, like: &Command) -> Command {
    let mut script = Command::new("script");
    script.args(["-qfec", line, "/dev/null"]).stdin(Stdio::null());
    script.env("TERM", "xterm").env("NO_COLOR", "1");
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    script
}

/// Returns the output of a command on a pseudo terminal, including errors.
pub fn on_terminal(command: &Command) -> String {
    let output = script(&shell_words(command), command).output().unwrap();
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}
