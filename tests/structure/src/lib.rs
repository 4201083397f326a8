//! Finds modules of a crate that import each other in a circle, from their source.
//!
//! An import is a `use` or a path that begins with `crate`, `super`, `self` or a child module, outside of
//! `#[cfg(test)]`; an import of a re-exported name is an import from the module that defines the name.

mod circles;
mod imports;
mod modules;
mod packages;
mod source;

pub use circles::{Circle, circles};
pub use imports::imports;
pub use modules::ModuleTree;
pub use packages::roots;
