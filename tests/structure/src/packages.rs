//! The libraries and programs of the workspace, from cargo.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The kinds of targets that are neither libraries nor programs.
const NOT_BUILT: [&str; 4] = ["test", "bench", "example", "custom-build"];

/// The file of the root module of every library and program of the workspace.
///
/// # Panics
///
/// Panics if cargo cannot be run or does not describe the workspace.
pub fn roots() -> Vec<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    list(&metadata, "packages").iter().flat_map(roots_of).collect()
}

fn roots_of(package: &Value) -> Vec<PathBuf> {
    let is_built = |target: &&Value| {
        !list(target, "kind").iter().any(|kind| NOT_BUILT.iter().any(|not_built| kind == not_built))
    };
    let root = |target: &Value| PathBuf::from(target["src_path"].as_str().unwrap_or_default());
    list(package, "targets").iter().filter(is_built).map(root).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}
