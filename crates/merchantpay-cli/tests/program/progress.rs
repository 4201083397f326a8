//! `status --wait`: progress on a terminal, silence in a pipe.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{at, run};
use merchantpay_sandbox::{Options, Sandbox};

/// Runs the program with a terminal for its stderr, and for its stdout unless that goes to `out`.
fn on_terminal(sandbox: &Sandbox, args: &str, out: &str) -> String {
    let line = format!("{} {args} {out}", env!("CARGO_BIN_EXE_merchantpay"));
    let mut script = Command::new("script");
    script.args(["-qfec", &line, "/dev/null"]).stdin(Stdio::null());
    for (name, value) in at(sandbox, &[]).get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let output = script.output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn waiting_shows_its_progress_on_a_terminal_and_nothing_in_a_pipe() {
    let sandbox = Sandbox::start(Options::default()).unwrap();
    let new = |account| {
        let args = ["new", "--sum", "10", "--payment-method", "sbp", "--customer-account", account];
        run(at(&sandbox, &args)).reply()["orderId"].as_str().unwrap().to_owned()
    };
    let order_id = new("stays-pending");
    run(at(&sandbox, &["confirm", &order_id])).reply();
    let command = format!("status {order_id} --wait --wait-timeout-ms 60000");
    let shown = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| on_terminal(&sandbox, &command, ">/dev/null"));
        // It has seen the first status when it asks for the second.
        while sandbox.requests("getStatus") < 2 && !waiting.is_finished() {
            std::thread::sleep(Duration::from_millis(10));
        }
        run(at(&sandbox, &["sandbox", "control", "operate", &order_id, "approve"])).reply();
        waiting.join().unwrap()
    });
    assert!(shown.contains("  pending\r\n") && shown.contains("pending ..."), "{shown:?}");
    assert!(shown.contains("  pending -> doneSuccess\r\n") && shown.ends_with("\r\x1b[K"), "{shown:?}");
    assert!(!shown.contains('{'), "the reply is stdout's: {shown:?}");

    // Reply and progress on one terminal: the reply begins on a line of its own.
    let shown =
        on_terminal(&sandbox, &format!("status {} --wait --wait-timeout-ms 300", new("stays-pending")), "");
    let last = shown.trim_end().rsplit(['\n', '\r']).next().unwrap();
    assert!(last.starts_with("\x1b[K{\"success\":true") && last.ends_with('}'), "{shown:?}");

    let waited = run(at(&sandbox, &["status", &order_id, "--wait"]));
    assert_eq!(waited.reply()["status"], "doneSuccess");
}
