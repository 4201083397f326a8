//! The journal against the sandbox.

mod limits;
mod payments;
mod persons;
mod progress;
mod shop;
