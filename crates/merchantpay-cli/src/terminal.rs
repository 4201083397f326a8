//! Who reads the output: a person at a terminal, or a program.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once for a run, from `--json`.
static JSON: AtomicBool = AtomicBool::new(false);

/// With `json` the output is for programs, on a terminal too.
pub(crate) fn set_json(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// Whether a person reads stdout.
pub(crate) fn is_for_people() -> bool {
    !JSON.load(Ordering::Relaxed) && std::io::stdout().is_terminal()
}
