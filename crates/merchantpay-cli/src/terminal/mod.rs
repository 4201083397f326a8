//! Decides who reads the output: a person at a terminal, or a program.

pub(crate) mod advice;
pub(crate) mod document;
pub(crate) mod progress;
pub(crate) mod reply;
pub(crate) mod table;
pub(crate) mod visible;

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// This value is set once per run, from `--json`.
static JSON: AtomicBool = AtomicBool::new(false);

/// If `json` is true, the output is for programs, even on a terminal.
pub(crate) fn set_json(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// Returns `true` if a person reads stdout.
pub(crate) fn is_for_people() -> bool {
    !JSON.load(Ordering::Relaxed) && std::io::stdout().is_terminal()
}

/// Returns `true` if a person reads stderr.
pub(crate) fn are_errors_for_people() -> bool {
    !JSON.load(Ordering::Relaxed) && std::io::stderr().is_terminal()
}
