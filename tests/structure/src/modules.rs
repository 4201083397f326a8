//! The modules of a crate and their files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::source::Source;

/// A module that has a file of its own.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) file: PathBuf,
    pub(crate) source: Source,
}

/// The modules of a crate by their paths, such as `["control", "view"]`. The path of the root is empty.
#[derive(Debug)]
pub struct ModuleTree(pub(crate) BTreeMap<Vec<String>, Module>);

impl ModuleTree {
    /// Reads the file of the root module and of all modules below it.
    ///
    /// # Panics
    ///
    /// Panics if a file cannot be read or is not Rust.
    pub fn read(root: &Path) -> ModuleTree {
        let mut tree = ModuleTree(BTreeMap::new());
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.add(Vec::new(), root.to_owned(), &folder);
        tree
    }

    /// Adds a module. `folder` is the folder of its children's files.
    fn add(&mut self, path: Vec<String>, file: PathBuf, folder: &Path) {
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let source = Source::parse(&text);
        for name in &source.children {
            let (beside, within) = (folder.join(format!("{name}.rs")), folder.join(name));
            let child = if beside.exists() { beside } else { within.join("mod.rs") };
            if !child.exists() {
                // By `#[path]` it is a file of another package.
                continue;
            }
            let path: Vec<String> = path.iter().chain([name]).cloned().collect();
            self.add(path, child, &within);
        }
        self.0.insert(path, Module { file, source });
    }
}
