//! `doctor --contract` reports where a service differs from the contract and from the sandbox. With `--pay` it makes
//! a payment only after the person has typed its sum.

use merchantpay::{Keypair, PrivateKey};
use merchantpay_services::{message, serve};

use super::{Line, lines};
use crate::*;

const PAY: [&str; 5] = ["doctor", "--pay", "1500.50", "--customer-account", "79001234567"];

fn found(ran: &Ran) -> Vec<Line> {
    lines(ran).into_iter().filter(|line| ["contract", "payment"].contains(&line.check.as_str())).collect()
}

fn results(ran: &Ran) -> Vec<String> {
    found(ran).into_iter().map(|line| format!("{} {}", line.check, line.result)).collect()
}

fn money_calls(sandbox: &Sandbox) -> u64 {
    let calls = ["newPayment", "newPaymentAsync", "confirm", "cancel"];
    calls.map(|operation| sandbox.requests(operation)).iter().sum()
}

#[test]
fn contract_check_moves_no_money() {
    let sandbox = sandbox();
    let ran = run(at(&sandbox, &["doctor", "--contract"]));
    assert_eq!((ran.status, results(&ran)), (0, vec!["contract ok".to_owned(); 2]), "{}", ran.stdout);
    assert_eq!(money_calls(&sandbox), 0);
}

#[test]
fn payment_needs_typed_sum() {
    let shop = Shop::new();
    let pay = |answers: &str| {
        let mut doctor = at(&shop.sandbox, &PAY);
        doctor.env("MERCHANTPAY_JOURNAL", shop.file());
        run_with_stdin(doctor, answers.as_bytes())
    };
    for answer in ["", "yes\n", "1500.50\n", "1500.5 RUB\n", "1500.50 USD\n"] {
        let ran = pay(answer);
        assert_eq!(ran.status, 2, "{answer:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("no payment was made"), "{}", ran.stderr);
    }
    assert_eq!(run(at(&shop.sandbox, &PAY[..3])).status, 2, "without an account");
    assert_eq!(money_calls(&shop.sandbox), 0);

    for (answers, end) in [("1500.50 RUB\npaid\n", "doneSuccess"), ("1500.50 RUB\n", "doneFail")] {
        let ran = pay(answers);
        let expected = ["contract ok", "contract ok", "payment ok", "payment ok"];
        assert_eq!((ran.status, results(&ran)), (0, expected.map(str::to_owned).to_vec()), "{}", ran.stderr);
        assert!(ran.stderr.contains("Pay 1500.50 RUB to 2200"), "{}", ran.stderr);
        let listed = shop.run(&["list"]).stdout;
        assert!(listed.contains("\"reference\":\"doctor-") && listed.contains(end), "{listed}");
    }
}

/// A part of the text "PATH ORDER_ID" of a request, and the HTTP status and the body of its answer.
type Scripted = (&'static str, u16, &'static str);

fn answer(request: &[u8], replies: &[Scripted], key: &PrivateKey) -> String {
    let request = std::str::from_utf8(request).unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let path = head.split(' ').nth(1).unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    let order_id = body["orderId"].as_str().unwrap_or_default();
    let asked = format!("{path} {order_id}");
    let (_, status, reply) = replies.iter().find(|(part, ..)| asked.contains(part)).unwrap();
    let reply = reply.replace("ORDER", order_id);
    let (signature, length) = (key.sign(reply.as_bytes()).to_base64(), reply.len());
    format!(
        "HTTP/1.1 {status} X\r\nX-KeyId: service\r\nX-Signature: {signature}\r\nContent-Length: {length}\r\n\r\n{reply}"
    )
}

fn service(arguments: &[&str], replies: &'static [Scripted]) -> Command {
    let (own, merchant) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let key = own.private_key().clone();
    let address = serve(move |mut stream| {
        while let Ok(request) = message(&mut stream) {
            stream.write_all(answer(&request, replies, &key).as_bytes()).unwrap();
        }
    });
    let mut command = program(arguments);
    command
        .env("MERCHANTPAY_BASE_URL", format!("http://{address}"))
        .env("MERCHANTPAY_KEY_ID", "shop")
        .env("MERCHANTPAY_PRIVATE_KEY", merchant.private_key().to_base64().as_str())
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", own.public_key().to_base64());
    command
}

const AMOUNTS: Scripted =
    ("/available", 200, r#"{"success":true,"availableAmounts":[1000],"otherAmountsPossible":false}"#);
const UNKNOWN: Scripted = ("/status", 404, r#"{"success":false,"errorDescription":"order not found"}"#);

/// The service's replies, the exit status, and the result and message of each line.
type Case = (&'static [Scripted], i32, &'static [(&'static str, &'static str)]);

#[test]
fn difference_names_contract_or_assumption() {
    let cases: [Case; 5] = [
        (&[AMOUNTS, UNKNOWN], 0, &[("ok", "1 amounts, no others"), ("ok", "as in the sandbox")]),
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
            &[("warning", "fields that the contract does not show: limit"), ("ok", "")],
        ),
        (
            &[("/available", 400, r#"{"success":false,"errorDescription":"invalid currency"}"#), UNKNOWN],
            1,
            &[("fault", "refuses to list amounts for 1000.00 RUB"), ("ok", "")],
        ),
        (
            &[AMOUNTS, ("/status", 200, r#"{"success":false,"errorDescription":"no such payment"}"#)],
            0,
            &[
                ("ok", ""),
                ("warning", "a text other than `order not found`"),
                ("warning", "HTTP status 200; the sandbox assumes 404"),
            ],
        ),
        (
            &[AMOUNTS, ("/status", 200, r#"{"success":true,"orderId":"ORDER","status":"pending"}"#)],
            1,
            &[("ok", ""), ("fault", "knows an order that was never created")],
        ),
    ];
    for (replies, status, expected) in cases {
        let ran = run(service(&["doctor", "--contract"], replies));
        let found = found(&ran);
        assert_eq!((ran.status, found.len()), (status, expected.len()), "{}{}", ran.stdout, ran.stderr);
        for (line, (result, message)) in found.iter().zip(expected) {
            assert!(line.result == *result && line.message.contains(message), "{message}: {line:#?}");
        }
    }
}

/// A text of the service could otherwise forge lines of the report and of the question, or clear the screen.
#[test]
fn service_text_cannot_move_cursor() {
    const FORGED: &[Scripted] = &[
        (
            "/available",
            200,
            r#"{"success":true,"availableAmounts":[],"otherAmountsPossible":true,"x\nok\u001b[2J\u202e":5}"#,
        ),
        ("/status", 404, r#"{"success":false,"errorDescription":"none\nok\u001b[2J"}"#),
    ];
    let shown = on_terminal(&service(&["doctor", "--contract"], FORGED));
    assert!(shown.contains("does not show: x\u{fffd}ok\u{fffd}[2J\u{fffd}\n"), "{shown:?}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");

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
    let shop = Shop::new();
    let mut command = service(&PAY, PAID);
    command.env("MERCHANTPAY_JOURNAL", shop.file());
    let ran = run_with_stdin(command, b"1500.50 RUB\n");
    let asked = "\n> Pay 1500.50 RUB to 2200\u{fffd}paid\u{fffd}[2J (no link)";
    assert!(ran.stderr.contains(asked), "{:?}", ran.stderr);
}
