//! The check of commit subjects, `tools/dev/commits`.

use std::path::Path;
use std::process::Command;

/// The check's report about a message; empty if the check accepts the message.
fn report(message: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let file = std::env::temp_dir().join(format!("merchantpay-commits-{}", std::process::id()));
    std::fs::write(&file, message).unwrap();
    let output =
        Command::new(root.join("tools/dev/commits")).arg("--message").arg(&file).output().expect("bash runs");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(output.status.success(), output.stderr.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn subject_is_area_and_lower_case_text_of_72_characters() {
    for subject in ["core: pass, and hold", "tools: check the subjects", "cpp: address each caller"] {
        assert_eq!(report(&format!("# a comment\n{subject}\n\nWhy.\n")), "", "{subject}");
    }
    for (subject, why) in [
        ("Add a test", "area"),
        ("engine: add a test", "area"),
        ("core:add a test", "area"),
        ("core: Add a test", "area"),
        ("core: add a test.", "full stop"),
        (&format!("core: add {}", "a".repeat(63)), "73 characters"),
    ] {
        assert!(report(subject).contains(why), "{subject}: {}", report(subject));
    }
}
