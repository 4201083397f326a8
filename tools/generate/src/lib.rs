//! The generator: one definition (the tables of the core and the journal), and one template for each file.
//!
//! A template is in `templates/` at the path of its file; those beside the folders are shared. `definition` has the
//! data for templates; `filters` write names and documentation in the style of a language. A file that is mostly
//! hand-written has its generated parts between marks, and its template has a block for each part.

mod c;
mod definition;
mod filters;
mod targets;

use std::path::{Path, PathBuf};

pub use targets::rendered;

/// An error of the generator.
pub type Fault = Box<dyn std::error::Error>;

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes every generated file that is stale.
///
/// # Errors
///
/// A template that cannot be rendered, or a file that cannot be written.
pub fn write_all(root: &Path) -> Result<(), Fault> {
    for (file, text) in rendered(root)? {
        if std::fs::read_to_string(root.join(&file)).is_ok_and(|current| current == text) {
            continue;
        }
        let path = root.join(&file);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&path, text)?;
        println!("{file}");
    }
    Ok(())
}
