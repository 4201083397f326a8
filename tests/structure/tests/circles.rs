//! No crate of the workspace has a circle of imports between its modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use merchantpay_structure::{Circle, ModuleTree, circles, imports, roots};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn circles_of_workspace() -> BTreeSet<Circle> {
    let workspace = workspace();
    let in_workspace = |file: &PathBuf| file.strip_prefix(&workspace).unwrap().to_owned();
    let found = roots().into_iter().flat_map(|root| circles(&imports(&ModuleTree::read(&root))));
    found.map(|circle| circle.iter().map(in_workspace).collect()).collect()
}

fn text(circles: &BTreeSet<Circle>) -> String {
    let text =
        |circle: &Circle| circle.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    circles.iter().map(text).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_modules_of_a_crate_do_not_import_each_other_in_a_circle() {
    assert_eq!(text(&circles_of_workspace()), "", "circles of imports");
}

/// The imports between the folders and files that are next to the file of a crate's root module.
fn rooms(root: &Path) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let folder = root.parent().unwrap();
    let room = |file: &Path| -> PathBuf {
        let first = file.strip_prefix(folder).ok().and_then(|inside| inside.components().next());
        folder.join(first.map_or_else(|| file.as_os_str(), |first| first.as_os_str())).with_extension("")
    };
    let mut rooms: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for (file, imported) in imports(&ModuleTree::read(root)) {
        let importing = room(&file);
        let others = imported.iter().map(|file| room(file)).filter(|other| *other != importing);
        rooms.entry(importing.clone()).or_default().extend(others);
    }
    rooms
}

#[test]
fn the_folders_of_a_crate_do_not_import_each_other_in_a_circle() {
    let workspace = workspace();
    for root in roots() {
        let is_folder = |room: &&PathBuf| room.is_dir();
        let found =
            circles(&rooms(&root)).into_iter().filter(|circle| circle.iter().filter(is_folder).count() > 1);
        let found: Vec<_> =
            found.flatten().map(|room| room.strip_prefix(&workspace).unwrap().to_owned()).collect();
        assert!(found.is_empty(), "circles of folders: {found:?}");
    }
}

/// A small crate with every kind of import, in which `a` and `b` form a circle through a re-export of the
/// root. Imports in tests, and of a module's own children, do not count.
#[test]
fn a_circle_is_found_through_a_reexport_and_not_in_tests() {
    let folder = std::env::temp_dir().join(format!("merchantpay-structure-{}", std::process::id()));
    fs::create_dir_all(folder.join("part")).unwrap();
    for (file, text) in [
        ("lib.rs", "mod leaf; mod part; pub use part::A;"),
        ("leaf.rs", "pub(crate) struct Leaf; #[cfg(test)] mod tests { use crate::part::A; }"),
        ("part/mod.rs", "mod a; mod b; pub use a::A;"),
        ("part/a.rs", "use crate::leaf::Leaf; use super::b; pub struct A(b::B, Leaf);"),
        ("part/b.rs", "pub(crate) struct B; impl B { fn a(&self) -> Option<crate::A> { None } }"),
    ] {
        fs::write(folder.join(file), text).unwrap();
    }
    let found = circles(&imports(&ModuleTree::read(&folder.join("lib.rs"))));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found, [Circle::from([folder.join("part/a.rs"), folder.join("part/b.rs")])]);
}
