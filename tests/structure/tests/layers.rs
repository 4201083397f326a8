//! In a crate with layers, no folder imports from a layer above it.

use std::path::Path;

use merchantpay_structure::{ModuleTree, imports};

/// Crates with layers, each from bottom to top.
const LAYERS: &[(&str, &[&str])] = &[("merchantpay-journal", &["model", "store", "api"])];

#[test]
fn no_layer_imports_one_above_it() {
    for (name, layers) in LAYERS {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates").join(name).join("src");
        let layer = |file: &Path| {
            let folder = file.strip_prefix(&source).unwrap().iter().next();
            layers.iter().position(|layer| folder.is_some_and(|folder| folder == *layer))
        };
        let imports = imports(&ModuleTree::read(&source.join("lib.rs")));
        assert!((0..layers.len()).all(|number| imports.keys().any(|file| layer(file) == Some(number))));
        for (from, targets) in &imports {
            for target in targets {
                let is_upward = layer(from).is_some_and(|from| layer(target).is_some_and(|to| to > from));
                assert!(!is_upward, "{} imports {}", from.display(), target.display());
            }
        }
    }
}
