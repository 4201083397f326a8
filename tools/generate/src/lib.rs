//! The generator: one definition (the tables of the core and the journal), one template for each kind of
//! file, and the list of files.
//!
//! Templates are in `templates/`, by language. What a template sees is in `definition`; how it writes names
//! and documentation in a language's own way is in `filters`. A file that is mostly hand-written has its
//! generated parts between marks (`marks`), and its template has a block for each.

mod calls;
mod definition;
mod docstrings;
mod error_texts;
mod filters;
mod formatters;
mod lists;
mod marks;
mod targets;

use std::path::{Path, PathBuf};

pub use targets::rendered;

/// Why the files could not be written.
pub type Fault = Box<dyn std::error::Error>;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes every generated file that is not as it would be written.
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

/// The files that are not as they would be written.
///
/// # Errors
///
/// A template that cannot be rendered.
pub fn stale(root: &Path) -> Result<Vec<String>, Fault> {
    let is_stale = |file: &String, text: &String| {
        std::fs::read_to_string(root.join(file)).map_or(true, |current| current != *text)
    };
    Ok(rendered(root)?
        .into_iter()
        .filter(|(file, text)| is_stale(file, text))
        .map(|(file, _)| file)
        .collect())
}
