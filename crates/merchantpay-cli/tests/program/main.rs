//! The program as a shell sees it, against a sandbox: alone, or as a merchant who uses its journal.

mod doctor;
mod environment_file;
mod journal;
mod journal_settle;
mod listen;
mod pages;
mod sandbox;
mod sandbox_file;
mod sandbox_network;
mod terminal;

use std::io::{BufRead as _, BufReader, Read as _, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use merchantpay_sandbox::{Delivery, Fault, Options, Sandbox};
use serde_json::Value;
use tempfile::TempDir;

/// Only a test that hangs waits this long.
const PATIENCE: Duration = Duration::from_secs(20);

const ACCOUNT: &str = "79001234567";

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

struct Ran {
    status: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// The one JSON line on stdout.
    #[track_caller]
    fn reply(&self) -> Value {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""));
        line(&self.stdout)
    }

    /// The object `error` of the one JSON line on stderr.
    #[track_caller]
    fn error(&self) -> Value {
        assert!(self.stdout.is_empty(), "{}", self.stdout);
        line(&self.stderr)["error"].clone()
    }

    #[track_caller]
    fn message(&self) -> String {
        self.error()["message"].as_str().unwrap().to_owned()
    }

    fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(line).collect()
    }
}

#[track_caller]
fn line(text: &str) -> Value {
    assert_eq!(text.trim_end_matches('\n').lines().count(), 1, "{text}");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The program without any setting.
fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_merchantpay"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("MERCHANTPAY_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}

fn sandbox() -> Sandbox {
    Sandbox::start(Options::default()).unwrap()
}

/// The program with the settings of a sandbox in its environment.
fn at(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = program(args);
    command.envs(sandbox.settings().environment());
    command
}

fn new(account: &str) -> [&str; 7] {
    ["new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", account]
}

fn run(mut command: Command) -> Ran {
    ran(command.output().unwrap())
}

fn run_with_stdin(mut command: Command, stdin: &[u8]) -> Ran {
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

struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Running { child, out: BufReader::new(out), err: BufReader::new(err) }
    }

    #[track_caller]
    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.out.read_line(&mut line).unwrap() > 0, "{}", self.errors());
        line
    }

    #[track_caller]
    fn json(&mut self) -> Value {
        line(&self.line())
    }

    fn rest(&mut self) -> String {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        rest
    }

    fn errors(&mut self) -> String {
        let mut errors = String::new();
        self.err.read_to_string(&mut errors).unwrap();
        errors
    }

    fn signal(&self, name: &str) {
        signal(name, self.child.id());
    }

    fn status(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(name: &str, process: u32) {
    assert!(Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap().success());
}

/// Starts a sandbox and reads its settings up to the line that begins with `last`.
fn sandbox_with_settings(args: &[&str], last: &str) -> (Running, String) {
    let port: &[&str] = if args.contains(&"--port") { &[] } else { &["--port", "0"] };
    let mut running = Running::start(program(&[&["sandbox"], port, args].concat()));
    let mut text = String::new();
    loop {
        let line = running.line();
        text += &line;
        if line.starts_with(last) {
            return (running, text);
        }
    }
}

fn sandbox_with_json(args: &[&str]) -> (Running, Value) {
    let (running, text) = sandbox_with_settings(&[&["--format", "json"], args].concat(), "{");
    (running, serde_json::from_str(&text).unwrap())
}

fn with_settings(settings: &Value, args: &[&str]) -> Command {
    let mut command = program(args);
    let variables = settings["environment"].as_object().unwrap();
    command.envs(variables.iter().map(|(name, value)| (name, value.as_str().unwrap())));
    command
}

fn shell_words(command: &Command) -> String {
    let word = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', "'\\''"));
    let words: Vec<String> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(word).collect();
    words.join(" ")
}

fn like(command: &mut Command, other: &Command) {
    for (name, value) in other.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// On a pseudo terminal without colours, with the environment of `other`.
fn script(line: &str, other: &Command) -> Command {
    let mut script = Command::new("script");
    script.args(["-qfec", line, "/dev/null"]).stdin(Stdio::null());
    script.env("TERM", "xterm").env("NO_COLOR", "1");
    like(&mut script, other);
    script
}

/// Includes what the command prints to stderr.
fn on_terminal(command: &Command) -> String {
    run(script(&shell_words(command), command)).stdout.replace("\r\n", "\n")
}

fn until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(Instant::now() < end, "it does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// No server listens here: the tests give the webhooks to `receive` instead.
const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// A merchant who uses the journal through the program, and the sandbox as the service.
struct Shop {
    sandbox: Sandbox,
    folder: Folder,
}

impl Shop {
    fn new() -> Shop {
        let options = Options {
            pace: Duration::ZERO,
            webhook_retries: Vec::new(),
            credentials_wait: Duration::from_millis(300),
            ..Options::default()
        };
        let shop = Shop { sandbox: Sandbox::start(options).unwrap(), folder: Folder::new() };
        assert_eq!(shop.run(&["init"]).reply()["journal"], shop.file().to_str().unwrap());
        shop
    }

    fn file(&self) -> PathBuf {
        self.folder.join("payments.db")
    }

    /// Changes the database behind the program's back.
    fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.file()).unwrap().execute(statement, []).unwrap();
    }

    /// Loses the reply to a payment, whose attempt is `unknown` for three minutes then.
    fn lose(&self, reference: &str) {
        self.sandbox.misbehave(Fault::DropAfterCommit, Some("newPayment"), 1);
        assert_eq!(self.pay(reference, ACCOUNT, &[]).status, 4);
        self.sql("UPDATE merchantpay_attempts SET call_until = call_until - 180000 WHERE state = 'sent'");
    }

    fn succeed(&self, reference: &str) {
        self.paid_for(reference, ACCOUNT);
        self.run(&["confirm", reference]).reply();
        self.run(&["wait", reference]).reply();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = at(&self.sandbox, &[&["journal"], args].concat());
        command.env("MERCHANTPAY_JOURNAL", self.file()).env("MERCHANTPAY_CALLBACK_URL", CALLBACK);
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args))
    }

    fn pay(&self, reference: &str, account: &str, more: &[&str]) -> Ran {
        self.run(&[&["pay", "--reference", reference], &new(account)[1..], more].concat())
    }

    fn paid_for(&self, reference: &str, account: &str) -> String {
        self.pay(reference, account, &[]).reply()["orderId"].as_str().unwrap().to_owned()
    }

    fn entry(&self, reference: &str) -> Value {
        self.lines(&["show", reference]).swap_remove(0)
    }

    fn lines(&self, args: &[&str]) -> Vec<Value> {
        let ran = self.run(args);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{args:?}");
        ran.lines()
    }

    fn webhook(&self, order_id: &str, kind: &str) -> Delivery {
        self.sandbox.wait_for_delivery(order_id, kind, PATIENCE).expect("the sandbox sends it")
    }

    /// The order id of the payment that the service made for a `merchantId`.
    fn sandbox_payment(&self, merchant_id: &str) -> String {
        let ran = self.control(&["api", &format!("payments?merchantId={merchant_id}")]);
        ran["payments"][0]["orderId"].as_str().unwrap().to_owned()
    }

    /// Makes the customer pay and the service find the payment.
    fn approve(&self, order_id: &str) {
        self.control(&["operate", order_id, "approve"]);
    }

    fn control(&self, args: &[&str]) -> Value {
        run(at(&self.sandbox, &[&["sandbox"], args].concat())).reply()
    }

    fn receive(&self, path: &str, signature: &str, body: &[u8]) -> Ran {
        run_with_stdin(self.command(&["receive", "--path", path, "--signature", signature]), body)
    }

    fn deliver(&self, delivery: &Delivery) -> Ran {
        self.receive(&delivery.url, &delivery.signature, &delivery.body)
    }
}
