//! `webhook verify`, `keygen`, `sandbox` and `demo`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::{program, run, run_with_stdin};
use merchantpay::{Keypair, PrivateKey, PublicKey};

#[test]
fn keygen_prints_a_pair_that_belongs_together() {
    let reply = run(program(&["keygen"])).reply();
    let private = PrivateKey::from_base64(reply["privateKey"].as_str().unwrap()).unwrap();
    let public = PublicKey::from_base64(reply["publicKey"].as_str().unwrap()).unwrap();
    assert_eq!(private.public_key(), public);
    assert_eq!(reply.as_object().unwrap().len(), 2);
}

#[test]
fn a_webhook_is_printed_if_it_verifies_and_refused_if_not() {
    let (service, other) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let status = br#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#.as_slice();
    let failed = br#"{"success":false,"orderId":"o-1"}"#.as_slice();
    let credentials = br#"{"success":true,"orderId":"o-1","payeeAccount":"1","currency":"RUB"}"#.as_slice();
    let pending = br#"{"success":true,"orderId":"o-1","status":"pending"}"#.as_slice();
    let verify = |body: &[u8], signer: &Keypair, key_id: Option<&str>| {
        let signature = signer.private_key().sign(body).to_base64();
        let mut command = program(&["webhook", "verify", "--signature", &signature]);
        command.args(key_id.iter().flat_map(|id| ["--key-id", id]));
        command.env("MERCHANTPAY_SERVER_PUBLIC_KEY", service.public_key().to_base64());
        command.env("MERCHANTPAY_SERVER_KEY_ID", "server-1").env("MERCHANTPAY_KEY_ID", "merchant-1");
        command
    };
    for (body, key_id, kind) in [
        (status, Some("server-1"), "status"),
        (failed, None, "credentials_failed"),
        (credentials, Some("server-1"), "credentials"),
    ] {
        let ran = run_with_stdin(verify(body, &service, key_id), body);
        assert_eq!(
            (ran.reply()["kind"].as_str(), ran.reply()["orderId"].as_str()),
            (Some(kind), Some("o-1"))
        );
    }
    assert!(run_with_stdin(verify(status, &service, None), status).stdout.contains("\"sum\":1500.50"));

    let rewritten = String::from_utf8(status.to_vec()).unwrap().replace(",", ", ").into_bytes();
    for (name, body, signer, key_id, sent, (code, cause)) in [
        ("another key", status, &other, None, status, ("unverified", Some("not_explained"))),
        ("another body", status, &service, None, failed, ("unverified", Some("not_explained"))),
        ("another key id", status, &service, Some("server-2"), status, ("unverified", Some("key_id"))),
        (
            "the merchant's own key id",
            status,
            &service,
            Some("merchant-1"),
            status,
            ("unverified", Some("key_id")),
        ),
        (
            "a body that was written again",
            status,
            &service,
            None,
            &rewritten,
            ("unverified", Some("body_changed")),
        ),
        ("a status that is never sent", pending, &service, None, pending, ("malformed", None)),
    ] {
        let ran = run_with_stdin(verify(body, signer, key_id), sent);
        let error = ran.error();
        assert_eq!(
            (ran.status, error["code"].as_str(), error["cause"].as_str()),
            (5, Some(code), cause),
            "{name}"
        );
    }

    let mut no_key = program(&["webhook", "verify", "--signature", "x"]);
    no_key.env("MERCHANTPAY_SERVER_PUBLIC_KEY", "");
    assert_eq!(run_with_stdin(no_key, status).status, 2);
}

/// Ends the program with the test.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_sandbox_prints_a_configuration_that_works() {
    let mut running = Running(program(&["sandbox", "--port", "0"]).stdout(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let lines: Vec<String> = lines.take_while(|line| !line.contains("Ctrl-C")).collect();
    let mut command = program(&[
        "new",
        "--sum",
        "10",
        "--payment-method",
        "card",
        "--customer-account",
        "2200000000000004",
    ]);
    let settings: Vec<_> =
        lines.iter().filter_map(|line| line.strip_prefix("export ")?.split_once('=')).collect();
    assert_eq!(settings.len(), 7, "{lines:?}");
    command.env("MERCHANTPAY_ENV_FILE", "/of/the/real/service.env").envs(settings);
    assert_eq!(run(command).reply()["success"], true);
}

#[test]
fn the_demo_goes_as_expected() {
    let ran = run(program(&["demo"]));
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("FAIL"), "{}", ran.stdout);
    for part in [
        "doneSuccess",
        "receiptRequired",
        "verified: credentials",
        "HTTP 403",
        "unverified",
        "unknown; sent 1 time",
        "paid exactly, shipped",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn bad_usage_is_an_error_line_and_help_is_not() {
    let wrong = run(program(&["confirm"]));
    assert_eq!((wrong.status, wrong.error()["outcome"].as_str()), (2, Some("not_sent")));
    let help = run(program(&["new", "--help"]));
    assert_eq!(help.status, 0);
    for flag in [
        "--sum",
        "--payment-method",
        "--customer-account",
        "--payer-bank",
        "--merchant-id",
        "--status-webhook-url",
        "--base-url",
    ] {
        assert!(help.stdout.contains(flag), "{flag}");
    }
}

#[test]
fn every_flag_is_explained() {
    for (command, words) in [
        (&["webhook", "listen"][..], &["--count", "--forward-unverified", "Ctrl-C ends it with 0"][..]),
        (
            &["webhook", "send"],
            &["--tamper", "--wrong-key", "--no-signature", "--bom", "--base64url", "Exit status: 0"],
        ),
        (&["sandbox"], &["--server-private-key-file", "--format"]),
        (&["status"], &["--wait", "stderr"]),
    ] {
        let help = run(program(&[command, &["--help"]].concat())).stdout;
        assert!(words.iter().all(|word| help.contains(word)), "{help}");
        let lines: Vec<&str> = help.lines().map(str::trim).collect();
        let flags = lines.iter().enumerate().filter(|(_, line)| line.starts_with("--"));
        for (at, flag) in flags {
            // clap prints the help beside the flag or below it.
            assert!(
                flag.contains("  ") || lines.get(at + 1).is_some_and(|line| !line.is_empty()),
                "{flag} in {help}"
            );
        }
    }
}
