//! The program as a shell sees it, against a sandbox.

mod common;
mod configuration;
mod control;
mod listen;
mod listening;
mod operations;
mod progress;
mod readme;
mod send;
mod webhook;
