//! The program's own code that calls run: its signer, and the standard module `logging`.

use std::sync::atomic::{AtomicBool, Ordering};

use merchantpay::{Attempt, Code, Outcome};
use merchantpay_calls::{Callback, Host};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};

use crate::call::{RaisedBy, keep, run_signal_handlers};
use crate::python;

/// `logging.INFO` and `logging.WARNING`, the levels of a success and of a failure.
const INFO: u32 = 20;
const WARNING: u32 = 30;

pub(crate) struct PyHost {
    signer: Option<Py<PyAny>>,
}

impl PyHost {
    pub(crate) fn new(signer: Option<Py<PyAny>>) -> PyHost {
        PyHost { signer }
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.signer.as_ref().map_or(Ok(()), |signer| visit.call(signer))
    }

    fn sign(&self, py: Python<'_>, message: &[u8]) -> Option<Vec<u8>> {
        if !run_signal_handlers(py) {
            return None;
        }
        let signed = self.signer.as_ref()?.bind(py).call1((PyBytes::new(py, message),));
        match signed {
            Ok(signed) => {
                Some(signed.cast::<PyBytes>().map_or_else(|_| Vec::new(), |it| it.as_bytes().to_vec()))
            }
            Err(error) => {
                keep(py, RaisedBy::Signer, error);
                None
            }
        }
    }
}

// Uses `try_attach`, because at the interpreter's end nothing is left to call. `attach` would panic.
impl Host for PyHost {
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32> {
        match what {
            Callback::Sign => Python::try_attach(|py| self.sign(py, args)).flatten().ok_or(1),
            _ => Ok(Vec::new()),
        }
    }

    fn log(&self, attempt: &Attempt<'_>) {
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
            let logged = python!(py, "merchantpay._log", "attempt").and_then(|log| log.call1(line));
            if let Err(error) = logged {
                keep(py, RaisedBy::Log, error);
            }
        });
    }
}

/// Whether the logger has cached that this level is disabled. The check runs no Python code: Python code is slow,
/// and before 3.14 CPython ends a thread that runs it after the interpreter's end. The logger clears its cache
/// whenever its configuration changes.
fn is_disabled(py: Python<'_>, level: u32) -> bool {
    let logger = python!(py, "merchantpay._log", "logger");
    let cached = logger.and_then(|logger| logger.getattr("_cache")?.get_item(level)?.is_truthy());
    // If the level is not cached, or the logger's class caches it differently, the logger itself decides.
    cached.is_ok_and(|is_enabled| !is_enabled)
}

/// Whether the program has imported `logging`. If it has not, no handler gets the lines, and the import would take
/// as long as a program's first calls.
fn has_logging(py: Python<'_>) -> bool {
    static SEEN: AtomicBool = AtomicBool::new(false);
    if !SEEN.load(Ordering::Relaxed) {
        let modules = PyModule::import(py, "sys").and_then(|sys| sys.getattr("modules"));
        let is_there = modules.and_then(|modules| modules.contains("logging")).unwrap_or(true);
        SEEN.store(is_there, Ordering::Relaxed);
    }
    SEEN.load(Ordering::Relaxed)
}
