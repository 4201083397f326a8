//! The one way into the core: without the GIL, with panics caught, and with what Python code raised inside (a signer, a
//! logging handler, a Ctrl-C that one of them met) carried out again.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Error, Outcome, Result};
use pyo3::prelude::*;

use crate::error::{exception, is_ordinary};

thread_local! {
    /// What Python code raised while the core ran on this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps what Python code raised within a call of the core, until the call returns. A Ctrl-C is not lost to what comes after it.
pub(crate) fn keep(py: Python<'_>, error: PyErr) {
    RAISED.with_borrow_mut(|raised| {
        if raised.as_ref().is_none_or(|earlier| is_ordinary(py, earlier)) {
            *raised = Some(error);
        }
    });
}

/// Runs the core. `panicked` is the outcome to tell of should it panic.
pub(crate) fn call<T: Send>(py: Python<'_>, panicked: Outcome, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    // Python code within this call may make a call of its own.
    let outer = RAISED.take();
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let raised = RAISED.replace(outer);
    let error = match (result, raised) {
        (_, Some(raised)) if !is_ordinary(py, &raised) => return Err(raised),
        (Ok(Ok(value)), _) => return Ok(value),
        (Ok(Err(error)), raised) => {
            let error = exception(py, &error);
            error.set_cause(py, raised);
            error
        }
        (Err(_), _) => exception(py, &Error::internal(panicked, "the library panicked; its message is on stderr")),
    };
    Err(error)
}

/// Panics, for the test that a panic arrives as an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    call(py, Outcome::NotSent, || panic!("asked for"))
}
