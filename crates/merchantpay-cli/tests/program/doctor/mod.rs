//! `doctor` names each fault of keys, settings, callback URL and journal, and reports nothing else.

mod journal_files;
mod leftovers;
mod network;

use std::path::PathBuf;
use std::process::Command;

use crate::common::{at, program, run};
use crate::front::answering;
use crate::journal_shop::{ACCOUNT, Shop};
use merchantpay::Keypair;
use merchantpay_sandbox::{Options, Sandbox};
use serde_json::Value;

/// No server listens at this address.
const NOBODY: &str = "http://127.0.0.1:9";

/// No server listens here either.
const CALLBACK: &str = "http://127.0.0.1:9/callback";

/// One line of `doctor`.
#[derive(Debug)]
pub struct Line {
    pub check: String,
    pub result: String,
    pub message: String,
    pub advice: String,
}

/// The lines that `doctor` prints. Checks that no line contains the private key.
fn examined(mut doctor: Command) -> Vec<Line> {
    doctor.arg("doctor");
    let key = doctor.get_envs().find(|(name, _)| *name == "MERCHANTPAY_PRIVATE_KEY");
    let key = key.and_then(|(_, value)| value).map(|key| key.to_str().unwrap().to_owned());
    let ran = run(doctor);
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
    assert!(key.is_none_or(|key| !ran.stdout.contains(&key)), "{}", ran.stdout);
    let lines: Vec<Line> = ran
        .stdout
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let [check, result] = ["check", "result"].map(text);
            Line { check, result, message: text("message"), advice: text("advice") }
        })
        .collect();
    assert_eq!(ran.status, i32::from(lines.iter().any(|line| line.result == "fault")), "{lines:#?}");
    lines
}

/// Checks that the set-up has exactly this fault, and that the advice says what to do.
fn assert_only_fault(doctor: Command, check: &str, message: &str, advice: &str) {
    let lines = examined(doctor);
    let faults: Vec<&Line> = lines.iter().filter(|line| line.result == "fault").collect();
    assert_eq!(faults.len(), 1, "{lines:#?}");
    assert!(
        faults[0].check == check && faults[0].message.contains(message),
        "{check}: {message}: {lines:#?}"
    );
    assert!(faults[0].advice.contains(advice), "{advice}: {lines:#?}");
}

fn result_of<'a>(lines: &'a [Line], check: &str) -> &'a str {
    let found = lines.iter().find(|line| line.check == check);
    found.map_or("missing", |line| line.result.as_str())
}

fn sandbox() -> Sandbox {
    Sandbox::start(Options::default()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("merchantpay-doctor-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_good_set_up_has_no_fault_and_both_keys_are_proved() {
    let sandbox = sandbox();
    let lines = examined(at(&sandbox, &[]));
    assert!(lines.iter().all(|line| matches!(line.result.as_str(), "ok" | "skipped")), "{lines:#?}");
    for check in ["settings", "keys", "dns", "tcp", "tls", "clock", "service", "versions"] {
        assert_eq!(result_of(&lines, check), "ok", "{lines:#?}");
    }
    assert!(lines.iter().any(|line| line.message.ends_with(" from MERCHANTPAY_BASE_URL")), "{lines:#?}");
    let page = include_str!("../../../../../docs/doctor.md");
    for line in &lines {
        assert!(page.contains(&format!("`{}`", line.check)), "docs/doctor.md has no row for {}", line.check);
    }
    assert_eq!((sandbox.requests("getStatus"), sandbox.requests("newPayment")), (1, 0));
}

#[test]
fn a_setting_that_is_missing_misspelt_or_unusable_is_named() {
    let sandbox = sandbox();
    let mut missing = at(&sandbox, &[]);
    missing.env_remove("MERCHANTPAY_KEY_ID");
    assert_only_fault(missing, "settings", "key_id is missing", "set MERCHANTPAY_KEY_ID");

    let mut misspelt = at(&sandbox, &[]);
    misspelt.env("MERCHANTPAY_TIMEOUT", "1000");
    let message = "nothing reads the variable MERCHANTPAY_TIMEOUT";
    assert_only_fault(misspelt, "settings", message, "did you mean MERCHANTPAY_TIMEOUT_MS?");

    for (name, value, message) in [
        ("MERCHANTPAY_BASE_URL", "https://pay.example/api/v1/merchant/pay", "must end before"),
        ("MERCHANTPAY_BASE_URL", "http://pay.example", "plain http to another machine"),
        ("MERCHANTPAY_TIMEOUT_MS", "soon", "timeout cannot be used"),
        ("MERCHANTPAY_CA_FILE", "/no/such/file.pem", "cannot be read"),
        ("MERCHANTPAY_SERVER_PUBLIC_KEY", "hello", "server_public_key cannot be used"),
    ] {
        let mut doctor = at(&sandbox, &[]);
        doctor.env(name, value);
        assert_only_fault(doctor, "settings", message, &format!("correct {name}"));
    }
    assert_eq!(sandbox.requests("getStatus"), 1, "only the misspelt variable lets the service be asked");
}

#[test]
fn keys_that_do_not_belong_together_are_named() {
    let sandbox = sandbox();
    let (one, other) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    // Combines the private key of one pair with the public key of another.
    let halves = {
        use base64::Engine as _;
        let engine = base64::engine::general_purpose::STANDARD;
        let seed = engine.decode(one.private_key().to_base64().as_str()).unwrap();
        let public = engine.decode(other.public_key().to_base64()).unwrap();
        engine.encode([&seed[..32], &public].concat())
    };
    let mut doctor = at(&sandbox, &[]);
    doctor.env("MERCHANTPAY_PRIVATE_KEY", halves);
    assert_only_fault(doctor, "settings", "halves do not belong together", "correct MERCHANTPAY_PRIVATE_KEY");

    for (name, message) in [
        ("MERCHANTPAY_PUBLIC_KEY", "public_key does not belong to private_key"),
        ("MERCHANTPAY_SERVER_PUBLIC_KEY", "server_public_key is your own public key"),
    ] {
        let own = sandbox.merchant_private_key().unwrap().public_key();
        let key = if name.contains("SERVER") { own } else { other.public_key() };
        let mut doctor = at(&sandbox, &[]);
        doctor.env(name, key.to_base64());
        let lines = examined(doctor);
        let is_named =
            |line: &Line| line.check == "keys" && line.result == "fault" && line.message.contains(message);
        assert!(lines.iter().any(is_named), "{lines:#?}");
        assert_ne!(result_of(&lines, "service"), "ok", "{lines:#?}");
    }
}

#[test]
fn doctor_distinguishes_an_unknown_merchant_key_from_a_wrong_service_key() {
    let sandbox = sandbox();
    let other = Keypair::generate().unwrap();
    for (name, value) in [
        ("MERCHANTPAY_PRIVATE_KEY", other.private_key().to_base64().to_string()),
        ("MERCHANTPAY_KEY_ID", "somebody-else".to_owned()),
    ] {
        let mut doctor = at(&sandbox, &[]);
        doctor.env(name, value);
        assert_only_fault(doctor, "service", "does not accept your key", "MERCHANTPAY_KEY_ID");
    }
    for (name, value) in [
        ("MERCHANTPAY_SERVER_PUBLIC_KEY", other.public_key().to_base64()),
        ("MERCHANTPAY_SERVER_KEY_ID", "another-service".to_owned()),
    ] {
        let mut doctor = at(&sandbox, &[]);
        doctor.env(name, value);
        assert_only_fault(
            doctor,
            "service",
            "nothing proves that the reply is from the service",
            "over a second channel",
        );
    }
    let mut elsewhere = at(&sandbox, &[]);
    elsewhere.env("MERCHANTPAY_BASE_URL", format!("{}/v2", sandbox.url()));
    assert_only_fault(elsewhere, "service", "", "MERCHANTPAY_BASE_URL");
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_named_with_its_cure() {
    use std::os::unix::fs::PermissionsExt as _;

    let (sandbox, folder) = (sandbox(), folder("mode"));
    let path = folder.join("key");
    std::fs::write(&path, sandbox.merchant_private_key().unwrap().to_base64().as_str()).unwrap();
    let doctor = || {
        let mut doctor = at(&sandbox, &[]);
        doctor.env_remove("MERCHANTPAY_PRIVATE_KEY").env("MERCHANTPAY_PRIVATE_KEY_FILE", &path);
        doctor
    };
    for (mode, result) in [(0o600, "ok"), (0o400, "ok"), (0o640, "warning")] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(result_of(&examined(doctor()), "files"), result, "{mode:o}");
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_only_fault(
        doctor(),
        "files",
        "every user of this machine",
        &format!("chmod 600 {}", path.display()),
    );
    std::fs::remove_file(&path).unwrap();
    assert_only_fault(doctor(), "settings", "cannot be read", path.to_str().unwrap());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_receiver_has_to_be_there_and_to_refuse_a_message_without_a_signature() {
    let sandbox = sandbox();
    let refusing = answering("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    let with = |url: &str| {
        let mut doctor = at(&sandbox, &[]);
        doctor.env("MERCHANTPAY_CALLBACK_URL", url);
        doctor
    };
    let lines = examined(with(&format!("http://{refusing}/hook")));
    assert_eq!(result_of(&lines, "callback"), "ok", "{lines:#?}");
    for (reply, message) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "accepts a message without a signature"),
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", "fails when a message has no signature"),
        ("HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "redirects"),
        ("SSH-2.0-x\r\n\r\n", "does not answer"),
    ] {
        assert_only_fault(with(&format!("http://{}/hook", answering(reply))), "callback", message, "");
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
fn a_journal_that_is_missing_or_not_settled_is_named() {
    let shop = Shop::new();
    let doctor = |file: PathBuf| {
        let mut doctor = at(&shop.sandbox, &[]);
        doctor.env("MERCHANTPAY_JOURNAL", file);
        doctor
    };
    assert_only_fault(
        doctor(shop.file().with_file_name("none.db")),
        "journal",
        "only for a new shop: `merchantpay journal init",
        "do what this line says",
    );

    shop.paid_for("order-1", ACCOUNT);
    let lines = examined(doctor(shop.file()));
    assert_eq!([result_of(&lines, "journal"), result_of(&lines, "settle")], ["ok", "ok"], "{lines:#?}");

    let hour_ago = "UPDATE merchantpay_attempts SET due_at = due_at - 3600000";
    rusqlite::Connection::open(shop.file()).unwrap().execute(hour_ago, []).unwrap();
    assert_only_fault(
        doctor(shop.file()),
        "settle",
        "does not run, or does not succeed",
        "merchantpay journal settle --every 10s",
    );
}

#[cfg(unix)]
#[test]
fn a_library_of_another_release_than_its_header_is_named() {
    let (sandbox, prefix) = (sandbox(), folder("prefix"));
    for part in ["bin", "include", "lib"] {
        std::fs::create_dir_all(prefix.join(part)).unwrap();
    }
    let installed = prefix.join("bin/merchantpay");
    std::fs::copy(env!("CARGO_BIN_EXE_merchantpay"), &installed).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let header = |version: &str| {
        let text = format!("#define MPAY_HEADER_VERSION \"{version}\"\n");
        std::fs::write(prefix.join("include/merchantpay.h"), text).unwrap();
    };
    std::fs::write(prefix.join(format!("lib/libmerchantpay.so.{version}")), "").unwrap();
    std::os::unix::fs::symlink(format!("libmerchantpay.so.{version}"), prefix.join("lib/libmerchantpay.so"))
        .unwrap();
    let doctor = || {
        let settings = at(&sandbox, &[]);
        let mut doctor = Command::new(&installed);
        doctor.envs(settings.get_envs().filter_map(|(name, value)| Some((name, value?))));
        doctor
    };
    let of_prefix = |lines: &[Line]| -> Vec<String> {
        let is_here = |line: &&Line| line.message.starts_with(prefix.to_str().unwrap());
        lines.iter().filter(is_here).map(|line| line.result.clone()).collect()
    };
    header(version);
    assert_eq!(of_prefix(&examined(doctor())), ["ok", "ok"]);
    header("0.1.0");
    assert_only_fault(doctor(), "versions", "its header is 0.1.0", "of one release");
    std::fs::remove_dir_all(prefix).unwrap();
}

#[test]
fn without_any_setting_the_four_that_are_needed_are_named() {
    let lines = examined(program(&[]));
    let faults = lines.iter().filter(|line| line.result == "fault");
    let named: Vec<&str> = faults.filter_map(|line| line.message.strip_suffix(" is missing")).collect();
    assert_eq!(named, ["base_url", "key_id", "private_key", "server_public_key"]);
}
