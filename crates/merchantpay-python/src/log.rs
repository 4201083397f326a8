//! Passes one line for each HTTP attempt to the standard `logging` module.

use std::sync::atomic::{AtomicBool, Ordering};

use merchantpay::{Attempt, Code, Outcome};
use pyo3::prelude::*;

use crate::call::{RaisedBy, keep, run_signal_handlers};
use crate::python_half;

/// `logging.INFO` and `logging.WARNING`, the levels of a success and of a failure.
const INFO: u32 = 20;
const WARNING: u32 = 30;

/// Passes one HTTP attempt to the logger `merchantpay`. The core calls this function on the caller's thread,
/// without the GIL.
pub(crate) fn observe(attempt: &Attempt<'_>) {
    // Uses `try_attach`, because at the interpreter's end no logger is left. `attach` would panic.
    let _ = Python::try_attach(|py| {
        if !has_logging(py) || is_disabled(py, if attempt.code.is_none() { INFO } else { WARNING }) {
            return;
        }
        let _ = run_signal_handlers(py);
        let line = (
            attempt.operation,
            attempt.order_id,
            attempt.number,
            attempt.http_status,
            attempt.elapsed.as_secs_f64() * 1000.0,
            attempt.code.map(Code::name),
            attempt.outcome.map(Outcome::name),
        );
        let logged = python_half!(py, "merchantpay._log", "attempt").and_then(|log| log.call1(line));
        if let Err(error) = logged {
            keep(py, RaisedBy::Log, error);
        }
    });
}

/// Returns `true` if the logger has cached that this level is disabled. The check runs no Python code: Python
/// code is slow, and before 3.14 CPython ends a thread that runs it after the interpreter's end. The logger
/// clears its cache whenever its configuration changes.
fn is_disabled(py: Python<'_>, level: u32) -> bool {
    let logger = python_half!(py, "merchantpay._log", "logger");
    let cached = logger.and_then(|logger| logger.getattr("_cache")?.get_item(level)?.is_truthy());
    // If the level is not cached, or the logger's class caches it differently, the logger itself decides.
    cached.is_ok_and(|is_enabled| !is_enabled)
}

/// Returns `true` if the program has imported `logging`. If it has not, no handler gets the lines, and the
/// import would take as long as a program's first calls.
fn has_logging(py: Python<'_>) -> bool {
    static SEEN: AtomicBool = AtomicBool::new(false);
    if !SEEN.load(Ordering::Relaxed) {
        let modules = PyModule::import(py, "sys").and_then(|sys| sys.getattr("modules"));
        // Remembers that `logging` is imported, so that later calls do not search it again.
        SEEN.store(
            modules.and_then(|modules| modules.contains("logging")).unwrap_or(true),
            Ordering::Relaxed,
        );
    }
    SEEN.load(Ordering::Relaxed)
}
