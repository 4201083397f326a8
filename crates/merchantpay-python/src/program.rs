//! The program `merchantpay`, as the wheel's console script runs it.

use std::ffi::OsString;

use merchantpay::Outcome;
use pyo3::prelude::*;

use crate::call::call;

/// Runs the program with its arguments, of which the first is its own name, and returns its exit status.
#[pyfunction]
pub(crate) fn _run(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    call(py, Outcome::Unknown, || Ok(merchantpay_cli::run(arguments)))
}
