//! The README's shell session, line by line as it stands there.

use std::fmt::Write;
use std::process::Command;

use merchantpay::Keypair;

const README: &str = include_str!("../../../../README.md");

/// The lines behind a `$` of the section.
fn commands(section: &str) -> Vec<&'static str> {
    let text = README.split(section).nth(1).unwrap().split("\n## ").next().unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("$ "))
        .map(|line| line.split("  #").next().unwrap().trim())
        .collect()
}

#[test]
fn the_readmes_session_runs_as_it_is_written() {
    let folder = std::env::temp_dir().join(format!("merchantpay-readme-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let service = Keypair::generate().unwrap();
    let webhook = br#"{"success":true,"orderId":"o-1","status":"doneSuccess"}"#;
    std::fs::write(folder.join("body"), webhook).unwrap();

    let mut script = String::from("set -eu\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n");
    for command in commands("## From a shell").iter().filter(|command| !command.starts_with("cargo ")) {
        let command = command.replace("ORDER_ID", "$ORDER_ID");
        if command.starts_with("merchantpay webhook") {
            // The one line that needs somebody's signature.
            let (key, signature) =
                (service.public_key().to_base64(), service.private_key().sign(webhook).to_base64());
            writeln!(script, "export MERCHANTPAY_SERVER_PUBLIC_KEY={key} MERCHANTPAY_SERVER_KEY_ID= X_SIGNATURE={signature}").unwrap();
        }
        if command.starts_with("merchantpay new ") {
            writeln!(script, "REPLY=$({command})\necho \"$REPLY\"").unwrap();
            writeln!(script, "ORDER_ID=$(sed 's/.*\"orderId\":\"\\([^\"]*\\)\".*/\\1/' <<<\"$REPLY\")")
                .unwrap();
        } else {
            writeln!(script, "{command}").unwrap();
        }
    }
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_merchantpay"));
    let release = folder.join("target/release");
    std::fs::create_dir_all(&release).unwrap();
    std::os::unix::fs::symlink(program, release.join("merchantpay")).unwrap();
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
fn the_readmes_first_commands_are_the_makefiles() {
    let makefile = include_str!("../../../../Makefile");
    for command in commands("# merchantpay").iter().filter(|command| command.starts_with("make ")) {
        let target = command.split_whitespace().nth(1).unwrap();
        assert!(makefile.contains(&format!("\n{target}:")), "{command}");
    }
}

#[test]
fn the_readmes_tables_are_the_librarys_lists() {
    for code in merchantpay::Code::ALL {
        assert!(README.contains(&format!("| `{}` | {} |", code.name(), code.number())), "{code}");
    }
    for outcome in merchantpay::Outcome::ALL {
        assert!(README.contains(&format!("| `{}` |", outcome.name())), "{outcome}");
    }
    for operation in merchantpay::OPERATIONS.iter().map(|operation| operation.name) {
        assert!(README.contains(&format!("`{operation}`")), "{operation}");
    }
}
