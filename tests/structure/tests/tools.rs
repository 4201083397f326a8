//! The index of tools/ is complete.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_tool_is_in_the_index_and_nothing_else_is() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let index = fs::read_to_string(tools.join("README.md")).unwrap();
    let linked = index.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let listed: BTreeSet<String> = linked.filter(|link| !link.starts_with("..")).map(str::to_owned).collect();
    let mut found = BTreeSet::new();
    for folder in ["dev", "forge", "help", "release", "windows"] {
        for entry in fs::read_dir(tools.join(folder)).unwrap() {
            found.insert(format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    assert_eq!(listed, found);
}

/// The nightly workflow lists the parts of `make test-full`, because each part runs on a separate machine.
#[test]
fn the_nightly_workflow_runs_every_part_of_make_test_full() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let makefile = fs::read_to_string(root.join("Makefile")).unwrap();
    let parts = makefile.lines().find_map(|line| line.strip_prefix("FULL_PARTS = ")).unwrap();
    let parts = parts.replace("$(TARGETS:%=test-target-%)", "test-targets");
    let parts = parts.replace("$(WINDOWS:%=test-target-%)", "test-windows");
    let workflow = fs::read_to_string(root.join(".github/workflows/full.yml")).unwrap();
    let run = workflow.lines().filter_map(|line| line.strip_prefix("          - "));
    assert_eq!(run.collect::<BTreeSet<_>>(), parts.split_whitespace().collect());
}
