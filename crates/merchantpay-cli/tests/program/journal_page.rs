//! `docs/journal.md` explains every reason, and its commands are commands of the program.

use std::path::Path;

use merchantpay_journal::Reason;

use crate::common::{program, run};

const PAGE: &str = include_str!("../../../../docs/journal.md");
const UNIT: &str = include_str!("../../../../docs/deploy/merchantpay-settle.service");

#[test]
fn the_page_says_what_to_do_about_each_reason() {
    for reason in Reason::ALL {
        assert!(PAGE.contains(&format!("\n| `{reason}` |")), "{reason}");
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
fn every_command_of_the_page_and_of_the_unit_is_the_programs() {
    let mut seen = 0;
    for (rest, text) in [PAGE, UNIT]
        .into_iter()
        .flat_map(|text| text.match_indices("merchantpay journal ").map(move |at| (at, text)))
    {
        let words = &text[rest.0 + rest.1.len()..];
        let command: String = words.chars().take_while(char::is_ascii_lowercase).collect();
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
