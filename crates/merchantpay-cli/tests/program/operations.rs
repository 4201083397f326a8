//! Every operation from a shell, against the sandbox.

use crate::common::{Ran, at, program, run};
use merchantpay_sandbox::{Fault, Options, Sandbox};

const ACCOUNT: &str = "79001234567";

fn sandbox() -> Sandbox {
    Sandbox::start(Options::default()).unwrap()
}

fn new_payment(sandbox: &Sandbox, account: &str) -> String {
    let args = ["new", "--sum", "1500.50", "--payment-method", "sbp", "--customer-account", account];
    run(at(sandbox, &args)).reply()["orderId"].as_str().unwrap().to_owned()
}

#[test]
fn a_reply_is_one_json_line_in_the_contracts_field_names() {
    let sandbox = sandbox();
    let available = run(at(&sandbox, &["available", "--sum", "1500.50", "--payment-method", "sbp"]));
    assert!(
        available.reply()["availableAmounts"].is_array()
            && available.reply()["otherAmountsPossible"].is_boolean()
    );

    let args = [
        "new",
        "--sum",
        "1500.50",
        "--payment-method",
        "sbp",
        "--customer-account",
        ACCOUNT,
        "--payer-bank",
        "100000000111",
    ];
    let new = run(at(&sandbox, &args));
    for field in [
        "success",
        "orderId",
        "sum",
        "currency",
        "payeeAccount",
        "payeeAccountBank",
        "payeeName",
        "dealSum",
        "dealRate",
        "deeplink",
    ] {
        assert!(!new.reply()[field].is_null(), "{field} in {}", new.stdout);
    }
    assert!(new.stdout.contains("\"sum\":1500.50,"), "the digits are kept: {}", new.stdout);

    let order_id = new.reply()["orderId"].as_str().unwrap().to_owned();
    let status = run(at(&sandbox, &["status", &order_id])).reply();
    assert_eq!((status["status"].as_str(), status["currency"].is_null()), (Some("pending"), true));
    assert_eq!(run(at(&sandbox, &["confirm", &order_id])).reply()["orderId"], order_id.as_str());
    let done = run(at(&sandbox, &["status", &order_id, "--wait", "--wait-timeout-ms", "30000"])).reply();
    assert_eq!(done["status"], "doneSuccess");
}

#[test]
fn a_payment_that_waits_for_its_customer_can_be_cancelled() {
    let sandbox = sandbox();
    let order_id = new_payment(&sandbox, ACCOUNT);
    assert_eq!(run(at(&sandbox, &["cancel", &order_id])).reply()["orderId"], order_id.as_str());
}

#[test]
fn a_receipt_ends_an_arbitration() {
    let sandbox = sandbox();
    let order_id = new_payment(&sandbox, "arbitration");
    run(at(&sandbox, &["confirm", &order_id])).reply();
    let status = || run(at(&sandbox, &["status", &order_id])).reply()["status"].as_str().unwrap().to_owned();
    let asked_in_time = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        status() == "receiptRequired"
    });
    assert!(asked_in_time, "{}", status());

    let folder = std::env::temp_dir().join(format!("merchantpay-receipt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (pdf, text) = (folder.join("receipt.pdf"), folder.join("receipt.txt"));
    std::fs::write(&pdf, b"%PDF-1.4\n%%EOF\n").unwrap();
    std::fs::write(&text, b"paid").unwrap();

    let wrong =
        run(at(&sandbox, &["receipt", "attach", &order_id, pdf.to_str().unwrap(), text.to_str().unwrap()]));
    assert_eq!((wrong.status, wrong.error()["code"].as_str()), (2, Some("invalid_argument")));
    assert_eq!(sandbox.requests("attachReceipt"), 0);
    assert_eq!(
        run(at(&sandbox, &["receipt", "attach", &order_id, pdf.to_str().unwrap()])).reply()["orderId"],
        order_id.as_str()
    );
    let done = run(at(&sandbox, &["status", &order_id, "--wait", "--wait-timeout-ms", "30000"])).reply();
    assert_eq!(done["status"], "doneSuccess");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_exit_status_reports_the_outcome_of_the_request() {
    let sandbox = sandbox();
    let order_id = new_payment(&sandbox, ACCOUNT);
    let unpayable = ["new", "--sum", "0", "--payment-method", "sbp", "--customer-account", ACCOUNT];
    for (args, exit, code, outcome) in [
        (&["status", "no-such-order"][..], 1, "rejected", "rejected"),
        (&unpayable, 2, "invalid_argument", "not_sent"),
        (&["available", "--sum", "1e99", "--payment-method", "sbp"], 2, "invalid_argument", "not_sent"),
        (&["status", &order_id, "--nonsense"], 2, "invalid_argument", "not_sent"),
        (&["status", &order_id, "--base-url", "nowhere"], 2, "invalid_argument", "not_sent"),
        (&["status", &order_id, "--private-key", "AAAA"], 2, "invalid_key", "not_sent"),
    ] {
        check(run(at(&sandbox, args)), exit, code, outcome);
    }
    sandbox.misbehave(Fault::WrongKey, None, 1);
    check(run(at(&sandbox, &["status", &order_id])), 4, "unverified", "unknown");
    sandbox.misbehave(Fault::DropAfterCommit, None, 1);
    check(run(at(&sandbox, &["cancel", &order_id])), 4, "transport", "unknown");
    assert_eq!(run(at(&sandbox, &["status", "no-such-order"])).error()["reason"], "order_not_found");

    // No server listens on this port, so the port refuses connections.
    let gone = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    let mut refused = at(&sandbox, &["confirm", &order_id]);
    refused.env("MERCHANTPAY_BASE_URL", format!("http://{gone}"));
    let refused = run(refused);
    assert_eq!((refused.status, refused.error()["outcome"].as_str()), (3, Some("not_sent")));
}

#[test]
fn a_result_that_cannot_be_printed_is_not_taken_for_a_refusal() {
    let sandbox = sandbox();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut unheard =
        at(&sandbox, &["new", "--sum", "1", "--payment-method", "sbp", "--customer-account", ACCOUNT]);
    let output = unheard
        .stdout(full())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert_eq!((output.status.code(), sandbox.requests("newPayment")), (Some(4), 1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"outcome\":\"unknown\""));
    let mut unheard = at(&sandbox, &["status", "no-such-order"]);
    assert_eq!(unheard.stderr(full()).status().unwrap().code(), Some(1));
}

#[test]
fn waiting_ends_with_its_time_and_says_that_it_was_in_vain() {
    let sandbox = sandbox();
    let order_id = new_payment(&sandbox, "stays-pending");
    let ran = run(at(&sandbox, &["status", &order_id, "--wait", "--wait-timeout-ms", "300"]));
    assert_eq!(ran.status, 4);
    assert!(
        ran.stdout.contains("\"status\":\"pending\"") && ran.stderr.is_empty(),
        "{}{}",
        ran.stdout,
        ran.stderr
    );

    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut waiting = at(&sandbox, &["status", &order_id, "--wait", "--wait-timeout-ms", "300"]);
    waiting.env("MERCHANTPAY_BASE_URL", format!("http://{}", silent.local_addr().unwrap()));
    let started = std::time::Instant::now();
    check(run(waiting), 4, "timeout", "unknown");
    // Without the setting the deadline of a call would be 30 s.
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn bad_usage_repeats_no_word_that_may_be_a_secret() {
    let secret = "79001234567";
    for args in [["status", "order", secret].as_slice(), &["confirm", "order", secret], &["keygen", secret]] {
        let ran = run(program(args));
        assert_eq!(ran.status, 2);
        assert!(!ran.stderr.contains(secret), "{}", ran.stderr);
    }
    let sandbox = sandbox();
    let args = ["new", "--sum", "1", "--payment-method", "sbp", "--customer-account", "-5"];
    assert_eq!(run(at(&sandbox, &args)).reply()["success"], true, "an account may begin with a hyphen");
}

fn check(ran: Ran, exit: i32, code: &str, outcome: &str) {
    let error = ran.error();
    assert_eq!(
        (ran.status, error["code"].as_str(), error["outcome"].as_str()),
        (exit, Some(code), Some(outcome)),
        "{error}"
    );
}

#[test]
fn plain_http_goes_to_another_machine_only_where_it_is_allowed() {
    let sandbox = sandbox();
    // This host name leads to this machine, but the client does not recognise that.
    let url = sandbox.url().replace("127.0.0.1", "0.0.0.0");
    for (flag, variable, status) in [
        (None, None, 2),
        (None, Some(""), 2),
        (None, Some("0"), 2),
        (None, Some("yes"), 2),
        (None, Some("1"), 1),
        (Some("--allow-http"), None, 1),
        (Some("--allow-http"), Some("0"), 1),
    ] {
        let mut command = at(&sandbox, &["status", "x", "--base-url", &url]);
        command.args(flag).envs(variable.map(|value| ("MERCHANTPAY_ALLOW_HTTP", value)));
        let ran = run(command);
        assert_eq!(ran.status, status, "{flag:?} {variable:?}: {}", ran.stderr);
    }
}

#[test]
fn settings_come_by_flag_or_environment_or_file() {
    let sandbox = sandbox();
    let pair = program(&["keygen"]).output().unwrap();
    let file = std::env::temp_dir().join(format!("merchantpay-key-{}", std::process::id()));
    let key = sandbox.merchant_private_key().unwrap().to_base64();
    for (name, contents) in [
        ("base64", format!("{}\n", key.as_str())),
        ("keygen's", format!("{{\"privateKey\":\"{}\"}}", key.as_str())),
    ] {
        std::fs::write(&file, contents).unwrap();
        let mut command =
            program(&["status", "x", "--base-url", sandbox.url(), "--key-id", sandbox.merchant_key_id()]);
        command.args([
            "--server-public-key",
            &sandbox.server_public_key().to_base64(),
            "--private-key-file",
            file.to_str().unwrap(),
        ]);
        assert_eq!(run(command).status, 1, "{name}: it is the service that refuses");
    }
    std::fs::write(&file, &pair.stdout).unwrap();
    let mut wrong_key = at(&sandbox, &["status", "x"]);
    wrong_key.env("MERCHANTPAY_PRIVATE_KEY", "").env("MERCHANTPAY_PRIVATE_KEY_FILE", &file);
    assert!([1, 4].contains(&run(wrong_key).status), "keygen's pair is read, and is not the merchant's");
    let mut by_flag = at(&sandbox, &["status", "x", "--private-key-file", "/no/such/file"]);
    by_flag.env("MERCHANTPAY_CA_FILE", "").env("MERCHANTPAY_PRIVATE_KEY_FILE", "");
    let by_flag = run(by_flag);
    assert_eq!(by_flag.status, 2, "a flag wins over a variable");
    assert!(by_flag.error()["message"].as_str().unwrap().contains("/no/such/file"), "{}", by_flag.stderr);
    let mut empty = at(&sandbox, &["status", "x"]);
    empty.envs(
        ["CA_FILE", "PRIVATE_KEY_FILE", "TIMEOUT_MS", "PROXY"]
            .map(|name| (format!("MERCHANTPAY_{name}"), "")),
    );
    assert_eq!(run(empty).status, 1, "an empty variable counts as absent");
    std::fs::remove_file(&file).unwrap();

    for variable in ["BASE_URL", "KEY_ID", "PRIVATE_KEY", "SERVER_PUBLIC_KEY"] {
        let name = format!("MERCHANTPAY_{variable}");
        let mut command = at(&sandbox, &["status", "x"]);
        command.env_remove(&name);
        let ran = run(command);
        assert_eq!(ran.status, 2);
        assert!(ran.error()["message"].as_str().unwrap().contains(&name), "{}", ran.stderr);
    }
}
