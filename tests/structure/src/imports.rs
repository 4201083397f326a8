//! The imports between modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::modules::{Module, ModuleTree};

/// The largest number of re-exports to follow. A longer chain would be a circle.
const MAX_REEXPORTS: usize = 8;

/// The files that each file of a crate imports from. A module consists of its children, so the use of a
/// child's item is not an import. For example, the root of a crate imports nothing.
pub fn imports(tree: &ModuleTree) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    tree.0.iter().map(|(path, module)| (module.file.clone(), imports_of(tree, path, module))).collect()
}

fn imports_of(tree: &ModuleTree, from: &[String], module: &Module) -> BTreeSet<PathBuf> {
    let names = module.source.names.iter().map(|(_, path)| path);
    let targets =
        names.chain(&module.source.paths).filter_map(|path| resolve(tree, from, path, MAX_REEXPORTS));
    targets
        .filter(|target| !target.starts_with(from))
        .filter_map(|target| Some(tree.0.get(&target)?.file.clone()))
        .collect()
}

/// The module that defines the item of a path; `None` if the item is in another crate, or is a type of this
/// module.
fn resolve(tree: &ModuleTree, from: &[String], path: &[String], reexports: usize) -> Option<Vec<String>> {
    let (mut at, mut rest) = start(tree, from, path)?;
    while let [first, after @ ..] = rest {
        let child: Vec<String> = at.iter().chain([first]).cloned().collect();
        if !tree.0.contains_key(&child) {
            break;
        }
        (at, rest) = (child, after);
    }
    let names = &tree.0.get(&at)?.source.names;
    let reexported = rest.first().and_then(|name| names.iter().find(|(known, _)| known == name));
    let origin = reexported
        .filter(|_| reexports > 0 && at != from)
        .and_then(|(_, path)| resolve(tree, &at, path, reexports - 1));
    Some(origin.unwrap_or(at))
}

/// The module at which a path begins, and the rest of the path.
fn start<'a>(tree: &ModuleTree, from: &[String], path: &'a [String]) -> Option<(Vec<String>, &'a [String])> {
    let (first, rest) = path.split_first()?;
    let child: Vec<String> = from.iter().chain([first]).cloned().collect();
    match first.as_str() {
        "crate" => Some((Vec::new(), rest)),
        "self" => Some((from.to_owned(), rest)),
        "super" => {
            let (mut at, mut rest) = (from.split_last()?.1, rest);
            while let [first, after @ ..] = rest
                && first == "super"
            {
                (at, rest) = (at.split_last()?.1, after);
            }
            Some((at.to_owned(), rest))
        }
        _ => tree.0.contains_key(&child).then_some((child, rest)),
    }
}
