//! Runs the shell session of `docs/program.md` line by line, compares the tables of that page and the commands of
//! `docs/journal.md` and `docs/choose-a-store.md`, and tests the completions and the manual.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use merchantpay::Keypair;
use merchantpay_journal::Reason;

use crate::common::{program, run};

const PAGE: &str = include_str!("../../../../docs/program.md");
const JOURNAL: &str = include_str!("../../../../docs/journal.md");
const STORE: &str = include_str!("../../../../docs/choose-a-store.md");
const UNIT: &str = include_str!("../../../../docs/deploy/merchantpay-settle.service");
const ERRORS: &str = include_str!("../../../../docs/errors.md");

/// The commands: the lines that begin with `$`.
fn commands() -> impl Iterator<Item = &'static str> {
    PAGE.lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .map(|line| line.split("  #").next().unwrap().trim())
}

#[test]
fn the_session_runs_as_it_is_written() {
    let folder = std::env::temp_dir().join(format!("merchantpay-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let service = Keypair::generate().unwrap();
    let webhook = br#"{"success":true,"orderId":"o-1","status":"doneSuccess"}"#;
    std::fs::write(folder.join("body"), webhook).unwrap();

    let mut script = String::from("set -eu\n");
    for command in commands().filter(|command| !command.starts_with("cargo ")) {
        let command = command.replace("ORDER_ID", "$ORDER_ID");
        if command.starts_with("merchantpay webhook") {
            // This is the only command that needs a signature of the service.
            let (key, signature) =
                (service.public_key().to_base64(), service.private_key().sign(webhook).to_base64());
            writeln!(script, "export MERCHANTPAY_SERVER_PUBLIC_KEY={key} MERCHANTPAY_SERVER_KEY_ID= X_SIGNATURE={signature}").unwrap();
        }
        if let Some(shell) = command.strip_prefix("merchantpay sandbox -- ") {
            // The shell of this command reads the commands that follow on the page.
            writeln!(script, "merchantpay sandbox --port 0 -- {shell} <<'END'\nset -eu").unwrap();
        } else if command.starts_with("merchantpay new ") {
            writeln!(script, "REPLY=$({command})\necho \"$REPLY\"").unwrap();
            writeln!(script, "ORDER_ID=$(sed 's/.*\"orderId\":\"\\([^\"]*\\)\".*/\\1/' <<<\"$REPLY\")")
                .unwrap();
        } else {
            writeln!(script, "{command}").unwrap();
        }
    }
    script.push_str("END\n");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_merchantpay"));
    let release = folder.join("target/release");
    std::fs::create_dir_all(&release).unwrap();
    std::os::unix::fs::symlink(binary, release.join("merchantpay")).unwrap();
    let ran = Command::new("bash").args(["-c", &script]).current_dir(&folder).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{script}\n{stdout}\n{stderr}");
    let replies: Vec<&str> = stdout.lines().collect();
    assert_eq!(replies.len(), 4, "{stdout}");
    assert!(
        replies[0].contains("\"sum\":1500.50,") && replies[2].contains("\"status\":\"doneSuccess\""),
        "{stdout}"
    );
    assert!(replies[3].starts_with("{\"kind\":\"status\",\"success\":true"), "{stdout}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_environment_file_of_the_page_is_read_as_it_looks() {
    let file = PAGE.split("```ini\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = std::env::temp_dir().join(format!("merchantpay-page-env-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("merchantpay.env");
    std::fs::write(&path, file.replace("postgresql:///shop?", &format!("{}/", folder.display()))).unwrap();
    let mut init = program(&["journal", "init"]);
    init.env("MERCHANTPAY_ENV_FILE", &path);
    let journal = folder.join("user=shop&host=/run/postgresql");
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    assert_eq!(run(init).reply()["journal"], journal.to_str().unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_tables_are_the_librarys_lists() {
    for code in merchantpay::Code::ALL {
        assert!(ERRORS.contains(&format!("| `{}` | {} |", code.name(), code.number())), "{code}");
    }
    for outcome in merchantpay::Outcome::ALL {
        assert!(ERRORS.contains(&format!("| `{}` |", outcome.name())), "{outcome}");
    }
    for operation in merchantpay::OPERATIONS.iter().map(|operation| operation.name) {
        assert!(PAGE.contains(&format!("| `{operation}` |")), "{operation}");
    }
}

#[test]
fn page_has_every_setting_of_the_journal() {
    let help = run(program(&["journal", "pay", "--help"])).stdout;
    let flags = help.split("The journal (or").nth(1).unwrap().split("Settings (or").next().unwrap();
    let flags: Vec<&str> = flags.split_whitespace().filter(|word| word.starts_with("--")).collect();
    assert_eq!(flags.len(), 7, "{flags:?}");
    for flag in flags {
        let variable = flag.trim_start_matches('-').replace('-', "_").to_uppercase();
        assert!(PAGE.contains(&format!("| `{flag}` | `MERCHANTPAY_{variable}` |")), "{flag}");
    }
}

#[test]
fn each_shell_gets_completions_for_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(program(&["completions", shell]));
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        for command in ["keygen", "journal", "doctor", "settle", "--customer-account"] {
            assert!(ran.stdout.contains(command.trim_start_matches('-')), "{shell}: {command}");
        }
    }
}

#[test]
fn bash_completes_a_command_that_has_begun() {
    let script = "set -eu\nsource <(\"$PROGRAM\" completions bash)\n\
                  COMP_WORDS=(merchantpay doc) COMP_CWORD=1\n_merchantpay merchantpay doc merchantpay\n\
                  echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).env("PROGRAM", env!("CARGO_BIN_EXE_merchantpay"));
    assert_eq!(run(bash).stdout, "doctor\n");
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let first = run(program(&["man"])).stdout;
    assert!(first.contains(".TH merchantpay 1") && first.contains("merchantpay\\-doctor(1)"), "{first}");
    let folder = std::env::temp_dir().join(format!("merchantpay-man-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(run(program(&["man", folder.to_str().unwrap()])).status, 0);
    for page in ["merchantpay.1", "merchantpay-journal-settle.1", "merchantpay-doctor.1"] {
        assert!(std::fs::read_to_string(folder.join(page)).unwrap().contains(".SH SYNOPSIS"), "{page}");
    }
    std::fs::remove_dir_all(folder).unwrap();
    assert_eq!(run(program(&["man", "/no/such/folder"])).error()["code"], "invalid_argument");
}

#[test]
fn the_journals_page_says_what_to_do_about_each_reason() {
    for reason in Reason::ALL {
        assert!(JOURNAL.contains(&format!("\n| `{reason}` |")), "{reason}");
    }
}

/// If a service created journals, it would create an empty journal when the volume with the real journal is
/// not mounted.
#[test]
fn no_service_unit_and_no_container_entry_point_creates_a_journal() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/deploy");
    let files: Vec<_> = std::fs::read_dir(deploy).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() > 5);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let run = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        assert!(!run.collect::<String>().contains("init"), "{}", file.display());
    }
}

#[test]
fn every_command_of_the_journals_pages_and_unit_is_the_programs() {
    let mut seen = 0;
    for (rest, text) in [JOURNAL, STORE, UNIT]
        .into_iter()
        .flat_map(|text| text.match_indices("merchantpay journal ").map(move |at| (at, text)))
    {
        let words = &text[rest.0 + rest.1.len()..];
        let command: String = words.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
        if command.is_empty() {
            continue;
        }
        let help = run(program(&["journal", &command, "--help"]));
        assert_eq!(help.status, 0, "{command}: {}", help.stderr);
        let line = words.split(['\n', '`', '>']).next().unwrap();
        for flag in line.split_whitespace().filter(|word| word.starts_with("--")) {
            assert!(help.stdout.contains(flag.trim_end_matches([')', ';'])), "{command} {flag}");
        }
        seen += 1;
    }
    assert!(seen > 8, "{seen}");
}
