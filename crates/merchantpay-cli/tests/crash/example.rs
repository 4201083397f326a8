//! The example `recover` in Rust, over a death of the service and one of the merchant's own program.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use crate::service::{Folder, PATIENCE, Service};

/// Cargo builds the examples of a crate before its tests, but not before one file of them alone.
fn program() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_merchantpay")).with_file_name("examples").join("recover");
    assert!(program.exists(), "do `cargo build --package merchantpay-cli --example recover` first");
    program
}

/// The example as it runs.
struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Running {
    fn start(service: &Service, file: &Path, port: &str) -> Running {
        let mut command = Command::new(program());
        let mut child =
            command.envs(service.environment()).arg(file).arg(port).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Running { child, lines }
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("one more line")
    }

    fn listening(&self) -> String {
        self.line().strip_prefix("listening ").expect("the port comes first").to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_order_survives_the_death_of_both_sides() {
    let folder = Folder::new("example");
    let (mut service, file) = (Service::start(&folder), folder.file("orders"));
    service.stall("stallAfterCommit", "newPayment");
    let first = Running::start(&service, &file, "0");
    let port = first.listening();
    assert_eq!(first.line(), "stored 1500.55 RUB");
    service.wait_for_stall("stallAfterCommit");
    service.kill();
    assert_eq!(first.line(), "unknown transport: wait for the webhook");
    drop(first);

    service.start_again();
    let order_id = service.payments()[0]["orderId"].as_str().unwrap().to_owned();
    let mut second = Running::start(&service, &file, &port);
    assert_eq!((second.listening(), second.line()), (port, "open 1500.55 RUB".to_owned()));
    service.operate(&order_id, "approve");
    assert_eq!(second.line(), format!("found {order_id}"));
    assert_eq!(second.line(), "status doneSuccess");
    assert!(second.child.wait().unwrap().success());
    assert_eq!(service.payments().len(), 1);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.ends_with(&format!(" 1500.55 {order_id}\n")), "{kept}");
}

#[test]
fn an_order_is_open_again_where_the_program_died_in_its_call() {
    let folder = Folder::new("example-call");
    let (service, file) = (Service::start(&folder), folder.file("orders"));
    service.stall("stallAfterCommit", "newPayment");
    let first = Running::start(&service, &file, "0");
    let port = first.listening();
    assert_eq!(first.line(), "stored 1500.55 RUB");
    service.wait_for_stall("stallAfterCommit");
    drop(first);

    let second = Running::start(&service, &file, &port);
    assert_eq!((second.listening(), second.line()), (port, "open 1500.55 RUB".to_owned()));
    assert_eq!(service.payments().len(), 1, "it does not ask for a second one");
    service.operate(service.payments()[0]["orderId"].as_str().unwrap(), "fail");
    assert!(second.line().starts_with("found "));
    assert_eq!(second.line(), "status doneFail");
}
