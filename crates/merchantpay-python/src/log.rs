//! One line for each attempt, to the standard `logging` module.

use merchantpay::{Attempt, Code, Outcome};
use pyo3::prelude::*;

use crate::call::{hear_signals, keep};
use crate::python_half;

/// Tells the logger `merchantpay`. Called by the core on the calling thread, without the GIL.
pub(crate) fn observe(attempt: &Attempt<'_>) {
    // Not `attach`: at the interpreter's end there is nobody left to tell.
    let _ = Python::try_attach(|py| {
        let _ = hear_signals(py);
        let line = (
            attempt.operation,
            attempt.order_id,
            attempt.number,
            attempt.http_status,
            attempt.elapsed.as_secs_f64() * 1000.0,
            attempt.code.map(Code::name),
            attempt.outcome.map(Outcome::name),
        );
        let told = python_half!(py, "merchantpay._log", "attempt").and_then(|log| log.call1(line));
        if let Err(error) = told {
            keep(py, error);
        }
    });
}
