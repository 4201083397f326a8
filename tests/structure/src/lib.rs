//! Which modules of a crate import each other in a circle, read from their source.
//!
//! An import is a `use` or a path that begins with `crate`, `super`, `self` or a child module, outside of
//! `#[cfg(test)]`; a name that a module re-exports is an import of the module that has it.

mod circles;
mod imports;
mod modules;
mod packages;
mod source;

pub use circles::{Circle, circles};
pub use imports::imports;
pub use modules::ModuleTree;
pub use packages::roots;
