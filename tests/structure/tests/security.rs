//! Each claim of SECURITY.md names existing tests, and the list of fuzz targets on that page matches `make
//! fuzz`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: &str) -> String {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(workspace.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names between two marks, in order.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    text.split(open).skip(1).filter_map(|rest| rest.split_once(close)).map(|(name, _)| name).collect()
}

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The page without its footnotes, and the footnotes by name.
fn page() -> (String, BTreeMap<String, String>) {
    let text = read("SECURITY.md");
    let start = text.find("\n[^").filter(|at| text[*at..].contains("]: ")).expect("footnotes");
    let notes = text[start..].split("\n[^").skip(1).map(|note| {
        let (name, tests) = note.split_once("]: ").expect("a footnote");
        (name.to_owned(), tests.to_owned())
    });
    (text[..start].to_owned(), notes.collect())
}

/// Returns true if a file defines this test, in the language of its file extension.
fn defines(path: &str, test: &str) -> bool {
    let text = read(path);
    let keyword = match Path::new(path).extension().and_then(|end| end.to_str()) {
        Some("rs") => "fn",
        Some("go") => "func",
        Some("php") => "function",
        Some("py") => "def",
        other => panic!("{path}: tests are not read from {other:?}"),
    };
    text.contains(&format!("{keyword} {test}("))
}

#[test]
fn each_footnote_of_the_threat_model_names_tests_that_exist() {
    let (_, notes) = page();
    for (name, note) in &notes {
        let tests: Vec<&str> = quoted(note).collect();
        assert!(!tests.is_empty(), "[^{name}] names no test");
        for test in tests {
            let (path, function) = test.rsplit_once("::").expect("a file and a test");
            assert!(defines(path, function), "[^{name}]: {path} has no test {function}");
        }
    }
}

#[test]
fn each_claim_of_the_threat_model_has_a_footnote() {
    let (page, notes) = page();
    let used: BTreeSet<&str> = between(&page, "[^", "]").into_iter().collect();
    assert_eq!(
        used,
        notes.keys().map(String::as_str).collect(),
        "footnotes that are used and that are there"
    );

    let section = |title: &str| {
        let start = page.find(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("{title}"));
        let text = &page[start + 4..];
        text.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let cell = |row: &str, column: usize| row.split('|').nth(column).unwrap_or_default().trim().to_owned();
    let mut claims = Vec::new();
    for (title, column) in [("Assets", 2), ("Attackers", 2)] {
        let text = section(title);
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        assert!(rows.len() > 4, "{title}");
        claims.extend(rows.into_iter().map(|row| cell(row, column)));
    }
    let measures = section("Measures in the library");
    claims.extend(measures.split("\n- **").skip(1).map(str::to_owned));
    claims.extend(section("What HTTP the library does not read").split("\n\n").skip(1).map(str::to_owned));
    for claim in claims.iter().filter(|claim| !claim.is_empty() && *claim != "nothing holds") {
        assert!(claim.contains("[^"), "a claim without a test: {claim}");
    }
}

#[test]
fn the_fuzz_targets_are_those_that_make_fuzz_runs() {
    let (page, _) = page();
    let start = page.find("- **Fuzzing.**").expect("the list of targets");
    let item = page[start..].split("\n- ").next().unwrap_or_default();
    let (_, list) = item.split_once("targets: ").expect("the list of targets");
    let mut listed: Vec<&str> = quoted(list).collect();
    listed.sort_unstable();
    // `tools/dev/fuzz` runs the targets that `cargo fuzz list` prints: the binaries of this manifest.
    let manifest = read("crates/merchantpay-capi/fuzz/Cargo.toml");
    let mut targets = between(&manifest, "[[bin]]\nname = \"", "\"");
    targets.sort_unstable();
    assert_eq!(listed, targets);
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/merchantpay-capi/fuzz/fuzz_targets");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| fs::read_to_string(file).unwrap().contains("fuzz_target!("));
    let mut files: Vec<String> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    files.sort_unstable();
    assert_eq!(files, targets, "each file with a target is in the manifest");
    let corpora = fs::read_dir(
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../crates/merchantpay-capi/fuzz/corpus"),
    );
    let mut corpora: Vec<String> =
        corpora.unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    corpora.sort_unstable();
    assert_eq!(corpora, targets, "each target has a corpus to start from");
}
