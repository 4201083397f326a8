//! The one way into the core: without the GIL, with panics caught, and with what Python code raised inside (a
//! signer, a logging handler, a signal's handler) carried out again.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Code, Error, Outcome, Result};
use pyo3::prelude::*;

use crate::error::{exception, is_ordinary};

thread_local! {
    /// What Python code raised while the core ran on this thread.
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// An exception that waits for the core to return.
enum Raised {
    /// By a signer, a logging handler or a database's driver: the cause of the call's error, if it has one.
    Cause(RaisedBy, PyErr),
    /// By a signal's handler, or a Ctrl-C or an exit met anywhere: raised whatever became of the call.
    Overriding(PyErr),
}

/// Who raised it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RaisedBy {
    Signer,
    Log,
    /// The cause of an error of the code `storage` alone: what failed may have been repeated.
    Database,
}

/// Keeps what a signer, a logging handler or a database's driver raised, until the core returns.
pub(crate) fn keep(py: Python<'_>, by: RaisedBy, error: PyErr) {
    keep_first(if is_ordinary(py, &error) { Raised::Cause(by, error) } else { Raised::Overriding(error) });
}

/// Runs the handlers of signals that came meanwhile, as the interpreter would after the call. Asked before
/// Python code runs, which would run them too, and their exceptions would look like its own. False if one of them raised.
pub(crate) fn run_signal_handlers(py: Python<'_>) -> bool {
    let ran = py.check_signals();
    ran.map_err(|error| keep_first(Raised::Overriding(error))).is_ok()
}

/// An exception that overrides the result is not replaced by a later one.
fn keep_first(new: Raised) {
    let lost = RAISED.with_borrow_mut(|raised| {
        if matches!(raised, Some(Raised::Overriding(_))) { Some(new) } else { raised.replace(new) }
    });
    // Not while it is borrowed: what an exception holds may be dropped by Python code that comes here again.
    drop(lost);
}

/// Runs the core. `panicked` is the outcome of the error if it panics.
pub(crate) fn call<T: Send>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    attempt(py, panicked, work)?.map_err(|failed| failed.into_exception(py))
}

/// A failure of the core, and what a signer or a logging handler raised meanwhile.
pub(crate) struct Failed {
    pub(crate) error: Error,
    raised: Option<(RaisedBy, PyErr)>,
}

impl Failed {
    /// The exception for it, with what was raised as its cause.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        let exception = exception(py, &self.error);
        let is_cause = |by| by != RaisedBy::Database || self.error.code() == Code::Storage;
        if let Some((_, raised)) = self.raised.filter(|(by, _)| is_cause(*by)) {
            exception.set_cause(py, Some(raised));
        }
        exception
    }

    pub(crate) fn is_by_signer(&self) -> bool {
        matches!(self.raised, Some((RaisedBy::Signer, _)))
    }
}

/// The same, for who looks at a failure before it is raised.
pub(crate) fn attempt<T: Send>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<std::result::Result<T, Failed>> {
    // Python code within this call may make a call of its own.
    let outer = RAISED.take();
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let raised = RAISED.replace(outer);
    let raised = match raised {
        Some(Raised::Overriding(raised)) => return Err(raised),
        Some(Raised::Cause(by, raised)) => Some((by, raised)),
        None => None,
    };
    let panicked = |_| {
        Err(Error::internal(panicked, "internal error: please report it; the panic's message is on stderr"))
    };
    Ok(result.unwrap_or_else(panicked).map_err(|error| Failed { error, raised }))
}

/// Panics, for the test that a panic arrives as an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    call(py, Outcome::NotSent, || panic!("asked for"))
}
