//! Quotes and line ends that an environment file leaves in a setting: every command refuses them before it
//! sends anything, and `doctor` names them in the same words.

use super::{CALLBACK, examined};
use crate::common::{Folder, at, run};
use crate::journal_shop::Shop;

const CR: &str = "ends with CR: the file has Windows line ends";
const QUOTES: &str = "is wrapped in quotes; remove them";

/// The settings of the program and of a journal. The core's tests have the others.
fn settings(shop: &Shop) -> [(&'static str, String); 5] {
    [
        ("JOURNAL", shop.file().to_str().unwrap().to_owned()),
        ("PRIVATE_KEY_FILE", "/etc/key".to_owned()),
        ("TIMEOUT_MS", "30000".to_owned()),
        ("PAY_WAIT_MS", "5000".to_owned()),
        ("CALLBACK_URL", CALLBACK.to_owned()),
    ]
}

/// Sets one variable in a set-up that otherwise works, and expects the same refusal from `journal news` and
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
    let ran = run(command(&["journal", "news"]));
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
fn refuses_quotes_around_settings_and_line_ends_that_mean_something() {
    let shop = Shop::new();
    for (variable, value) in settings(&shop) {
        for quote in ['"', '\''] {
            assert_refused(&shop, variable, &format!("{quote}{value}{quote}"), QUOTES);
        }
        if variable != "CALLBACK_URL" {
            assert_refused(&shop, variable, &format!("{value}\r"), CR);
        }
    }
    let mut trimmed = at(&shop.sandbox, &["journal", "news"]);
    trimmed
        .env("MERCHANTPAY_JOURNAL", shop.file())
        .env("MERCHANTPAY_CALLBACK_URL", format!(" {CALLBACK}\r\n"));
    assert_eq!(run(trimmed).status, 0);
}

#[test]
fn init_makes_no_file_for_a_path_with_leftovers() {
    let folder = Folder::new();
    for path in ["/payments.db\r", "/payments.db\n", "/pay\u{1b}ments.db"].map(str::to_owned) {
        let mut init = crate::common::program(&["journal", "init"]);
        init.env("MERCHANTPAY_JOURNAL", format!("{}{path}", folder.display()));
        let ran = run(init);
        assert_eq!((ran.status, ran.error()["code"].as_str()), (2, Some("invalid_argument")), "{path:?}");
    }
    let quoted = format!("\"{}/payments.db\"", folder.display());
    let mut init = crate::common::program(&["journal", "init", "--journal", &quoted]);
    init.current_dir(&*folder);
    assert!(run(init).error()["message"].as_str().unwrap().ends_with(QUOTES));
    assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 0);
}
