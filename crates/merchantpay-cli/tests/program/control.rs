//! `sandbox control`: the control API from a shell.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use merchantpay::Receipt;
use merchantpay_sandbox::{ClockMode, Options, Sandbox};
use serde_json::{Value, json};

use crate::common::{Ran, at, program, run};

fn sandbox() -> Sandbox {
    Sandbox::start(Options {
        clock: ClockMode::Manual,
        pace: std::time::Duration::ZERO,
        ..Options::default()
    })
    .unwrap()
}

fn control(sandbox: &Sandbox, args: &[&str]) -> Ran {
    run(at(sandbox, &[&["sandbox", "control"], args].concat()))
}

fn new(sandbox: &Sandbox) -> String {
    let args = ["new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", "stays-pending"];
    run(at(sandbox, &args)).reply()["orderId"].as_str().unwrap().to_owned()
}

#[test]
fn a_payment_is_watched_and_played_with() {
    let sandbox = sandbox();
    assert_eq!(control(&sandbox, &["info"]).reply()["sandbox"], true);
    let id = new(&sandbox);
    assert_eq!(
        control(&sandbox, &["payments", "--status", "pending"]).reply()["payments"][0]["orderId"],
        id.as_str()
    );
    assert_eq!(control(&sandbox, &["pay", &id, "less"]).reply()["sum"], "1350.45");
    assert_eq!(control(&sandbox, &["pay", &id, "--sum", "1400.00"]).reply()["sum"], "1400.00");
    assert_eq!(control(&sandbox, &["pay", &id]).reply()["sum"], "1500.50");
    assert_eq!(control(&sandbox, &["operate", &id, "require-receipt"]).reply()["status"], "receiptRequired");

    let key = sandbox.merchant_private_key().unwrap().clone();
    let config =
        merchantpay::Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    let mut receipt = Receipt::new(&id);
    receipt.add_bytes("r.pdf", "application/pdf", b"%PDF").unwrap();
    merchantpay::Client::new(config).unwrap().attach_receipt(&receipt).unwrap();
    let file = std::env::temp_dir().join(format!("merchantpay-control-{}.pdf", std::process::id()));
    let saved = control(&sandbox, &["receipt", &id, "1", "--output", file.to_str().unwrap()]).reply();
    assert_eq!((&saved["size"], std::fs::read(&file).unwrap().as_slice()), (&json!(4), b"%PDF".as_slice()));
    std::fs::remove_file(&file).unwrap();

    assert_eq!(control(&sandbox, &["operate", &id, "approve"]).reply()["status"], "doneSuccess");
    let exchanges = control(&sandbox, &["exchanges", "--order-id", &id, "--operation", "newPayment"]).reply();
    let number = exchanges["exchanges"][0]["id"].to_string();
    assert_eq!(control(&sandbox, &["exchange", &number]).reply()["verified"], true);
    assert_eq!(control(&sandbox, &["payment", &id]).reply()["timeline"].as_array().unwrap().len(), 8);
}

#[test]
fn faults_webhooks_and_the_clock_are_at_hand() {
    let sandbox = sandbox();
    let fault = control(
        &sandbox,
        &["fault", "drop-after-commit", "--operation", "getStatus", "--probability", "0.5", "--seed", "7"],
    );
    assert_eq!(fault.reply()["kind"], "dropAfterCommit");
    assert_eq!(
        control(&sandbox, &["fault", "latency", "--latency-ms", "5", "--times", "2"]).reply()["left"],
        2
    );
    assert_eq!(control(&sandbox, &["faults"]).reply()["faults"].as_array().unwrap().len(), 2);
    assert_eq!(control(&sandbox, &["clear", "1"]).reply()["faults"].as_array().unwrap().len(), 1);
    assert_eq!(control(&sandbox, &["clear"]).reply(), json!({"faults": [], "stalled": []}));

    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let url = format!("http://{gone}/");
    let args = [
        "new",
        "--sum",
        "1",
        "--payment-method",
        "sbp",
        "--customer-account",
        "a",
        "--status-webhook-url",
        &url,
    ];
    let id = run(at(&sandbox, &args)).reply()["orderId"].as_str().unwrap().to_owned();
    let planned = control(&sandbox, &["next-webhook", &id, "wrong-key", "--times", "2"]).reply();
    assert_eq!(planned["nextWebhooks"][0]["action"], "wrongKey");
    assert_eq!(control(&sandbox, &["next-webhook", &id, "clear"]).reply(), json!({"nextWebhooks": []}));
    control(&sandbox, &["operate", &id, "fail"]).reply();
    assert_eq!(control(&sandbox, &["webhooks", &id]).reply()["webhooks"][0]["status"], "doneFail");
    assert_eq!(control(&sandbox, &["webhook", "1"]).reply()["kind"], "status");
    assert_eq!(
        control(&sandbox, &["resend", "1", "--as", "delay", "--delay-ms", "9"]).reply()["webhooks"][0]["copyOf"],
        1
    );

    assert_eq!(control(&sandbox, &["clock", "advance", "1500"]).reply()["now"], "2026-01-01T00:00:01.500Z");
    assert_eq!(control(&sandbox, &["clock"]).reply()["mode"], "manual");
}

#[test]
fn events_come_as_lines_until_the_sandbox_has_gone() {
    let sandbox = sandbox();
    let mut command = at(&sandbox, &["sandbox", "control", "events"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["event"], "hello");
    control(&sandbox, &["fault", "unsigned", "--operation", "cancel"]).reply();
    let faults = next();
    assert_eq!(
        (&faults["event"], &faults["data"]["faults"][0]["kind"]),
        (&json!("faults"), &json!("unsigned"))
    );
    sandbox.stop();
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn what_goes_wrong_has_its_exit_status() {
    let sandbox = sandbox();
    let id = new(&sandbox);
    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let nobody = format!("http://{gone}");
    let cases: [(&[&str], i32, &str, Value); 5] = [
        (&["payment", "sb-nobody"], 1, "rejected", json!(404)),
        (&["operate", &id, "release"], 1, "rejected", json!(409)),
        (&["operate", &id, "reward"], 1, "rejected", json!(400)),
        (&["fault"], 2, "invalid_argument", Value::Null),
        (&["payments", "--sandbox", &nobody], 3, "transport", Value::Null),
    ];
    for (args, status, code, http_status) in cases {
        let ran = control(&sandbox, args);
        let error = ran.error();
        assert_eq!(
            (ran.status, &error["code"], &error["httpStatus"]),
            (status, &json!(code), &http_status),
            "{args:?}: {error}"
        );
    }
    assert_eq!(
        control(&sandbox, &["payment", &id]).reply()["held"],
        false,
        "what was refused changed nothing"
    );
    let help = run(program(&["sandbox", "--help"]));
    assert!(help.stdout.contains("--seed") && help.stdout.contains("control"), "{}", help.stdout);
}

#[test]
fn a_story_is_played_and_a_receiver_is_checked() {
    let sandbox = sandbox();
    let story = run(at(&sandbox, &["story", "paid-less"])).reply();
    assert_eq!((&story["status"], &story["sum"]), (&json!("doneSuccess"), &json!("1350.45")));
    assert_eq!(run(at(&sandbox, &["story", "nothing"])).status, 1);

    let own = control(&sandbox, &["info"]).reply()["receiver"].as_str().unwrap().to_owned();
    let checked =
        run(at(&sandbox, &["check-receiver", &own, "--order-id", story["orderId"].as_str().unwrap()]));
    assert_eq!((checked.status, &checked.reply()["passed"]), (0, &json!(true)));
    // This path answers every request with 404.
    let wrong = run(at(&sandbox, &["check-receiver", &format!("{}/hook", sandbox.url())]));
    assert_eq!((wrong.status, wrong.stdout.contains("\"passed\":false")), (1, true));
    assert_eq!(run(at(&sandbox, &["check-receiver", "shop"])).status, 1);
}

#[test]
fn the_page_and_the_help_have_every_story() {
    let sandbox = sandbox();
    let page = include_str!("../../../../docs/sandbox.md");
    let help = run(program(&["story", "--help"])).stdout;
    for story in control(&sandbox, &["info"]).reply()["stories"].as_array().unwrap() {
        let name = story["name"].as_str().unwrap();
        assert!(page.contains(&format!("| `{name}` |")) && help.contains(name), "{name}");
    }
}

#[test]
fn the_page_has_every_test_account() {
    let page = include_str!("../../../../docs/sandbox.md");
    for test_account in merchantpay_sandbox::TEST_ACCOUNTS {
        let row = format!("| `{}` | {} |", test_account.account, test_account.effect);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn the_pages_commands_run_as_they_are_written() {
    let sandbox = sandbox();
    let id = new(&sandbox);
    let page = include_str!("../../../../docs/sandbox.md");
    let commands = page.lines().filter_map(|line| line.strip_prefix("$ merchantpay "));
    let commands: Vec<&str> = commands.filter(|command| command.starts_with("sandbox control ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let command = command.split("  #").next().unwrap().replace("ORDER_ID", &id);
        let ran = run(at(&sandbox, &command.split_whitespace().collect::<Vec<_>>()));
        assert!(ran.reply().is_object(), "{command}");
    }
}
