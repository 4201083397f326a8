//! Tests of the log lines of the library and its dependencies in a Rust host. At every level these lines
//! contain nothing secret and no personal data. The only exception is the TRACE level of ureq and ureq-proto,
//! which the library cannot switch off (docs/threat-model.md, *The log of a Rust host*).

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::common::reply::{bad_gateway, refusal, signed, success};
use crate::common::server::{Server, tunnel};
use crate::common::tls::{TlsServer, authority};
use crate::common::{
    ACCOUNT, ORDER, client, config, every_call, is_own_process, merchant, payment_request, service,
};
use log::{Level, LevelFilter, Log, Metadata, Record};
use merchantpay::{Client, Receipt};

const PAYEE_ACCOUNT: &str = "2200123412341234";
const PAYEE_NAME: &str = "Konstantin";
const PASSWORD: &str = "s3cr3tpass";
const FILE_CONTENT: &str = "%PDF-a receipt of 79001234567";

struct Line {
    level: Level,
    target: String,
    text: String,
}

struct Lines;

static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = Line {
            level: record.level(),
            target: record.target().to_owned(),
            text: record.args().to_string(),
        };
        LINES.lock().unwrap().push(line);
    }

    fn flush(&self) {}
}

/// Makes calls of all kinds: without TLS, through a proxy, and over TLS. The calls succeed, are refused, or
/// are answered with a page.
fn calls() {
    let body = format!(
        r#"{{"success":true,"orderId":"{ORDER}","status":"pending","payeeAccount":"{PAYEE_ACCOUNT}","payeeName":"{PAYEE_NAME}","deeplink":"https://x.example/{PAYEE_ACCOUNT}","availableAmounts":[1],"otherAmountsPossible":true}}"#
    );
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes(PAYEE_NAME, "application/pdf", FILE_CONTENT.as_bytes()).unwrap();
    for reply in
        [signed(body), refusal(&format!("{ACCOUNT} is blocked")), bad_gateway(), success().status(302)]
    {
        let server = Server::replying(reply);
        let client = client(&server.url());
        for (_, call) in every_call() {
            let _ = call(&client);
        }
        let _ = client.attach_receipt(&receipt);
        server.finish();
    }
    let proxy = Server::start(tunnel);
    let with_password = proxy.url().replace("http://", &format!("http://till:{PASSWORD}@"));
    let through = config("http://pay.example").allow_http(true).proxy(with_password);
    Client::new(through).unwrap().new_payment(&payment_request()).unwrap();
    proxy.finish();
    let authority = authority();
    let secure = TlsServer::start(&authority, "localhost", false);
    let trusting = config(&secure.url("localhost")).ca_pem(authority.pem());
    Client::new(trusting).unwrap().new_payment(&payment_request()).unwrap();
    let _ = Client::new(config(&secure.url("localhost"))).unwrap().confirm(ORDER);
}

/// Returns `true` if a line contains a secret: a key, a password, an account, a name, the content of a
/// receipt, or a signature. Signatures are recognised by their form.
fn is_secret(text: &str) -> bool {
    let private = merchant().private_key().to_base64();
    let password_in_base64 = "dGlsbDpzM2NyM3RwYXNz";
    let known =
        [&private[..43], ACCOUNT, PAYEE_ACCOUNT, PAYEE_NAME, PASSWORD, password_in_base64, "a receipt of"];
    let ours = [merchant(), service()].map(|pair| pair.public_key().to_base64());
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let long_run =
        text.as_bytes().split(|byte| !is_base64(*byte)).any(|run| run.len() >= 86 && run.ends_with(b"=="));
    known.iter().any(|secret| text.contains(secret))
        || ours.iter().any(|key| text.contains(&**key))
        || long_run
}

/// The modules of ureq that write TRACE lines, with `true` if the lines contain secrets. `util` writes all
/// bytes that are sent and received, in hexadecimal. If a new version of ureq writes from another module, the
/// test fails. Then look at the lines of that module, and name the module here and, if necessary, in
/// docs/threat-model.md.
const TRACING: [(&str, bool); 1] = [("ureq_proto::util", true)];

/// Runs in a separate process, because a process can have only one logger.
#[test]
fn no_log_line_has_a_secret() {
    if !is_own_process("logs::no_log_line_has_a_secret", &[]) {
        return;
    }
    log::set_logger(&Lines).unwrap();
    log::set_max_level(LevelFilter::Trace);
    calls();
    let lines = LINES.lock().unwrap();
    let is_ureq = |line: &Line| line.target.starts_with("ureq");
    let mut tracing = BTreeMap::new();
    for line in lines.iter() {
        let secret = is_secret(&line.text);
        assert!(
            !secret || line.level == Level::Trace && is_ureq(line),
            "{} {}: {}",
            line.level,
            line.target,
            line.text
        );
        if line.level == Level::Trace && is_ureq(line) {
            *tracing.entry(line.target.as_str()).or_insert(false) |= secret;
        }
    }
    assert_eq!(tracing.into_iter().collect::<Vec<_>>(), TRACING);
    assert!(lines.iter().any(|line| is_ureq(line) && line.level == Level::Debug), "ureq's lines arrive here");
}
