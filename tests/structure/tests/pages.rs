//! The pages for maintainers name only existing files and folders.

use std::fs;
use std::path::{Path, PathBuf};

/// A name in backticks is a path if it begins with one of these folders.
const FOLDERS: [&str; 8] =
    ["bench/", "bindings/", "crates/", "docs/", "examples/", "include/", "tests/", "tools/"];

/// A text with one of these parts is not a path: it names generated files, or is a pattern for several files.
const NO_PATH: [&str; 4] = ["<", "*", "…", "NAME"];

#[test]
fn every_path_in_the_pages_for_maintainers_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let decisions = fs::read_dir(root.join("docs/decisions")).unwrap();
    let mut pages: Vec<PathBuf> = decisions.map(|entry| entry.unwrap().path()).collect();
    pages.extend(["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root.join(page)));
    let mut seen = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for path in text.split('`').skip(1).step_by(2).filter_map(|name| name.split_whitespace().next()) {
            if FOLDERS.iter().any(|folder| path.starts_with(folder))
                && !NO_PATH.iter().any(|part| path.contains(part))
            {
                assert!(root.join(path).exists(), "{}: {path} does not exist", page.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen}");
}
