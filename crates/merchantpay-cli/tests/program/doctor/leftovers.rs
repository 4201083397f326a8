//! Quotes and line ends that an environment file leaves in a setting: every command refuses them before it
//! sends anything, and `doctor` names them in the same words.

use super::{CALLBACK, examined, folder};
use crate::common::{at, run};
use crate::journal_shop::Shop;

const CR: &str = "ends with CR: the file has Windows line ends";
const QUOTES: &str = "is wrapped in quotes; remove them";

/// The settings of a set-up that works.
fn settings(shop: &Shop) -> Vec<(&'static str, String)> {
    vec![
        ("BASE_URL", shop.sandbox.url().to_owned()),
        ("KEY_ID", shop.sandbox.merchant_key_id().to_owned()),
        ("PRIVATE_KEY", shop.sandbox.merchant_private_key().unwrap().to_base64().to_string()),
        ("SERVER_PUBLIC_KEY", shop.sandbox.server_public_key().to_base64()),
        ("SERVER_KEY_ID", shop.sandbox.server_key_id().to_owned()),
        ("CALLBACK_URL", CALLBACK.to_owned()),
        ("JOURNAL", shop.file().to_str().unwrap().to_owned()),
        ("USER_AGENT", "shop/1".to_owned()),
        ("PROXY", "http://127.0.0.1:9".to_owned()),
        ("CA_FILE", "/etc/ssl/certs/ca-certificates.crt".to_owned()),
        ("PRIVATE_KEY_FILE", "/etc/key".to_owned()),
        ("TIMEOUT_MS", "30000".to_owned()),
        ("ALLOW_HTTP", "1".to_owned()),
        ("PIN_SPKI", "sha256/ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=".to_owned()),
        ("PAY_WAIT_MS", "5000".to_owned()),
        ("DURABILITY_VOUCHED", "fsync".to_owned()),
    ]
}

/// Sets one variable in a set-up that otherwise works, and expects the same refusal from `journal list` and
/// from `doctor`.
fn assert_refused(shop: &Shop, variable: &str, value: &str, fault: &str) {
    let command = |args: &[&str]| {
        let mut command = at(&shop.sandbox, args);
        command.env("MERCHANTPAY_JOURNAL", shop.file()).env("MERCHANTPAY_CALLBACK_URL", CALLBACK);
        if variable == "PRIVATE_KEY_FILE" {
            command.env_remove("MERCHANTPAY_PRIVATE_KEY");
        }
        command.env(format!("MERCHANTPAY_{variable}"), value);
        command
    };
    let ran = run(command(&["journal", "list"]));
    assert_eq!(ran.status, 2, "{variable}={value:?}: {}", ran.stderr);
    let message = ran.error()["message"].as_str().unwrap().to_owned();
    assert!(message.ends_with(fault), "{variable}={value:?}: {message}");
    let name = variable.to_lowercase();
    assert!(message.starts_with(&name), "{variable}={value:?}: {message}");
    let lines = examined(command(&[]));
    let named = |line: &&super::Line| line.result == "fault" && line.message.contains(&message);
    let named = lines.iter().find(named).unwrap_or_else(|| panic!("{variable}={value:?}: {lines:#?}"));
    assert!(!named.advice.contains("journal init"), "{variable}={value:?}: {named:#?}");
}

#[test]
fn refuses_quotes_around_every_setting() {
    let shop = Shop::new();
    for (variable, value) in settings(&shop) {
        for quote in ['"', '\''] {
            assert_refused(&shop, variable, &format!("{quote}{value}{quote}"), QUOTES);
        }
    }
}

#[test]
fn refuses_a_cr_behind_every_path_number_flag_and_name() {
    let shop = Shop::new();
    let trimmed =
        ["BASE_URL", "KEY_ID", "PRIVATE_KEY", "SERVER_PUBLIC_KEY", "SERVER_KEY_ID", "CALLBACK_URL", "PROXY"];
    for (variable, value) in settings(&shop) {
        if !trimmed.contains(&variable) && !["PIN_SPKI", "DURABILITY_VOUCHED"].contains(&variable) {
            assert_refused(&shop, variable, &format!("{value}\r"), CR);
        }
    }
}

#[test]
fn drops_line_ends_around_keys_ids_and_urls() {
    let shop = Shop::new();
    let mut command = at(&shop.sandbox, &["journal", "list"]);
    for (variable, value) in settings(&shop).into_iter().take(6) {
        command.env(format!("MERCHANTPAY_{variable}"), format!(" {value}\r\n"));
    }
    command.env("MERCHANTPAY_JOURNAL", shop.file());
    assert_eq!(run(command).status, 0);
}

#[test]
fn init_makes_no_file_for_a_path_with_leftovers() {
    let folder = folder("leftovers");
    for path in ["/payments.db\r", "/payments.db\n", "/pay\u{1b}ments.db"].map(str::to_owned) {
        let mut init = crate::common::program(&["journal", "init"]);
        init.env("MERCHANTPAY_JOURNAL", format!("{}{path}", folder.display()));
        let ran = run(init);
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{path:?}");
    }
    let quoted = format!("\"{}/payments.db\"", folder.display());
    let mut init = crate::common::program(&["journal", "init", "--journal", &quoted]);
    init.current_dir(&folder);
    assert!(run(init).error()["message"].as_str().unwrap().ends_with(QUOTES));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}
