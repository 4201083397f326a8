//! Finds modules of a crate that import each other in a circle, from their source.
//!
//! An import is a `use` or a path that begins with `crate`, `super`, `self` or a child module, outside of
//! `#[cfg(test)]`; a re-exported name counts as an import of the module that defines it.

mod circles;
mod imports;
mod modules;
mod packages;
mod source;

pub use circles::{Circle, circles};
pub use imports::imports;
pub use modules::ModuleTree;
pub use packages::roots;
