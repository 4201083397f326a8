//! The journal against the sandbox.

mod payments;
mod shop;
