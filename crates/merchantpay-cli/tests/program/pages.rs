//! Completions and the manual, which are made from the program's command line.

use std::process::Command;

use crate::common::{program, run};

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
