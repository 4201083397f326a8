//! No folder has too many source files for a reader, and no hand-written file has too many lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MOST_FILES: usize = 25;
const MOST_LINES: usize = 450;

/// Folders without these limits: a Go package and a PSR-4 namespace must be one folder, a PHP class must be
/// one file, and a file of the C crate has the functions of one noun.
const EXEMPT: [&str; 3] = ["bindings/go/", "bindings/php/src/", "crates/merchantpay-capi/src/"];

/// A file that is allowed to be longer, because it is the whole interface of a library.
const WHOLE: [&str; 1] = ["include/merchantpay.hpp"];

const SOURCES: [&str; 18] = [
    "c", "cpp", "cs", "css", "go", "h", "hpp", "html", "in", "inc", "j2", "js", "lua", "mjs", "pas", "php",
    "py", "rs",
];

/// The tracked source files that a git pathspec selects. A script has no file extension.
fn sources(pathspec: &str) -> Vec<PathBuf> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--", pathspec])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let paths = String::from_utf8(output.stdout).expect("UTF-8");
    let is_source = |path: &PathBuf| {
        let end = path.extension().map_or("", |end| end.to_str().unwrap_or_default());
        let is_exempt = EXEMPT.iter().any(|folder| path.starts_with(folder));
        let whole = root().join(path);
        let is_script = || fs::read(&whole).is_ok_and(|bytes| bytes.starts_with(b"#!"));
        !is_exempt && whole.exists() && (SOURCES.contains(&end) || end.is_empty() && is_script())
    };
    paths.split_terminator('\0').map(PathBuf::from).filter(is_source).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn no_folder_has_more_than_25_source_files() {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for path in sources(".") {
        *folders.entry(text(path.parent().expect("a folder"))).or_default() += 1;
    }
    folders.retain(|_, count| *count > MOST_FILES);
    assert!(folders.is_empty(), "files side by side: {folders:?}");
}

#[test]
fn no_hand_written_file_has_more_than_450_lines() {
    let lines = |path: &PathBuf| fs::read_to_string(root().join(path)).map_or(0, |text| text.lines().count());
    let files = sources(":(attr:!linguist-generated)");
    let mut long: BTreeMap<String, usize> = files.iter().map(|path| (text(path), lines(path))).collect();
    long.retain(|path, count| *count > MOST_LINES && !WHOLE.contains(&path.as_str()));
    assert!(long.is_empty(), "lines in a file: {long:?}");
}
