//! Compares the tables and the commands of the pages with the program, and tests the completions and the manual.

use merchantpay_sandbox::{STORIES, TEST_ACCOUNTS};

use crate::*;

const PAGE: &str = include_str!("../../../../docs/program.md");
const JOURNAL: &str = include_str!("../../../../docs/journal.md");
const OPERATION: &str = include_str!("../../../../docs/journal-operation.md");
const STORE: &str = include_str!("../../../../docs/journal-database.md");
const UNIT: &str = include_str!("../../../../docs/deploy/merchantpay-settle.service");
const SANDBOX: &str = include_str!("../../../../docs/sandbox.md");
const ERRORS: &str = include_str!("../../../../docs/errors.md");

#[test]
fn docs_environment_file_is_read() {
    let file = PAGE.split("```ini\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = Folder::new();
    let path = folder.join("merchantpay.env");
    std::fs::write(&path, file.replace("postgresql:///shop?", &format!("{}/", folder.display()))).unwrap();
    let mut init = program(&["journal", "init"]);
    init.env("MERCHANTPAY_ENV_FILE", &path);
    let journal = folder.join("user=shop&host=/run/postgresql");
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    assert_eq!(run(init).reply()["journal"], journal.to_str().unwrap());
}

#[test]
fn docs_tables_match_library() {
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
fn pages_have_every_setting() {
    const SETTINGS: &str = include_str!("../../../../docs/settings.md");
    let table = run(program(&["help", "settings"])).stdout;
    let variables: Vec<&str> =
        table.split_whitespace().filter(|word| word.starts_with("MERCHANTPAY_")).collect();
    assert!(variables.len() > 30, "{variables:?}");
    for variable in variables {
        let variable = variable.trim_end_matches([',', '.', ')']);
        assert!(
            [PAGE, SETTINGS, SANDBOX].iter().any(|page| page.contains(&format!("`{variable}`"))),
            "{variable}"
        );
    }
}

#[test]
fn completions_have_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = run(program(&["completions", shell]));
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        for command in ["keygen", "journal", "doctor", "settle", "--customer-account"] {
            assert!(ran.stdout.contains(command.trim_start_matches('-')), "{shell}: {command}");
        }
    }
}

#[test]
fn bash_completes_begun_command() {
    let script = "set -eu\nsource <(\"$PROGRAM\" completions bash)\n\
                  COMP_WORDS=(merchantpay doc) COMP_CWORD=1\n_merchantpay merchantpay doc merchantpay\n\
                  echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).env("PROGRAM", env!("CARGO_BIN_EXE_merchantpay"));
    assert_eq!(run(bash).stdout, "doctor\n");
}

#[test]
fn manual_has_every_command() {
    let first = run(program(&["man"])).stdout;
    assert!(first.contains(".TH merchantpay 1") && first.contains("merchantpay\\-doctor(1)"), "{first}");
    let folder = Folder::new();
    assert_eq!(run(program(&["man", folder.to_str().unwrap()])).status, 0);
    for page in ["merchantpay.1", "merchantpay-journal-settle.1", "merchantpay-doctor.1"] {
        assert!(std::fs::read_to_string(folder.join(page)).unwrap().contains(".SH SYNOPSIS"), "{page}");
    }
    assert_eq!(run(program(&["man", "/no/such/folder"])).error()["code"], "invalid_argument");
}

/// If a service created journals, it would create an empty journal when the volume with the real journal is
/// not mounted.
#[test]
fn no_deployment_creates_a_journal() {
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
fn journal_commands_in_docs_exist() {
    let mut seen = 0;
    for (rest, text) in [JOURNAL, OPERATION, STORE, UNIT]
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

#[test]
fn docs_and_help_have_every_story() {
    let help = run(program(&["story", "--help"])).stdout;
    for story in STORIES {
        assert!(SANDBOX.contains(&format!("| `{}` |", story.name)), "{}", story.name);
        assert!(help.contains(story.name), "{}", story.name);
    }
    for test_account in TEST_ACCOUNTS {
        let row = format!("| `{}` | {} |", test_account.account, test_account.effect);
        assert!(SANDBOX.contains(&row), "{row}");
    }
}

#[test]
fn docs_commands_run() {
    let sandbox = sandbox();
    let id = run(at(&sandbox, &new("stays-pending"))).reply()["orderId"].as_str().unwrap().to_owned();
    let commands = SANDBOX.lines().filter_map(|line| line.strip_prefix("$ merchantpay "));
    let commands: Vec<&str> = commands.filter(|command| !command.starts_with("sandbox -- ")).collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        let command = command.split("  #").next().unwrap().replace("ORDER_ID", &id).replace('\'', "");
        let ran = run(at(&sandbox, &command.split_whitespace().collect::<Vec<_>>()));
        assert!(ran.reply().is_object(), "{command}");
    }
}

#[test]
fn docs_commands_reach_sandbox() {
    let lines = SANDBOX.lines().filter_map(|line| line.strip_prefix("$ merchantpay sandbox -- "));
    let commands: Vec<&str> = lines.map(|line| line.split("  #").next().unwrap().trim()).collect();
    assert!(commands.len() >= 3, "{commands:?}");
    let folder = Folder::new();
    // A script that replaces each program that the page names.
    for name in ["shop", "pytest", "bash"] {
        let shop = folder.join(name);
        std::fs::write(
            &shop,
            format!("#!/bin/sh\nexec {} status no-such-order\n", env!("CARGO_BIN_EXE_merchantpay")),
        )
        .unwrap();
        std::fs::set_permissions(&shop, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    for command in commands {
        let words = ["sandbox", "--port", "0", "--"].into_iter().chain(command.split_whitespace());
        let mut with = program(&words.collect::<Vec<_>>());
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        with.current_dir(&*folder).env("PATH", path);
        assert_eq!(run(with).error()["reason"], "order_not_found", "{command}");
    }
}
