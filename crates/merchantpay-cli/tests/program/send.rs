//! `webhook send`: a correct webhook is accepted, and a damaged one is refused.

use crate::common::{Ran, program, run, run_with_stdin};
use crate::listening::Listening;
use merchantpay::Keypair;

/// A key file of the sandbox, which is removed with the test.
struct KeyFile(std::path::PathBuf);

impl KeyFile {
    fn of(name: &str, key: &Keypair) -> KeyFile {
        let path = std::env::temp_dir().join(format!("merchantpay-{name}-{}", std::process::id()));
        std::fs::write(&path, key.private_key().to_base64().as_bytes()).unwrap();
        KeyFile(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn every_kind_that_is_sent_arrives_and_every_damage_is_found() {
    let service = Keypair::generate().unwrap();
    let key = KeyFile::of("send", &service);
    let mut listening = Listening::start(&service, &[]);
    let url = listening.url.clone();
    let send = |args: &[&str]| {
        run(program(&[&["webhook", "send", "--url", &url, "--private-key-file", key.path()], args].concat()))
    };
    for (args, kind, order_id) in [
        (&["credentials"][..], "credentials", "order-1"),
        (&["credentials", "--order-id", "o-2", "--payee-name", "Фёдор"], "credentials", "o-2"),
        (&["credentials-failed"], "credentials_failed", "order-1"),
        (
            &["status", "--status", "receiptRequired", "--sum", "10.00", "--deal-rate", "92.5"],
            "status",
            "order-1",
        ),
    ] {
        let reply = send(args).reply();
        assert!(reply["httpStatus"] == 200 && reply["durationMs"].is_u64(), "{args:?}: {reply}");
        let event = listening.event();
        assert_eq!(
            (event["kind"].as_str(), event["orderId"].as_str()),
            (Some(kind), Some(order_id)),
            "{args:?}"
        );
    }
    let body = ["webhook", "send", "--url", &url, "--private-key-file", key.path(), "--body", "-"];
    assert_eq!(
        run_with_stdin(program(&body), br#"{"success":false,"orderId":"o-1"}"#).reply()["httpStatus"],
        200
    );
    assert_eq!(listening.event()["orderId"], "o-1");

    for (damage, cause) in [
        ("--tamper", "not_explained"),
        ("--wrong-key", "not_explained"),
        ("--no-signature", "missing_signature"),
        ("--bom", "body_changed"),
        ("--base64url", "signature_encoding"),
    ] {
        let ran = send(&["status", damage]);
        let found = listening.error()["cause"].as_str().unwrap().to_owned();
        assert_eq!(found, cause, "{damage}");
        assert_eq!((ran.status, ran.stdout.contains("\"httpStatus\":400,")), (1, true), "{damage}");
    }
}

#[test]
fn a_webhook_that_cannot_be_sent_says_so() {
    let service = Keypair::generate().unwrap();
    let key = KeyFile::of("unsent", &service);
    let gone = "http://127.0.0.1:1".to_owned();
    let ran: fn(&[&str]) -> Ran = |args| run(program(&[&["webhook", "send"], args].concat()));
    for (args, status) in [
        (&["--url", &gone, "--private-key-file", key.path(), "status"][..], 3),
        (&["--url", "ftp://x", "--private-key-file", key.path(), "status"], 2),
        (&["--url", &gone, "--private-key-file", "/no/such/file", "status"], 2),
        (&["--url", &gone, "--private-key-file", key.path(), "--body", "/no/such/file"], 2),
        (&["--url", &gone, "--private-key-file", key.path(), "--body", "-", "--sum", "1"], 2),
        (&["--url", &gone, "--private-key-file", key.path(), "status", "--sum", "1e99"], 2),
        (&["--url", &gone, "--private-key-file", key.path(), "status", "--currency", "RUB"], 2),
        (&["--url", &gone, "--private-key-file", key.path(), "paid"], 2),
        (&["--url", &gone, "--private-key-file", key.path()], 2),
        (&["--url", &gone, "status"], 2),
    ] {
        let ran = ran(args);
        assert_eq!((ran.status, ran.error()["outcome"].as_str()), (status, Some("not_sent")), "{args:?}");
    }
}
