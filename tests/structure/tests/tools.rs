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
    for folder in ["dev", "help", "release", "windows"] {
        for entry in fs::read_dir(tools.join(folder)).unwrap() {
            found.insert(format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    assert_eq!(listed, found);
}
