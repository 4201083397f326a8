//! Every call, made once with every argument, over a sandbox.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use merchantpay::{Keypair, PrivateKey};
use merchantpay_calls::{Callback, Host, ObjectKind, Style, calls, open_handles};
use merchantpay_sandbox::{Options, Sandbox};

use crate::host::{Arg, MADE, Open, client, fields, frame, library, open, pairs, record, settings};

const PATIENCE: Duration = Duration::from_secs(20);

fn sandbox() -> Sandbox {
    Sandbox::start(Options { pace: Duration::ZERO, webhook_retries: Vec::new(), ..Options::default() })
        .unwrap()
}

fn good<'a>() -> Vec<(&'a str, &'a str)> {
    vec![
        ("sum", "1500.50"),
        ("paymentMethod", "sbp"),
        ("customerAccount", "79001234567"),
        ("merchantId", "m-1"),
    ]
}

/// One test makes all calls, and counts them at its end.
#[test]
fn every_call_is_made_with_every_argument() {
    let before = open_handles();
    {
        let sandbox = sandbox();
        values();
        operations(&sandbox);
        without_io(&sandbox);
        journal(&sandbox);
    }
    let made = MADE.lock().unwrap().clone();
    let missing: Vec<_> = calls().filter(|call| !made.contains(&call.number)).map(|call| call.name).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(open_handles() <= before + 64, "handles are left open");
}

fn values() {
    let library = library();
    let pair = library.ok("keypair", &[]);
    let private = PrivateKey::from_base64(pair.field("private_key")).unwrap();
    assert_eq!(private.public_key().to_base64(), pair.field("public_key"));
    for (arguments, expected) in [
        (["1000.005", "2", "RUB", "2", "half_up"], "2000.01"),
        (["1000.005", "2", "RUB", "2", "down"], "2000.01"),
        (["100", "3", "USDT", "4", "down"], "33.3333"),
    ] {
        let args: Vec<Arg> = arguments.into_iter().map(Arg::from).collect();
        match library.ask("to_balance", &args) {
            Ok(sum) => assert_eq!(sum.text(), expected),
            Err(error) => panic!("{error:?}"),
        }
    }
    for (sum, asked, expected) in [("1", "1.0", "exactly"), ("1", "2", "less"), ("2", "1", "more")] {
        assert_eq!(library.ok("paid", &[sum.into(), asked.into()]).text(), expected);
    }
    let variables = vec![
        "MERCHANTPAY_TIMEOUT_MS",
        "1500",
        "MERCHANTPAY_KEY_ID",
        " key-1\r\n",
        "MERCHANTPAY_X",
        "",
        "HOME",
        "/",
    ];
    let read = library.ok("environment", &[variables.into()]);
    assert_eq!(
        read,
        crate::host::Got::Bytes(frame(&["key_id", "key-1", "timeout_ms", "1500"].map(Arg::from)))
    );
    let wrong = vec!["MERCHANTPAY_TIMEOUT_MS", "soon"];
    let error = library.ask("environment", &[wrong.into()]).unwrap_err();
    assert_eq!(error.field("message"), "MERCHANTPAY_TIMEOUT_MS must be a whole number of milliseconds");
    let rows = library.ok("settings", &["client".into()]);
    assert_eq!(rows.get("0000").field("variable"), "MERCHANTPAY_BASE_URL");
    assert_eq!(rows.len(), merchantpay::SETTINGS.len());
    let statement = library.ok("acknowledge_sql", &["order".into(), "2".into(), "7".into(), "dollar".into()]);
    assert_eq!(
        [statement.field("reference"), statement.field("attempt"), statement.field("news")],
        ["order", "2", "7"]
    );
    assert!(statement.field("text").contains("attempt = $2"));
}

fn operations(sandbox: &Sandbox) {
    let client = client(&settings(sandbox));
    client.ok("connect", &[]);
    let amounts =
        client.ok("get_available_amounts", &[fields(&[("sum", "1500.50"), ("paymentMethod", "sbp")])]);
    assert!(amounts.get("available_amounts").len() > 0);
    let payment = client.ok("new_payment", &[fields(&good())]);
    assert_eq!((payment.field("sum"), payment.field("is_final")), ("1500.50", "0"));
    assert!(payment.field("json").contains(payment.field("payee_account")));
    let order = payment.field("order_id");
    assert_eq!(client.ok("get_status", &[order.into()]).field("status"), "pending");
    client.ok("confirm", &[order.into()]);
    let paid = client.ok("wait", &[order.into(), "20000".into()]);
    assert_eq!((paid.field("status"), paid.field("is_final")), ("doneSuccess", "1"));

    let webhook = "http://127.0.0.1:9/credentials";
    let requested = client
        .ok("new_payment_async", &[fields(&[good(), vec![("credentialsWebhookUrl", webhook)]].concat())]);
    assert_eq!(requested.field("is_final"), "0");
    // A request without credentials yet may be refused, so the one to cancel has some.
    let unwanted = client.ok("new_payment", &[fields(&good())]);
    client.ok("cancel", &[unwanted.field("order_id").into()]);
    let refused = client.ask("cancel", &["no-such-order".into()]).unwrap_err();
    assert_eq!((refused.field("code"), refused.field("reason")), ("rejected", "order_not_found"));
    assert_eq!(refused.field("number"), "40");
    assert_eq!(refused.field("order_id"), "no-such-order");

    let derived = client.ok("derive", &["1500".into()]).handle();
    let derived = Open::of(ObjectKind::Client, derived);
    assert!(merchantpay_calls::interrupt(derived.handle));
    let cancelled = derived.ask("get_status", &[order.into()]).unwrap_err();
    assert_eq!((cancelled.field("code"), cancelled.field("outcome")), ("cancelled", "not_sent"));
    client.ok("get_status", &[order.into()]);
    receipts(&client);
}

fn receipts(client: &Open) {
    let disputed = [good(), vec![]].concat();
    let disputed: Vec<_> = disputed
        .into_iter()
        .map(|(name, text)| (name, if name == "customerAccount" { "arbitration" } else { text }))
        .collect();
    let payment = client.ok("new_payment", &[fields(&disputed)]);
    let order = payment.field("order_id");
    client.ok("confirm", &[order.into()]);
    while client.ok("get_status", &[order.into()]).field("status") != "receiptRequired" {
        std::thread::sleep(Duration::from_millis(5));
    }
    let receipt = Open::of(ObjectKind::Receipt, library().ok("receipt", &[order.into()]).handle());
    let large = [b"%PDF-1.4 ".as_slice(), &vec![b'x'; 100_000]].concat();
    receipt
        .ask_with("add_bytes", &["a.pdf".into(), "application/pdf".into(), Arg::Bulk], &large)
        .unwrap_or_else(|error| panic!("{error:?}"));
    let file = std::env::temp_dir().join(format!("merchantpay-calls-{}.pdf", std::process::id()));
    std::fs::write(&file, b"%PDF-1.4 small").unwrap();
    receipt.ok("add_file", &[file.to_str().unwrap().into()]);
    std::fs::remove_file(file).unwrap();
    client.ok("attach_receipt", &[receipt.handle.into()]);
    assert_eq!(client.ok("wait", &[order.into(), "20000".into()]).field("status"), "doneSuccess");
    let wrong = client.ask("attach_receipt", &[client.handle.into()]).unwrap_err();
    assert_eq!(wrong.field("message"), "receipt is the handle of another kind of object");
}

/// The host signs and sends, and the reply comes back as it was received.
fn without_io(sandbox: &Sandbox) {
    let settings = settings(sandbox);
    let protocol =
        open(ObjectKind::Protocol, 0, &["snake".into(), Arg::Absent, pairs(&settings)], None).unwrap();
    let all = [
        ("sum", "1500.50"),
        ("currency", "RUB"),
        ("paymentMethod", "sbp"),
        ("customerAccount", "79001234567"),
        ("statusWebhookUrl", "https://shop.example/status"),
        ("credentialsWebhookUrl", "https://shop.example/credentials"),
        ("payerBank", "bank"),
        ("merchantId", "m-1"),
    ];
    let drifts = [("sumDriftUp", "5"), ("sumDriftDown", "7")];
    let order: Arg = "o-1".into();
    let receipt = Open::of(ObjectKind::Receipt, library().ok("receipt", &["o-1".into()]).handle());
    receipt.ok("add_bytes", &["a.pdf".into(), "application/pdf".into(), b"%PDF-1.4".as_slice().into()]);
    let not_async: Vec<_> =
        all.iter().copied().filter(|(name, _)| *name != "credentialsWebhookUrl").collect();
    let short: Vec<_> = all[..4].iter().copied().chain(drifts).collect();
    for (operation, path, argument, expected) in [
        ("get_available_amounts", "/available", fields(&short), &short),
        ("new_payment", "/new", fields(&not_async), &not_async),
        ("new_payment_async", "/new-async", fields(&all), &all.to_vec()),
        ("confirm", "/confirm", order.clone(), &vec![("orderId", "o-1")]),
        ("cancel", "/cancel", order.clone(), &vec![("orderId", "o-1")]),
        ("get_status", "/status", order, &vec![("orderId", "o-1")]),
        ("attach_receipt", "/receipt/attach", receipt.handle.into(), &Vec::new()),
    ] {
        let made = protocol.ok(&format!("prepare_{operation}"), &[argument]);
        let prepared = Open::of(ObjectKind::Prepared, made.get("request").handle());
        assert!(made.field("url").ends_with(path), "{operation}");
        let body = prepared.ok("prepared_body", &[]).text().to_owned();
        assert_eq!(made.field("body_length"), body.len().to_string());
        for (name, value) in expected {
            let has = |value: &str| body.contains(&format!("\"{name}\":{value}"));
            assert!(has(value) || has(&format!("\"{value}\"")), "{operation}: {name} in {body}");
        }
        let headers = ["X-Signature", "AA==", "x-odd", "\u{fffd}"].map(Arg::from).to_vec();
        let opened = |expected: &str| {
            let headers = Arg::List(headers.clone());
            prepared.ask("open", &["200".into(), headers, body.as_str().into(), expected.into()]).unwrap_err()
        };
        let wrong = opened("another");
        assert_eq!((wrong.field("code"), wrong.field("outcome")), ("invalid_argument", "unknown"));
        assert!(wrong.field("message").ends_with(operation), "{wrong:?}");
        let camel = merchantpay::OPERATIONS.iter().find(|row| path == row.path).unwrap().name;
        let error = opened(camel);
        assert_eq!((error.field("code"), error.field("outcome")), ("unverified", "unknown"), "{operation}");
        assert_eq!(error.field("http_status"), "200");
    }
    webhooks(&settings);
}

fn webhooks(own: &[(String, String)]) {
    let service = Keypair::generate().unwrap();
    let key = service.public_key().to_base64();
    let settings = [own.to_vec(), vec![("server_public_key".to_owned(), key)]].concat();
    let verifier =
        open(ObjectKind::Verifier, 0, &["snake".into(), Arg::Absent, pairs(&settings)], None).unwrap();
    let body = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#.as_slice();
    let signature = service.private_key().sign(body).to_base64();
    let event = verifier.ok("verify", &[body.into(), signature.as_str().into(), Arg::Absent]);
    assert_eq!((event.field("kind"), event.get("payment").field("sum")), ("status", "1500.50"));
    assert_eq!(verifier.ok("explain", &[body.into(), signature.as_str().into()]), crate::host::Got::Absent);
    let error =
        verifier.ask("verify", &[body.into(), b"\xff\xfe".as_slice().into(), "x".into()]).unwrap_err();
    assert_eq!((error.field("code"), error.field("outcome")), ("unverified", "unknown"));
    let why = verifier.ok("explain", &[body.into(), Arg::Absent, Arg::Absent]);
    assert_eq!(why.field("cause"), "missing_signature");
}

fn journal(sandbox: &Sandbox) {
    let folder = std::env::temp_dir().join(format!("merchantpay-calls-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let client = client(&settings(sandbox));
    let place = folder.join("payments.db").display().to_string();
    let of_journal = [
        ("place", place.as_str()),
        ("create", "1"),
        ("callback_url", "http://127.0.0.1:9/callback"),
        ("pay_wait_ms", "0"),
        ("timeout_ms", "15000"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let journal =
        open(ObjectKind::Journal, client.handle, &["camel".into(), Arg::Absent, pairs(&of_journal)], None)
            .unwrap();
    // The journal keeps the client.
    drop(client);
    let key = |attempt: &str| vec!["order".into(), attempt.into()];
    let paid = journal.ok("pay", &["order".into(), fields(&good())]);
    assert_eq!((paid.field("reference"), paid.field("attempt")), ("order", "1"));
    assert_eq!(paid.get("credentials").field("sum"), "1500.50");
    assert!(paid.field("created_at").parse::<i64>().unwrap() > 0);
    assert_eq!(journal.ok("find", &["order".into()]).field("order_id"), paid.field("order_id"));
    assert_eq!(journal.ok("find", &["none".into()]), crate::host::Got::Absent);
    journal.ok("pay_async", &["later".into(), fields(&good())]);
    assert_eq!(journal.ok("list", &["open".into(), "1".into()]).len(), 1);
    let all = journal.ok("list", &[]);
    let first = all.get("0000");
    let position = vec![first.field("created_at"), first.field("reference")];
    assert_eq!(journal.ok("list", &[Arg::Absent, "10".into(), position.into()]).len(), all.len() - 1);

    journal.ok("cancel", &["later".into(), "1".into()]);
    journal.ok("replace", &["later".into(), "1".into(), fields(&good())]);
    let confirmed = journal.ok("confirm", &key("1"));
    assert_eq!(confirmed.field("intent"), "confirm");
    let delivery = sandbox.wait_for_delivery(paid.field("order_id"), "status", PATIENCE).unwrap();
    let taken = journal.ok(
        "receive",
        &[
            delivery.url.as_str().into(),
            delivery.body.as_slice().into(),
            delivery.signature.as_str().into(),
            Arg::Absent,
        ],
    );
    assert_eq!((taken.field("http_status"), taken.get("entry").field("succeeded")), ("200", "1"));
    let forged = journal.ok("receive", &["/x".into(), b"{}".as_slice().into(), "AA==".into()]);
    assert_eq!((forged.field("http_status"), forged.get("error").field("code")), ("400", "unverified"));
    assert_eq!(
        journal.ok("wait", &["order".into(), "final".into(), "20000".into()]).field("standing"),
        "final"
    );

    let news = journal.ok("news", &["100".into()]);
    let read = (0..news.len()).map(|index| news.get(&format!("{index:04}")).clone());
    let read = read.into_iter().find(|entry| entry.field("reference") == "order").unwrap();
    let args = [key("1"), vec![read.field("news").into()]].concat();
    assert_eq!(journal.ok("acknowledge", &args).text(), "1");
    assert_eq!(journal.ok("acknowledge", &args).text(), "0");

    journal.ok("settle", &["10".into()]);
    journal.ok("attention", &["10".into()]);
    assert!(journal.ok("stats", &[]).field("json").contains("standings"));
    for (name, args, message) in [
        ("resolve_order", vec!["o-9".into(), "a note".into(), "10".into()], "order not found"),
        ("resolve_no_payment", vec!["a note".into()], "only an unknown one has no payment"),
        ("resolve_seen", vec![vec!["stuck"].into(), "a note".into()], "does not have this reason"),
        ("resolve_trusted", vec!["a note".into()], "does not come from a backup"),
    ] {
        let error = journal.ask(name, &[key("1"), args].concat()).unwrap_err();
        assert!(error.field("message").contains(message), "{name}: {error:?}");
    }
    let error = journal.ask("resolve_orphan", &["o-9".into(), Arg::Absent, "a note".into()]).unwrap_err();
    assert_eq!(error.field("order_id"), "o-9");

    let derived = Open::of(ObjectKind::Journal, journal.ok("derive", &[]).handle());
    assert!(merchantpay_calls::interrupt(derived.handle));
    assert_eq!(derived.ask("settle", &["10".into()]).unwrap_err().field("code"), "cancelled");
    journal.ok("settle", &["10".into()]);
    drop((derived, journal));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A host whose key the library does not know, with a log.
struct Signing {
    key: PrivateKey,
    lines: Mutex<Vec<String>>,
    fails: bool,
}

impl Host for Signing {
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32> {
        match what {
            Callback::Sign if self.fails => Err(7),
            Callback::Sign => Ok(BASE64_STANDARD.decode(self.key.sign(args).to_base64()).unwrap()),
            Callback::Log => {
                self.lines.lock().unwrap().push(record("attempt", args).field("line").to_owned());
                Err(1)
            }
            Callback::Release => Ok(Vec::new()),
        }
    }
}

#[test]
fn host_signs_and_logs() {
    let sandbox = sandbox();
    let key = sandbox.merchant_private_key().unwrap().clone();
    let mut given: Vec<_> =
        settings(&sandbox).into_iter().filter(|(name, _)| name != "private_key").collect();
    given.push(("public_key".to_owned(), key.public_key().to_base64()));
    for fails in [false, true] {
        let host = Arc::new(Signing { key: key.clone(), lines: Mutex::default(), fails });
        let args = [Style::Go.name().into(), vec!["log", "sign"].into(), pairs(&given)];
        let client = open(ObjectKind::Client, 0, &args, Some(host.clone())).unwrap();
        let result = client.ask("new_payment", &[fields(&good())]);
        match fails {
            false => {
                assert_eq!(result.unwrap().field("sum"), "1500.50");
                let lines = host.lines.lock().unwrap().clone();
                assert!(lines.iter().any(|line| line.starts_with("newPayment")), "{lines:?}");
            }
            true => {
                let error = result.unwrap_err();
                assert_eq!((error.field("code"), error.field("outcome")), ("signer", "not_sent"));
                assert!(error.field("message").contains('7'));
            }
        }
        drop(client);
        assert_eq!(Arc::strong_count(&host), 1, "the host is released");
    }
    let both = [given, vec![("private_key".to_owned(), key.to_base64().to_string())]].concat();
    let host = Arc::new(Signing { key, lines: Mutex::default(), fails: false });
    let args = [Style::Go.name().into(), vec!["sign"].into(), pairs(&both)];
    let error = open(ObjectKind::Client, 0, &args, Some(host)).err().unwrap();
    assert_eq!(error.field("message"), "PrivateKey and a signer exclude each other");
    let without = open(ObjectKind::Client, 0, &args, None).err().unwrap();
    assert!(without.field("message").starts_with("Callbacks are named"), "{without:?}");
    assert!(!frame(&args).is_empty());
}
