//! The program as a shell sees it, against a sandbox.

mod common;
mod configuration;
mod listen;
mod operations;
mod progress;
mod readme;
mod webhook;
