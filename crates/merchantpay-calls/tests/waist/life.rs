//! Every call, made once with every argument over a sandbox: each reply is what the tables say, and no handle is
//! left open. tests/contract has what the values are.

use std::time::Duration;

use merchantpay::{Keypair, OPERATIONS};
use merchantpay_calls::{ObjectKind, calls, open_handles};
use merchantpay_sandbox::{Options, Sandbox};

use crate::host::{Arg, Got, MADE, Open, client, fields, library, open, pairs, settings};

const PATIENCE: Duration = Duration::from_secs(20);

fn request(account: &str) -> Arg {
    fields(&[
        ("sum", "1500.50"),
        ("paymentMethod", "sbp"),
        ("customerAccount", account),
        ("merchantId", "m-1"),
    ])
}

fn good() -> Arg {
    request("79001234567")
}

/// What a list of amounts needs.
fn range() -> Arg {
    fields(&[("sum", "1500.50"), ("paymentMethod", "sbp")])
}

/// What a payment needs whose credentials come by webhook.
fn by_webhook() -> Arg {
    fields(&[
        ("sum", "1500.50"),
        ("paymentMethod", "sbp"),
        ("customerAccount", "1"),
        ("credentialsWebhookUrl", &url("credentials")),
    ])
}

fn url(name: &str) -> String {
    format!("http://127.0.0.1:9/{name}")
}

#[test]
fn every_call_replies_as_the_tables_say() {
    let before = open_handles();
    {
        let options = Options { pace: Duration::ZERO, webhook_retries: Vec::new(), ..Options::default() };
        let sandbox = Sandbox::start(options).unwrap();
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
    library.ok("keypair", &[]);
    library.ok("to_balance", &["100", "3", "USDT", "4", "down"].map(Arg::from));
    library.ok("paid", &["1".into(), "1.0".into()]);
    library.ok("environment", &[vec!["MERCHANTPAY_TIMEOUT_MS", "1500", "HOME", "/"].into()]);
    assert_eq!(library.ok("settings", &["client".into()]).len(), merchantpay::SETTINGS.len());
    library.ok("acknowledge_sql", &["order", "2", "7", "dollar"].map(Arg::from));
}

fn operations(sandbox: &Sandbox) {
    let client = client(&settings(sandbox));
    client.ok("connect", &[]);
    client.ok("get_available_amounts", &[range()]);
    let payment = client.ok("new_payment", &[good()]);
    let order = || Arg::from(payment.field("order_id"));
    client.ok("get_status", &[order()]);
    client.ok("confirm", &[order()]);
    client.ok("wait", &[order(), "20000".into()]);
    client.ok("new_payment_async", &[by_webhook()]);
    let unwanted = client.ok("new_payment", &[good()]);
    client.ok("cancel", &[unwanted.field("order_id").into()]);

    let derived = Open::of(ObjectKind::Client, client.ok("derive", &["1500".into()]).handle());
    assert!(merchantpay_calls::interrupt(derived.handle));
    assert_eq!(derived.ask("get_status", &[order()]).unwrap_err().field("code"), "cancelled");
    client.ok("get_status", &[order()]);
    receipts(&client);
}

fn receipts(client: &Open) {
    let payment = client.ok("new_payment", &[request("arbitration")]);
    let order = || Arg::from(payment.field("order_id"));
    client.ok("confirm", &[order()]);
    while client.ok("get_status", &[order()]).field("status") != "receiptRequired" {
        std::thread::sleep(Duration::from_millis(5));
    }
    let receipt = Open::of(ObjectKind::Receipt, library().ok("receipt", &[order()]).handle());
    let large = [b"%PDF-1.4 ".as_slice(), &vec![b'x'; 100_000]].concat();
    receipt.ask_with("add_bytes", &["a.pdf".into(), "application/pdf".into(), Arg::Bulk], &large).unwrap();
    let file = std::env::temp_dir().join(format!("merchantpay-calls-{}.pdf", std::process::id()));
    std::fs::write(&file, b"%PDF-1.4 small").unwrap();
    receipt.ok("add_file", &[file.to_str().unwrap().into()]);
    std::fs::remove_file(file).unwrap();
    client.ok("attach_receipt", &[receipt.handle.into()]);
    let wrong = client.ask("attach_receipt", &[client.handle.into()]).unwrap_err();
    assert_eq!(wrong.field("message"), "receipt is the handle of another kind of object");
}

fn without_io(sandbox: &Sandbox) {
    let own = settings(sandbox);
    let protocol = open(ObjectKind::Protocol, 0, &["snake".into(), Arg::Absent, pairs(&own)], None).unwrap();
    let receipt = Open::of(ObjectKind::Receipt, library().ok("receipt", &["o-1".into()]).handle());
    receipt.ok("add_bytes", &["a.pdf".into(), "application/pdf".into(), b"%PDF-1.4".as_slice().into()]);
    for (operation, argument) in [
        ("get_available_amounts", range()),
        ("new_payment", good()),
        ("new_payment_async", by_webhook()),
        ("confirm", "o-1".into()),
        ("cancel", "o-1".into()),
        ("get_status", "o-1".into()),
        ("attach_receipt", receipt.handle.into()),
    ] {
        let made = protocol.ok(&format!("prepare_{operation}"), &[argument]);
        let prepared = Open::of(ObjectKind::Prepared, made.get("request").handle());
        let body = prepared.ok("prepared_body", &[]);
        assert_eq!(made.field("body_length"), body.text().len().to_string());
        let open = |expected: &str| {
            let headers = vec!["X-Signature", "AA==", "x-odd", "\u{fffd}"];
            let reply = ["200".into(), headers.into(), body.text().into(), expected.into()];
            prepared.ask("open", &reply).unwrap_err().field("code").to_owned()
        };
        let is_its = |row: &&merchantpay::OperationInfo| made.field("url").ends_with(row.path);
        let name = OPERATIONS.iter().find(is_its).unwrap().name;
        assert_eq!((open(name), open("another")), ("unverified".to_owned(), "invalid_argument".to_owned()));
    }

    let service = Keypair::generate().unwrap();
    let trusted = [own, vec![("server_public_key".to_owned(), service.public_key().to_base64())]].concat();
    let settings = ["snake".into(), Arg::Absent, pairs(&trusted)];
    let verifier = open(ObjectKind::Verifier, 0, &settings, None).unwrap();
    let body = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#.as_slice();
    let signature = service.private_key().sign(body).to_base64();
    verifier.ok("verify", &[body.into(), signature.as_str().into(), Arg::Absent]);
    assert_eq!(verifier.ok("explain", &[body.into(), signature.as_str().into()]), Got::Absent);
    let cause = verifier.ok("explain", &[body.into(), Arg::Absent, Arg::Absent]);
    assert_eq!(cause.field("cause"), "missing_signature");
}

fn journal(sandbox: &Sandbox) {
    let folder = std::env::temp_dir().join(format!("merchantpay-calls-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let client = client(&settings(sandbox));
    let (place, callback) = (folder.join("payments.db").display().to_string(), url("callback"));
    let of_journal = [
        ("place", place.as_str()),
        ("create", "1"),
        ("callback_url", &callback),
        ("pay_wait_ms", "0"),
        ("timeout_ms", "15000"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = ["camel".into(), Arg::Absent, pairs(&of_journal)];
    let journal = open(ObjectKind::Journal, client.handle, &settings, None).unwrap();
    // The journal keeps the client.
    drop(client);
    let attempt = || vec![Arg::from("order"), "1".into()];
    let paid = journal.ok("pay", &["order".into(), good()]);
    journal.ok("find", &["order".into()]);
    assert_eq!(journal.ok("find", &["none".into()]), Got::Absent);
    journal.ok("pay_async", &["later".into(), good()]);
    assert_eq!(journal.ok("list", &["open".into(), "1".into()]).len(), 1);
    let position = vec![paid.field("created_at"), "order"];
    journal.ok("list", &[Arg::Absent, "10".into(), position.into()]);
    journal.ok("cancel", &["later".into(), "1".into()]);
    journal.ok("replace", &["later".into(), "1".into(), good()]);
    journal.ok("confirm", &attempt());
    let delivery = sandbox.wait_for_delivery(paid.field("order_id"), "status", PATIENCE).unwrap();
    let (url, body) = (Arg::from(delivery.url.as_str()), Arg::from(delivery.body.as_slice()));
    journal.ok("receive", &[url, body, delivery.signature.as_str().into(), Arg::Absent]);
    let forged = journal.ok("receive", &["/x".into(), b"{}".as_slice().into(), "AA==".into()]);
    assert_eq!((forged.field("http_status"), forged.get("error").field("code")), ("400", "unverified"));
    let ended = journal.ok("wait", &["order".into(), "final".into(), "20000".into()]);
    journal.ok("news", &["100".into()]);
    let seen = [attempt(), vec![ended.field("news").into()]].concat();
    assert_eq!(journal.ok("acknowledge", &seen).text(), "1");
    assert_eq!(journal.ok("acknowledge", &seen).text(), "0");
    journal.ok("settle", &["10".into()]);
    journal.ok("attention", &["10".into()]);
    journal.ok("stats", &[]);
    for (name, decision) in [
        ("resolve_order", vec!["o-9".into(), "a note".into(), "10".into()]),
        ("resolve_no_payment", vec!["a note".into()]),
        ("resolve_seen", vec![vec!["stuck"].into(), "a note".into()]),
        ("resolve_trusted", vec!["a note".into()]),
    ] {
        journal.ask(name, &[attempt(), decision].concat()).unwrap_err();
    }
    journal.ask("resolve_orphan", &["o-9".into(), Arg::Absent, "a note".into()]).unwrap_err();

    let derived = Open::of(ObjectKind::Journal, journal.ok("derive", &[]).handle());
    assert!(merchantpay_calls::interrupt(derived.handle));
    assert_eq!(derived.ask("settle", &["10".into()]).unwrap_err().field("code"), "cancelled");
    journal.ok("settle", &["10".into()]);
    drop((derived, journal));
    std::fs::remove_dir_all(folder).unwrap();
}
