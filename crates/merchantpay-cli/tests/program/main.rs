//! The program as a shell sees it, against a sandbox.

mod common;
mod operations;
mod readme;
mod webhook;
