//! `sandbox`: the formats of its settings, and the key that it keeps in a file.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::common::{Folder, program, run};
use merchantpay::{Keypair, PrivateKey};
use serde_json::Value;

/// A running sandbox, which ends with the test.
pub struct Running(Child, Option<BufReader<ChildStdout>>);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a sandbox and reads its lines up to the last line of the settings, which begins with `last`.
pub fn configuration(args: &[&str], last: &str) -> (Running, String) {
    let port: &[&str] = if args.contains(&"--port") { &[] } else { &["--port", "0"] };
    let mut command = program(&[&["sandbox"], port, args].concat());
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap(), None);
    let (mut out, mut text) = (BufReader::new(running.0.stdout.take().unwrap()), String::new());
    loop {
        let start = text.len();
        assert!(out.read_line(&mut text).unwrap() > 0, "{text}");
        if text[start..].starts_with(last) {
            // The sandbox ends if it cannot print what follows.
            running.1 = Some(out);
            return (running, text);
        }
    }
}

#[test]
fn a_key_id_with_every_quote_reaches_the_environment() {
    let folder = Folder::new();
    let merchant = Keypair::generate().unwrap().public_key().to_base64();
    let last = "MERCHANTPAY_SERVER_KEY_ID=sandbox-server";
    let shell = "set -a; . \"$1\"; printf %s \"$MERCHANTPAY_KEY_ID\"";
    for (format, last, file, tool) in [
        ("shell", "# Stop it", "settings.sh", &["sh", "-c", shell, "sh"][..]),
        ("env-file", last, "settings.env", &["sh", "-c", shell, "sh"]),
    ] {
        for key_id in ["plain", "a\"c\\d$e%s?/;#", "a\"b'c\\d$e%s?/`"] {
            let own = ["--format", format, "--key-id", key_id, "--public-key", &merchant];
            let (_running, text) = configuration(&own, last);
            let path = folder.join(file);
            std::fs::write(&path, &text).unwrap();
            let read = match Command::new(tool[0]).args(&tool[1..]).arg(&path).output() {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => panic!("{error}"),
            };
            assert_eq!(String::from_utf8_lossy(&read.stdout), key_id, "{format}: {text}");
        }
    }
}

#[test]
fn json_has_what_a_client_needs_and_the_variables() {
    let (_running, text) = configuration(&["--format", "json"], "{");
    let values: Value = serde_json::from_str(&text).unwrap();
    let value = |name: &str| values[name].as_str().unwrap().to_owned();
    let mut status = program(&["status", "no-such-order"]);
    status.env("MERCHANTPAY_BASE_URL", value("baseUrl")).env("MERCHANTPAY_KEY_ID", value("keyId"));
    status
        .env("MERCHANTPAY_PRIVATE_KEY", value("privateKey"))
        .env("MERCHANTPAY_SERVER_PUBLIC_KEY", value("serverPublicKey"));
    status.env("MERCHANTPAY_SERVER_KEY_ID", value("serverKeyId"));
    assert_eq!(run(status).error()["reason"], "order_not_found");
    let mut status = program(&["status", "no-such-order"]);
    for (variable, value) in values["environment"].as_object().unwrap() {
        status.env(variable, value.as_str().unwrap());
    }
    assert_eq!(run(status).error()["reason"], "order_not_found");
}

#[test]
fn the_services_private_key_is_kept_in_a_file_of_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let path = folder.join("key");
    let args = ["--format", "json", "--server-private-key-file", path.to_str().unwrap()];
    let public_key = || {
        let (_running, text) = configuration(&args, "{");
        serde_json::from_str::<Value>(&text).unwrap()["serverPublicKey"].as_str().unwrap().to_owned()
    };
    let first = public_key();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(PrivateKey::from_base64(kept.trim()).unwrap().public_key().to_base64(), first);
    assert_eq!(public_key(), first, "the same key when it starts again");

    std::fs::write(&path, "no key").unwrap();
    let ran = run(program(&[&["sandbox"][..], &args].concat()));
    assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_key")));
    let nowhere = run(program(&["sandbox", "--server-private-key-file", "/no/such/folder/key"]));
    assert_eq!(nowhere.status, 2);
}

#[test]
fn the_environment_is_what_is_printed_unless_a_format_is_given() {
    for args in [&[][..], &["--format", "shell"], &["--format", "env"]] {
        let (_running, text) = configuration(args, "# Stop it");
        assert_eq!(text.lines().filter(|line| line.starts_with("export MERCHANTPAY_")).count(), 7, "{text}");
    }
}

#[test]
fn a_sandbox_that_runs_shows_its_settings_in_each_format() {
    let (_running, text) = configuration(&["--format", "json"], "{");
    let url = serde_json::from_str::<Value>(&text).unwrap()["baseUrl"].as_str().unwrap().to_owned();
    let settings =
        |args: &[&str]| run(program(&[&["sandbox", "settings", "--sandbox", &url], args].concat()));
    assert!(settings(&[]).stdout.starts_with("# merchantpay sandbox at "));
    assert_eq!(settings(&["--format", "json"]).stdout, text);
    assert_eq!(settings(&["--format", "env"]).stdout, settings(&[]).stdout);
}

#[test]
fn keygen_writes_a_key_file_for_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let path = folder.join("key.json");
    let out = ["keygen", "--out", path.to_str().unwrap()];
    let printed = run(program(&out)).reply();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let pair: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let key = PrivateKey::from_base64(pair["privateKey"].as_str().unwrap()).unwrap();
    assert_eq!(printed["publicKey"], key.public_key().to_base64());
    assert!(!printed.to_string().contains(pair["privateKey"].as_str().unwrap()));
    assert_eq!(run(program(&out)).status, 2, "an existing key stays");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{pair}\n"));
}

#[test]
fn verbose_shows_a_call_and_no_key() {
    let sandbox = merchantpay_sandbox::Sandbox::start(Default::default()).unwrap();
    let ran = run(crate::common::at(&sandbox, &["status", "no-such-order", "--verbose"]));
    let lines: Vec<Value> = ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (request, reply) = (&lines[0]["request"], &lines[0]["reply"]);
    assert_eq!(request["body"], r#"{"orderId":"no-such-order"}"#);
    assert_eq!(request["headers"].as_array().unwrap().len(), 3);
    assert!(reply["httpStatus"] == 404 && reply["body"].as_str().unwrap().starts_with('{'), "{reply}");
    assert_eq!(lines[1]["error"]["reason"], "order_not_found");
    let key = sandbox.merchant_private_key().unwrap().to_base64();
    assert!(!ran.stderr.contains(key.as_str()));
    let shown = crate::common::on_terminal(&crate::common::at(&sandbox, &["status", "x", "--verbose"]));
    assert!(
        shown.starts_with("> POST http://") && shown.contains("\n> {\"orderId\":\"x\"}\n< HTTP 404\n"),
        "{shown}"
    );
}
