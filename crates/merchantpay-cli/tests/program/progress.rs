//! A long call shows progress on a terminal, and shows nothing in a pipe.

use std::io::Read;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{at, on_terminal, run, script, shell_words};
use merchantpay_sandbox::{ClockMode, Options, Sandbox};

#[test]
fn waiting_shows_its_progress_on_a_terminal_and_nothing_in_a_pipe() {
    let sandbox = Sandbox::start(Options::default()).unwrap();
    let new = |account| {
        let args = ["new", "--sum", "10", "--payment-method", "sbp", "--customer-account", account];
        run(at(&sandbox, &args)).reply()["orderId"].as_str().unwrap().to_owned()
    };
    let order_id = new("stays-pending");
    run(at(&sandbox, &["confirm", &order_id])).reply();
    let command = ["status", &order_id, "--wait", "--wait-timeout-ms", "60000"];
    let shown = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let line = format!("{} >/dev/null", shell_words(&at(&sandbox, &command)));
            String::from_utf8(script(&line, &at(&sandbox, &[])).output().unwrap().stdout).unwrap()
        });
        // When the program asks for the second status, it has printed the first.
        while sandbox.requests("getStatus") < 2 && !waiting.is_finished() {
            std::thread::sleep(Duration::from_millis(10));
        }
        run(at(&sandbox, &["sandbox", "control", "operate", &order_id, "approve"])).reply();
        waiting.join().unwrap()
    });
    assert!(shown.contains("  pending\r\n") && shown.contains("pending ..."), "{shown:?}");
    assert!(shown.contains("  pending -> doneSuccess\r\n") && shown.ends_with("\r\x1b[K"), "{shown:?}");
    assert!(!shown.contains('{'), "the reply is stdout's: {shown:?}");

    // The reply and the progress share one terminal: the reply begins on its own line.
    let other = new("stays-pending");
    let shown = on_terminal(&at(&sandbox, &["status", &other, "--wait", "--wait-timeout-ms", "300"]));
    let (_, reply) = shown.rsplit_once("\x1b[K").unwrap();
    assert!(reply.starts_with("orderId") && reply.contains("pending"), "{shown:?}");

    let waited = run(at(&sandbox, &["status", &order_id, "--wait"]));
    assert_eq!(waited.reply()["status"], "doneSuccess");
}

#[test]
fn a_call_that_takes_long_shows_the_time_until_it_ends() {
    let sandbox = Sandbox::start(Options { clock: ClockMode::Manual, ..Options::default() }).unwrap();
    let account = "slow-credentials";
    let new = ["new", "--sum", "10", "--payment-method", "sbp", "--customer-account", account];
    let command = at(&sandbox, &new);
    let mut waiting = script(&shell_words(&command), &command).stdout(Stdio::piped()).spawn().unwrap();
    let (mut out, mut shown) = (waiting.stdout.take().unwrap(), Vec::new());
    let mut advanced = false;
    let mut bytes = [0; 256];
    loop {
        let count = out.read(&mut bytes).unwrap_or(0);
        shown.extend_from_slice(&bytes[..count]);
        // The service's clock stands still until the program has shown the elapsed time.
        if !advanced && String::from_utf8_lossy(&shown).contains("waiting for the credentials ...") {
            run(at(&sandbox, &["sandbox", "control", "clock", "advance", "9000"])).reply();
            advanced = true;
        }
        if count == 0 {
            break;
        }
    }
    assert!(waiting.wait().unwrap().success());
    let shown = String::from_utf8(shown).unwrap();
    let (_, reply) = shown.rsplit_once("\x1b[K").unwrap();
    assert!(advanced && reply.starts_with("orderId"), "{shown:?}");
}
