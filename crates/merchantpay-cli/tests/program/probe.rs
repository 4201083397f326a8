//! `probe` reports where a service differs from the contract and from the sandbox. It makes a payment only
//! after the person has typed its sum.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use merchantpay::Keypair;
use merchantpay_sandbox::{Options, Sandbox};
use serde_json::Value;

use crate::common::{Ran, at, on_terminal, program, run, run_with_stdin};

/// Each line as `(check, result, message)`.
fn lines(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    let lines = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| (text(&line, "check"), text(&line, "result"), text(&line, "message"))).collect()
}

fn results(ran: &Ran) -> Vec<(String, String)> {
    lines(ran).into_iter().map(|(check, result, _)| (check, result)).collect()
}

fn all_ok(checks: &[&str]) -> Vec<(String, String)> {
    checks.iter().map(|check| ((*check).to_owned(), "ok".to_owned())).collect()
}

struct Shop {
    sandbox: Sandbox,
    journal: PathBuf,
}

impl Shop {
    fn new(name: &str) -> Shop {
        let sandbox =
            Sandbox::start(Options { pace: Duration::from_millis(5), ..Options::default() }).unwrap();
        let journal =
            std::env::temp_dir().join(format!("merchantpay-probe-{}-{name}.db", std::process::id()));
        let shop = Shop { sandbox, journal };
        shop.remove();
        assert_eq!(run(shop.command(&["journal", "init"])).status, 0);
        shop
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = at(&self.sandbox, arguments);
        command.env("MERCHANTPAY_JOURNAL", &self.journal);
        command
    }

    fn pay(&self, answers: &str) -> Ran {
        let arguments = ["probe", "--pay", "1500.50", "--customer-account", "79001234567"];
        run_with_stdin(self.command(&arguments), answers.as_bytes())
    }

    fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.journal.display()));
        }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.remove();
    }
}

#[test]
fn the_sandbox_does_not_differ_and_no_payment_is_made_unless_one_is_asked_for() {
    let sandbox = Sandbox::start(Options::default()).unwrap();
    let ran = run(at(&sandbox, &["probe"]));
    assert_eq!((ran.status, results(&ran)), (0, all_ok(&["available", "status"])), "{}", ran.stdout);
    for operation in ["newPayment", "newPaymentAsync", "confirm", "cancel"] {
        assert_eq!(sandbox.requests(operation), 0, "{operation}");
    }
}

#[test]
fn a_payment_is_made_only_after_its_sum_and_currency_were_typed() {
    let shop = Shop::new("typed");
    for answer in ["", "yes\n", "1500.50\n", "1500.5 RUB\n", "1500.50 USD\n"] {
        let ran = shop.pay(answer);
        assert_eq!(ran.status, 2, "{answer:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("no payment was made"), "{}", ran.stderr);
    }
    assert_eq!(shop.sandbox.requests("newPayment"), 0);
    let missing = run(shop.command(&["probe", "--pay", "1500.50"]));
    assert_eq!(missing.status, 2, "{}", missing.stderr);
}

#[test]
fn a_payment_goes_through_the_journal_to_its_end_and_is_as_in_the_sandbox() {
    let shop = Shop::new("paid");
    for (answers, ends) in [("1500.50 RUB\npaid\n", "doneSuccess"), ("1500.50 RUB\n", "doneFail")] {
        let ran = shop.pay(answers);
        let checks = all_ok(&["available", "status", "payment", "payment"]);
        assert_eq!((ran.status, results(&ran)), (0, checks), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("Pay 1500.50 RUB to 2200"), "{}", ran.stderr);
        let listed = run(shop.command(&["journal", "list"])).stdout;
        assert!(listed.contains("\"reference\":\"probe-") && listed.contains(ends), "{listed}");
    }
}

/// A part of the text "PATH ORDER_ID" of a request, and the HTTP status and the body of its answer.
type Scripted = (&'static str, u16, &'static str);
/// The check and the result of a line, and a part of its message.
type Found = (&'static str, &'static str, &'static str);

/// A service that signs scripted answers.
fn service(arguments: &[&str], replies: &'static [Scripted]) -> Command {
    let (own, merchant) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = program(arguments);
    command
        .env("MERCHANTPAY_BASE_URL", format!("http://{}", listener.local_addr().unwrap()))
        .env("MERCHANTPAY_KEY_ID", "shop")
        .env("MERCHANTPAY_PRIVATE_KEY", merchant.private_key().to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", own.public_key().to_base64());
    let key = own.private_key().clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let (mut path, mut length, mut line) = (String::new(), 0, String::new());
            while stream.read_line(&mut line).unwrap_or(0) > 2 {
                let lower = line.to_ascii_lowercase();
                if let Some(text) = lower.strip_prefix("content-length:") {
                    length = text.trim().parse().unwrap();
                }
                if let Some(rest) = line.strip_prefix("POST ") {
                    rest.split(' ').next().unwrap().clone_into(&mut path);
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if path.is_empty() || stream.read_exact(&mut body).is_err() {
                continue;
            }
            let asked: Value = serde_json::from_slice(&body).unwrap();
            let order_id = asked["orderId"].as_str().unwrap_or_default();
            let asked = format!("{path} {order_id}");
            let (_, status, reply) = replies.iter().find(|(part, ..)| asked.contains(part)).unwrap();
            let reply = reply.replace("ORDER", order_id);
            let signature = key.sign(reply.as_bytes()).to_base64();
            let head = format!(
                "HTTP/1.1 {status} X\r\nX-KeyId: service\r\nX-Signature: {signature}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                reply.len()
            );
            stream.get_mut().write_all(format!("{head}{reply}").as_bytes()).unwrap();
        }
    });
    command
}

const AMOUNTS: Scripted =
    ("/available", 200, r#"{"success":true,"availableAmounts":[1000],"otherAmountsPossible":false}"#);
const UNKNOWN: Scripted = ("/status", 404, r#"{"success":false,"errorDescription":"order not found"}"#);

#[test]
fn each_difference_of_a_service_is_named_as_one_from_the_contract_or_from_an_assumption() {
    let cases: [(&'static [Scripted], i32, &[Found]); 5] = [
        (&[AMOUNTS, UNKNOWN], 0, &[("available", "ok", ""), ("status", "ok", "")]),
        (
            &[
                (
                    "/available",
                    200,
                    r#"{"success":true,"availableAmounts":[],"otherAmountsPossible":true,"limit":5}"#,
                ),
                UNKNOWN,
            ],
            0,
            &[
                ("available", "warning", "fields that the contract does not show: limit"),
                ("status", "ok", ""),
            ],
        ),
        (
            &[("/available", 400, r#"{"success":false,"errorDescription":"invalid currency"}"#), UNKNOWN],
            1,
            &[("available", "fault", "refuses to list amounts for 1000.00 RUB"), ("status", "ok", "")],
        ),
        (
            &[AMOUNTS, ("/status", 200, r#"{"success":false,"errorDescription":"no such payment"}"#)],
            0,
            &[
                ("available", "ok", ""),
                ("status", "warning", "a text other than `order not found`"),
                ("status", "warning", "HTTP status 200; the sandbox assumes 404"),
            ],
        ),
        (
            &[AMOUNTS, ("/status", 200, r#"{"success":true,"orderId":"ORDER","status":"pending"}"#)],
            1,
            &[("available", "ok", ""), ("status", "fault", "knows an order that was never created")],
        ),
    ];
    for (replies, status, expected) in cases {
        let command = service(&["probe"], replies);
        let ran = run(command);
        let found = lines(&ran);
        assert_eq!((ran.status, found.len()), (status, expected.len()), "{}{}", ran.stdout, ran.stderr);
        for ((check, result, message), wanted) in found.iter().zip(expected) {
            assert_eq!((check.as_str(), result.as_str()), (wanted.0, wanted.1), "{message}");
            assert!(message.contains(wanted.2), "{message}");
        }
    }
}

/// Without this protection a text of the service could forge lines of the report and of the prompt, or clear
/// the screen.
#[test]
fn a_text_of_the_service_cannot_move_the_cursor() {
    const FORGED: &[Scripted] = &[
        (
            "/available",
            200,
            r#"{"success":true,"availableAmounts":[],"otherAmountsPossible":true,"x\nok\u001b[2J\u202e":5}"#,
        ),
        ("/status", 404, r#"{"success":false,"errorDescription":"none\nok\u001b[2J"}"#),
    ];
    let shown = on_terminal(&service(&["probe"], FORGED));
    let texts = ["does not show: x\u{fffd}ok\u{fffd}[2J\u{fffd}\n", "merchant/pay): none ok [2J\n"];
    assert!(texts.iter().all(|text| shown.contains(text)) && !shown.contains('\u{1b}'), "{shown:?}");

    const PAID: &[Scripted] = &[
        AMOUNTS,
        (
            "/new",
            200,
            r#"{"success":true,"orderId":"o-1","sum":1500.50,"payeeAccount":"2200\npaid\u001b[2J"}"#,
        ),
        ("/status o-1", 200, r#"{"success":true,"orderId":"o-1","sum":1500.50,"status":"pending"}"#),
        UNKNOWN,
        ("/cancel", 403, r#"{"success":false,"errorDescription":"payment could not be canceled"}"#),
    ];
    let shop = Shop::new("forged");
    let mut command = service(&["probe", "--pay", "1500.50", "--customer-account", "79001234567"], PAID);
    command.env("MERCHANTPAY_JOURNAL", &shop.journal);
    let ran = run_with_stdin(command, b"1500.50 RUB\n");
    assert!(
        ran.stderr.contains("\n> Pay 1500.50 RUB to 2200\u{fffd}paid\u{fffd}[2J (no link)"),
        "{:?}",
        ran.stderr
    );
}
