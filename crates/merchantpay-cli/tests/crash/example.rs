//! Tests the Rust example `recover` when the service dies and when the merchant's own program dies.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use crate::service::{Folder, PATIENCE, Service, until};

/// The path of the example. Cargo builds a crate's examples before all its tests, but not before a single
/// test file.
fn program() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_merchantpay")).with_file_name("examples").join("recover");
    assert!(program.exists(), "do `cargo build --package merchantpay-cli --example recover` first");
    program
}

/// An empty journal.
fn journal(folder: &Folder) -> PathBuf {
    let file = folder.file("payments.db");
    let mut init = Command::new(env!("CARGO_BIN_EXE_merchantpay"));
    let ran = init.args(["journal", "init", "--journal"]).arg(&file).stdout(Stdio::null()).status();
    assert!(ran.unwrap().success());
    file
}

/// The running example.
struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn start(service: &Service, file: &Path, port: &str) -> Running {
        let mut command = Command::new(program());
        let mut child = command
            .envs(service.environment())
            .arg(file)
            .arg(port)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Running { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("one more line")
    }

    fn listening(&self) -> String {
        self.line().strip_prefix("listening ").expect("the port comes first").to_owned()
    }

    /// The last line before the program ends by itself.
    fn last(mut self) -> String {
        let lines: Vec<String> = std::iter::from_fn(|| self.lines.recv_timeout(PATIENCE).ok()).collect();
        assert!(self.child.wait().unwrap().success(), "{lines:?}");
        lines.last().unwrap().clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SHIPPED: &str = "order-1017 final: ship it";

/// Lets the customer pay once the journal has the credentials.
fn pay(service: &Service, file: &Path) {
    until(|| show(service, file).contains("\"credentials\":{").then_some(()));
    service.operate(service.payments()[0]["orderId"].as_str().unwrap(), "approve");
}

#[test]
fn payment_survives_the_death_of_the_service_and_of_the_program() {
    let folder = Folder::new("example");
    let (mut service, file) = (Service::start(&folder), journal(&folder));
    service.stall("stallAfterCommit", "newPaymentAsync");
    let first = Running::start(&service, &file, "0");
    let port = first.listening();
    service.wait_for_stall("stallAfterCommit");
    service.kill();
    first.line();
    drop(first);

    service.start_again();
    let second = Running::start(&service, &file, &port);
    assert_eq!(second.listening(), port);
    pay(&service, &file);
    assert_eq!(second.last(), SHIPPED);
    assert_eq!(service.payments().len(), 1);
}

#[test]
fn payment_is_the_same_where_the_program_died_in_its_call() {
    let folder = Folder::new("example-call");
    let (service, file) = (Service::start(&folder), journal(&folder));
    service.stall("stallAfterCommit", "newPaymentAsync");
    let first = Running::start(&service, &file, "0");
    let port = first.listening();
    service.wait_for_stall("stallAfterCommit");
    drop(first);

    let second = Running::start(&service, &file, &port);
    // The reply was lost, so only the webhook names the order.
    pay(&service, &file);
    assert_eq!(second.last(), SHIPPED);
    assert_eq!(service.payments().len(), 1);
}

#[test]
fn payment_that_is_made_while_the_program_is_down_is_shipped_when_it_is_back() {
    let folder = Folder::new("example-down");
    let (service, file) = (Service::start(&folder), journal(&folder));
    let first = Running::start(&service, &file, "0");
    let port = first.listening();
    until(|| {
        let shown = show(&service, &file);
        (shown.contains("\"credentials\":{") && shown.contains("\"acknowledged\":true")).then_some(())
    });
    drop(first);
    pay(&service, &file);
    assert_eq!(Running::start(&service, &file, &port).last(), SHIPPED);
    assert_eq!(service.payments().len(), 1);
}

/// The output of the program `merchantpay` about the same journal.
fn show(service: &Service, file: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_merchantpay"));
    let output = command
        .args(["journal", "show", "order-1017", "--journal"])
        .arg(file)
        .envs(service.environment())
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}
