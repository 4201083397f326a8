//! The one way into the core: without the GIL, with panics caught, and with what Python code raised inside (a signer, a
//! logging handler, a signal's handler) carried out again.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Error, Outcome, Result};
use pyo3::prelude::*;

use crate::error::{exception, is_ordinary};

thread_local! {
    /// What Python code raised while the core ran on this thread.
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// An exception that waits for the core to return.
enum Raised {
    /// By a signer or a logging handler: the cause of the call's error, if it has one.
    Aside(PyErr),
    /// By a signal's handler, or a Ctrl-C or an exit met anywhere: raised whatever became of the call.
    Through(PyErr),
}

/// Keeps what a signer or a logging handler raised, until the core returns.
pub(crate) fn keep(py: Python<'_>, error: PyErr) {
    keep_first(if is_ordinary(py, &error) { Raised::Aside(error) } else { Raised::Through(error) });
}

/// Runs the handlers of signals that came meanwhile, as the interpreter would after the call. Asked before Python code runs,
/// which would run them too and hide whose exception it was. False if one of them raised.
pub(crate) fn hear_signals(py: Python<'_>) -> bool {
    let heard = py.check_signals();
    heard.map_err(|error| keep_first(Raised::Through(error))).is_ok()
}

/// What is raised through is not lost to what comes after it.
fn keep_first(new: Raised) {
    let lost = RAISED.with_borrow_mut(|raised| if matches!(raised, Some(Raised::Through(_))) { Some(new) } else { raised.replace(new) });
    // Not while it is borrowed: what an exception holds may be dropped by Python code that comes here again.
    drop(lost);
}

/// Runs the core. `panicked` is the outcome to tell of should it panic.
pub(crate) fn call<T: Send>(py: Python<'_>, panicked: Outcome, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    // Python code within this call may make a call of its own.
    let outer = RAISED.take();
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let raised = RAISED.replace(outer);
    let error = match (result, raised) {
        (_, Some(Raised::Through(raised))) => return Err(raised),
        (Ok(Ok(value)), _) => return Ok(value),
        (Ok(Err(error)), Some(Raised::Aside(raised))) => {
            let error = exception(py, &error);
            error.set_cause(py, Some(raised));
            error
        }
        (Ok(Err(error)), None) => exception(py, &error),
        (Err(_), _) => exception(py, &Error::internal(panicked, "the library panicked; its message is on stderr")),
    };
    Err(error)
}

/// Panics, for the test that a panic arrives as an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    call(py, Outcome::NotSent, || panic!("asked for"))
}
