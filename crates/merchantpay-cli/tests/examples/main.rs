//! The examples in Rust, run against a sandbox. `examples/README.md` says what they print; the crash tests run
//! `recover`.

mod programs;
mod promised;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

use merchantpay::{Amount, Client, Config, PaymentMethod, PaymentRequest};
use merchantpay_sandbox::Sandbox;

use programs::{PATIENCE, Running, at, clean, lines, sandbox};
use promised::{assert_prints, promised};

/// A receipt of this process, in a folder of its own.
fn receipt() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("merchantpay-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("receipt.pdf");
    std::fs::write(&path, b"%PDF-1.4\n%%EOF\n").unwrap();
    path
}

#[test]
fn every_example_prints_what_is_promised() {
    let receipt = receipt();
    let table: [(&str, &[&str]); 3] =
        [("accept", &[]), ("arbitrate", &[receipt.to_str().unwrap()]), ("outcomes", &[])];
    for (name, arguments) in table {
        let output = at(&sandbox(), name, arguments).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
        assert_prints(&lines(&output), &promised(name), name);
    }
}

#[test]
fn accept_tells_how_the_payment_ended() {
    let table: [(&str, [&str; 2]); 3] = [
        ("pays-less", ["status doneSuccess", "paid 1350.50"]),
        ("payment-fails", ["confirmed", "status doneFail"]),
        ("bare-credentials", ["status doneSuccess", "paid 1500.55"]),
    ];
    for (account, end) in table {
        let output = at(&sandbox(), "accept", &[account]).output().unwrap();
        assert!(output.status.success(), "{account}: {output:?}");
        let lines = lines(&output);
        assert!(lines.ends_with(&end.map(str::to_owned)), "{account}: {lines:?}");
    }
}

#[test]
fn an_example_that_fails_says_why_on_stderr() {
    let (receipt, sandbox) = (receipt(), sandbox());
    let receipt = receipt.to_str().unwrap();
    let invalid = "error invalid_argument not_sent: ";
    for (mut command, status, begin) in [
        (clean("accept", &[]), 1, invalid),
        (clean("arbitrate", &[receipt]), 1, invalid),
        (clean("outcomes", &[]), 1, invalid),
        (clean("webhook", &[]), 1, invalid),
        (clean("recover", &["/nowhere/payments.db"]), 1, invalid),
        (clean("recover", &[]), 2, "usage: recover FILE [PORT]"),
        (clean("recover", &["payments.db", "a port"]), 2, "usage: recover FILE [PORT]"),
        (clean("arbitrate", &[]), 2, "usage: arbitrate FILE"),
        (clean("webhook", &["many"]), 2, "usage: webhook [COUNT]"),
        (at(&sandbox, "accept", &["no-credentials"]), 1, "error rejected rejected: "),
        (at(&sandbox, "arbitrate", &["/nowhere/receipt.pdf"]), 1, invalid),
    ] {
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), stderr.starts_with(begin)),
            (Some(status), true),
            "{command:?} {output:?}"
        );
    }
}

#[test]
fn the_receiver_takes_what_the_service_sends_and_refuses_the_rest() {
    let sandbox = sandbox();
    let webhook = Running::start(&mut at(&sandbox, "webhook", &["2"]));
    let mut printed = vec![webhook.line()];
    let address = format!("127.0.0.1:{}", printed[0].strip_prefix("listening ").unwrap());

    // Signed by nobody, and larger than any webhook.
    for body in [br#"{"success":false,"orderId":"o-1"}"#.to_vec(), vec![b' '; 70_000]] {
        assert_eq!(send("POST", &address, &body), 400);
        printed.push(webhook.line());
    }
    assert_eq!(send("PUT", &address, b"{}"), 405);

    let order_id = pay(&sandbox, &format!("http://{address}/hook"));
    for kind in ["credentials", "status"] {
        let delivery = sandbox.wait_for_delivery(&order_id, kind, PATIENCE).unwrap();
        assert_eq!((delivery.http_status, delivery.attempts), (Some(200), 1), "{kind}");
        printed.push(webhook.line());
    }
    assert!(printed[3].contains(&order_id), "{printed:?}");
    assert_prints(&printed, &promised("webhook"), "webhook");
    webhook.end();
}

/// A payment whose webhooks go to this address, from its registration to its confirmation.
fn pay(sandbox: &Sandbox, url: &str) -> String {
    let key = sandbox.merchant_private_key().unwrap().clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    let client = Client::new(config).unwrap();
    let sum: Amount = "1500.55".parse().unwrap();
    let request = PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567")
        .credentials_webhook_url(url)
        .status_webhook_url(url);
    let order_id = client.new_payment_async(&request).unwrap().order_id().to_owned();
    sandbox.wait_for_delivery(&order_id, "credentials", PATIENCE).unwrap();
    client.confirm(&order_id).unwrap();
    order_id
}

/// Sends a body with a signature that is none, and gives the status of the response.
fn send(method: &str, address: &str, body: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!(
        "{method} /hook HTTP/1.1\r\nHost: {address}\r\nX-Signature: AAAA\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_else(|| panic!("{line:?}"))
}
