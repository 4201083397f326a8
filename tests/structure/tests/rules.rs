//! Each rule of the journal's transitions has a test of its name in the model, and a fault in
//! tests/mutants/rules.txt, which replaces a text that exists in the code. A fault in a statement has a test of
//! its name in the store.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn read(path: &str) -> String {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(workspace.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The faults: name, file, and the replaced text.
fn faults() -> Vec<(String, String, String)> {
    let text = read("tests/mutants/rules.txt");
    let is_fault = |block: &&str| !block.starts_with('#');
    let faults = text.split("\n\n").filter(is_fault).flat_map(|block| {
        let (head, replacements) = block.trim_end().split_once('\n').expect(block);
        let (name, file) = head.rsplit_once(": ").expect(head);
        let lines: Vec<&str> = replacements.lines().collect();
        let replaced = lines.chunks(2).map(move |pair| {
            assert!(pair.len() == 2 && pair[1].starts_with("+ "), "{block}");
            (name.to_owned(), file.to_owned(), pair[0].strip_prefix("- ").expect(block).to_owned())
        });
        replaced.collect::<Vec<_>>()
    });
    faults.collect()
}

#[test]
fn each_rule_of_the_transitions_has_a_test_and_a_fault() {
    let folder = "crates/merchantpay-journal/tests/model";
    let (rules, instructions) =
        (read(&format!("{folder}/rules.rs")), read(&format!("{folder}/instructions.rs")));
    let rows = rules.lines().filter(|line| line.starts_with("    ") && line.ends_with('}'));
    let named: BTreeSet<String> =
        rows.filter_map(|line| Some(line.trim().split_once(": ")?.0.to_owned())).collect();
    assert!(named.len() >= 24, "{named:?}");
    let faulty: BTreeSet<String> = faults()
        .into_iter()
        .filter(|(_, file, _)| file.starts_with("model/"))
        .map(|(name, ..)| name.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(named.difference(&faulty).collect::<Vec<_>>(), Vec::<&String>::new(), "rules without a fault");
    for rule in faulty.difference(&named) {
        assert!(instructions.contains(&format!("fn {rule}()")), "a fault without a test: {rule}");
    }
}

#[test]
fn each_fault_of_a_statement_has_a_test_of_the_store() {
    let tests = read("crates/merchantpay-journal/tests/store/main.rs");
    let of_store = || faults().into_iter().filter(|(_, file, _)| file.starts_with("store/"));
    assert!(of_store().count() >= 8);
    for (name, ..) in of_store() {
        let rule = name.rsplit_once(" (").map_or(name.as_str(), |(rule, _)| rule);
        assert!(tests.contains(&format!("(\"{rule}\", ")), "a fault without a test: {name}");
    }
}

#[test]
fn each_fault_replaces_a_text_that_its_file_has_once() {
    for (name, file, old) in faults() {
        let source = read(&format!("crates/merchantpay-journal/src/{file}"));
        assert_eq!(source.matches(&old).count(), 1, "{name}: {file}: {old}");
    }
}
