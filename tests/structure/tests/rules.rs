//! Each rule of docs/decisions/journal-rules.md has a test with the rule's name. The rule's faults, which
//! tests/mutants/rules.txt lists, replace texts that exist in the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

fn read(path: &str) -> String {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(workspace.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fault of the new journal names its whole path, and its test in the same crate.
const WHOLE_PATH: &str = "crates/";

/// The faults of tests/mutants/rules.txt: name, file, and the replaced text.
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
fn each_rule_of_the_journal_has_a_test_of_its_name_and_is_broken_where_the_table_says() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let is_of_table =
        |(name, file, _): &(String, String, String)| !name.contains(',') && !file.starts_with(WHOLE_PATH);
    for (name, file, _) in faults().into_iter().filter(is_of_table) {
        let rule = name.split(' ').next().unwrap_or_default().to_owned();
        places.entry(rule).or_default().insert(format!("`{file}`"));
    }
    let table = read("docs/decisions/journal-rules.md");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split(" | ").collect())
        .collect();
    assert!(rows.len() >= 29, "{}", rows.len());
    for row in &rows {
        let [rule, _, test, broken_in] = row[..] else { panic!("{row:?}") };
        let rule = rule.trim_matches(['|', ' ', '`']);
        let (file, name) = test.trim_matches('`').split_once("::").expect(test);
        let source = read(&format!("crates/merchantpay-journal-old/tests/{file}"));
        let is_defined =
            source.contains(&format!("fn {name}()")) || source.contains(&format!("\n    {name} {{"));
        assert!(name == rule && is_defined, "{rule}: {test}");
        let listed = broken_in.trim_end_matches([' ', '|']).split(", ").map(str::to_owned).collect();
        assert_eq!(places.remove(rule), Some(listed), "{rule}");
    }
    assert!(places.is_empty(), "faults without a rule: {places:?}");
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
    let of_model = faults().into_iter().filter(|(_, file, _)| file.starts_with(WHOLE_PATH));
    let faulty: BTreeSet<String> =
        of_model.map(|(name, ..)| name.split(' ').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(named.difference(&faulty).collect::<Vec<_>>(), Vec::<&String>::new(), "rules without a fault");
    for rule in faulty.difference(&named) {
        assert!(instructions.contains(&format!("fn {rule}()")), "a fault without a test: {rule}");
    }
}

#[test]
fn each_fault_replaces_a_text_that_its_file_has_once() {
    for (name, file, old) in faults() {
        let is_whole = file.starts_with(WHOLE_PATH);
        let source =
            read(&if is_whole { file.clone() } else { format!("crates/merchantpay-journal-old/src/{file}") });
        assert_eq!(source.matches(&old).count(), 1, "{name}: {file}: {old}");
    }
}
