//! `doctor` names each fault of a set-up in one sentence with the next step, and nothing else.

mod contract;
mod journal;
mod network;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use merchantpay::Keypair;
use merchantpay_services::answering;

use crate::*;

const NOBODY: &str = "http://127.0.0.1:9";

const CALLBACK: &str = "http://127.0.0.1:9/callback";

#[derive(Debug, serde::Deserialize)]
struct Line {
    check: String,
    result: String,
    message: String,
    advice: Option<String>,
}

impl Line {
    fn advises(&self, text: &str) -> bool {
        self.advice.as_deref().unwrap_or_default().contains(text)
    }
}

fn lines(ran: &Ran) -> Vec<Line> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Also expects that no line has the private key.
fn examined(mut doctor: Command) -> Vec<Line> {
    doctor.arg("doctor");
    let key = doctor.get_envs().find(|(name, _)| *name == "MERCHANTPAY_PRIVATE_KEY");
    let key = key.and_then(|(_, value)| value).map(|key| key.to_str().unwrap().to_owned());
    let ran = run(doctor);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    assert!(key.is_none_or(|key| !ran.stdout.contains(&key)), "{}", ran.stdout);
    let lines = lines(&ran);
    assert_eq!(ran.status, i32::from(lines.iter().any(|line| line.result == "fault")), "{lines:#?}");
    lines
}

#[track_caller]
fn assert_only_fault(doctor: Command, check: &str, message: &str, next: &str) {
    let lines = examined(doctor);
    let faults: Vec<&Line> = lines.iter().filter(|line| line.result == "fault").collect();
    assert_eq!(faults.len(), 1, "{lines:#?}");
    assert!(
        faults[0].check == check && faults[0].message.contains(message),
        "{check}: {message}: {lines:#?}"
    );
    assert!(faults[0].advises(next), "{next}: {lines:#?}");
}

fn result_of<'a>(lines: &'a [Line], check: &str) -> &'a str {
    let found = lines.iter().find(|line| line.check == check);
    found.map_or("missing", |line| line.result.as_str())
}

/// `doctor` where one variable has another value, or none.
fn with(sandbox: &Sandbox, name: &str, value: &str) -> Command {
    let mut doctor = at(sandbox, &[]);
    match value {
        "" => doctor.env_remove(format!("MERCHANTPAY_{name}")),
        value => doctor.env(format!("MERCHANTPAY_{name}"), value),
    };
    doctor
}

#[test]
fn good_setup_has_no_fault() {
    let sandbox = sandbox();
    let lines = examined(at(&sandbox, &[]));
    assert!(lines.iter().all(|line| matches!(line.result.as_str(), "ok" | "skipped")), "{lines:#?}");
    for check in ["settings", "keys", "dns", "tcp", "tls", "clock", "service", "versions"] {
        assert_eq!(result_of(&lines, check), "ok", "{lines:#?}");
    }
    assert!(lines.iter().any(|line| line.message.ends_with(" from MERCHANTPAY_BASE_URL")), "{lines:#?}");
    let page = include_str!("../../../../../docs/program.md");
    for line in &lines {
        assert!(page.contains(&format!("`{}`", line.check)), "docs/program.md has no row for {}", line.check);
    }
    assert_eq!((sandbox.requests("getStatus"), sandbox.requests("newPayment")), (1, 0));
}

/// The private half of one pair with the public half of another.
fn mixed_pair(one: &Keypair, other: &Keypair) -> String {
    let seed = STANDARD.decode(one.private_key().to_base64().as_str()).unwrap();
    let public = STANDARD.decode(other.public_key().to_base64()).unwrap();
    STANDARD.encode([&seed[..32], &public].concat())
}

#[test]
fn mistake_gets_next_step() {
    let sandbox = sandbox();
    let (one, other) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let halves = mixed_pair(&one, &other);
    let (stranger, public) = (other.private_key().to_base64(), other.public_key().to_base64());
    let elsewhere = format!("{}/v2", sandbox.url());
    let (key, unproved) = ("does not accept your key", "nothing proves that the reply is from the service");
    for (name, value, message) in [
        ("BASE_URL", "https://pay.example/api/v1/merchant/pay", "must end before"),
        ("BASE_URL", "http://pay.example", "plain http to another machine"),
        ("TIMEOUT_MS", "soon", "timeout cannot be used"),
        ("CA_FILE", "/no/such/file.pem", "cannot be read"),
        ("SERVER_PUBLIC_KEY", "hello", "server_public_key cannot be used"),
        ("PRIVATE_KEY", &halves, "halves do not belong together"),
    ] {
        let next = format!("correct MERCHANTPAY_{name}");
        assert_only_fault(with(&sandbox, name, value), "settings", message, &next);
    }
    let nothing = "nothing reads the variable MERCHANTPAY_TIMEOUT";
    for (name, value, check, message, next) in [
        ("KEY_ID", "", "settings", "key_id is missing", "set MERCHANTPAY_KEY_ID"),
        ("TIMEOUT", "1000", "settings", nothing, "MERCHANTPAY_TIMEOUT_MS?"),
        ("BASE_URL", &elsewhere, "service", "", "MERCHANTPAY_BASE_URL"),
        ("PRIVATE_KEY", &stranger, "service", key, "MERCHANTPAY_KEY_ID"),
        ("KEY_ID", "somebody-else", "service", key, "MERCHANTPAY_KEY_ID"),
        ("SERVER_PUBLIC_KEY", &public, "service", unproved, "over a second channel"),
        ("SERVER_KEY_ID", "another-service", "service", unproved, "over a second channel"),
    ] {
        assert_only_fault(with(&sandbox, name, value), check, message, next);
    }
    assert_eq!(sandbox.requests("newPayment"), 0);

    let own = sandbox.merchant_private_key().unwrap().public_key().to_base64();
    for (name, value, message) in [
        ("PUBLIC_KEY", &public, "public_key does not belong to private_key"),
        ("SERVER_PUBLIC_KEY", &own, "server_public_key is your own public key"),
    ] {
        let lines = examined(with(&sandbox, name, value));
        let is_named =
            |line: &Line| line.check == "keys" && line.result == "fault" && line.message.contains(message);
        assert!(lines.iter().any(is_named), "{lines:#?}");
        assert_ne!(result_of(&lines, "service"), "ok", "{lines:#?}");
    }

    let lines = examined(program(&[]));
    let faults = lines.iter().filter(|line| line.result == "fault");
    let named: Vec<&str> = faults.filter_map(|line| line.message.strip_suffix(" is missing")).collect();
    assert_eq!(named, ["base_url", "key_id", "private_key", "server_public_key"]);
}

#[cfg(unix)]
#[test]
fn readable_key_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let (sandbox, folder) = (sandbox(), Folder::new());
    let path = folder.join("key");
    std::fs::write(&path, sandbox.merchant_private_key().unwrap().to_base64().as_str()).unwrap();
    let doctor = || {
        let mut doctor = with(&sandbox, "PRIVATE_KEY_FILE", path.to_str().unwrap());
        doctor.env_remove("MERCHANTPAY_PRIVATE_KEY");
        doctor
    };
    for (mode, result) in [(0o600, "ok"), (0o400, "ok"), (0o640, "warning")] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(result_of(&examined(doctor()), "files"), result, "{mode:o}");
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let cure = format!("chmod 600 {}", path.display());
    assert_only_fault(doctor(), "files", "every user of this machine", &cure);
    std::fs::remove_file(&path).unwrap();
    assert_only_fault(doctor(), "settings", "cannot be read", path.to_str().unwrap());
}

#[test]
fn receiver_must_refuse_unsigned() {
    let sandbox = sandbox();
    let with = |url: &str| with(&sandbox, "CALLBACK_URL", url);
    for (reply, message) in [
        ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "accepts a message without a signature"),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", "fails when a message has no signature"),
        ("HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "redirects"),
        ("SSH-2.0-x\r\n\r\n", "does not answer"),
    ] {
        let doctor = with(&format!("http://{}/hook", answering(reply)));
        match message {
            "" => assert_eq!(result_of(&examined(doctor), "callback"), "ok"),
            message => assert_only_fault(doctor, "callback", message, ""),
        }
    }
    assert_only_fault(with(&format!("{NOBODY}/hook")), "callback", "cannot be reached", "start the receiver");
    for url in ["shop.example/hook", "https://user:secret@shop.example/hook", "https://shop.example/hook?a=b"]
    {
        let lines = examined(with(url));
        assert_eq!(result_of(&lines, "callback"), "fault", "{url}: {lines:#?}");
        assert!(lines.iter().all(|line| !line.message.contains("secret")), "{lines:#?}");
    }
}

#[test]
fn unsettled_journal_is_named() {
    let shop = Shop::new();
    let doctor = || with(&shop.sandbox, "JOURNAL", shop.file().to_str().unwrap());
    shop.paid_for("order-1", ACCOUNT);
    let lines = examined(doctor());
    assert_eq!([result_of(&lines, "journal"), result_of(&lines, "settle")], ["ok", "ok"], "{lines:#?}");
    shop.sql("UPDATE merchantpay_attempts SET due_at = due_at - 3600000");
    let next = "merchantpay journal settle --every 10s";
    assert_only_fault(doctor(), "settle", "does not run, or does not succeed", next);
}

#[cfg(unix)]
#[test]
fn library_of_other_release_is_named() {
    let (sandbox, prefix) = (sandbox(), Folder::new());
    for part in ["bin", "include", "lib"] {
        std::fs::create_dir_all(prefix.join(part)).unwrap();
    }
    let installed = prefix.join("bin/merchantpay");
    std::fs::copy(env!("CARGO_BIN_EXE_merchantpay"), &installed).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    std::fs::write(prefix.join(format!("lib/libmerchantpay.so.{version}")), "").unwrap();
    std::os::unix::fs::symlink(format!("libmerchantpay.so.{version}"), prefix.join("lib/libmerchantpay.so"))
        .unwrap();
    for (header, results) in [(version, ["ok", "ok"]), ("0.1.0", ["warning", "fault"])] {
        let text = format!("#define MPAY_HEADER_VERSION \"{header}\"\n");
        std::fs::write(prefix.join("include/merchantpay.h"), text).unwrap();
        let mut doctor = Command::new(&installed);
        doctor.envs(at(&sandbox, &[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        let lines = examined(doctor);
        let is_here = |line: &&Line| line.message.starts_with(prefix.to_str().unwrap());
        let found: Vec<&str> = lines.iter().filter(is_here).map(|line| line.result.as_str()).collect();
        assert_eq!(found, results, "{lines:#?}");
    }
}
