//! The only way into the core. It releases the GIL and catches panics. Exceptions from Python code inside a
//! call (a signer, a logging handler, a signal handler) are raised after it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Code, Error, Outcome, Result};
use pyo3::prelude::*;

use crate::error::{exception, is_ordinary};

thread_local! {
    /// The exception of Python code that the core called on this thread.
    static RAISED: RefCell<Option<Raised>> = const { RefCell::new(None) };
}

/// An exception that waits until the core returns.
enum Raised {
    /// From a signer, a logging handler or a database driver: becomes the cause of the call's error, if the
    /// call fails.
    Cause(RaisedBy, PyErr),
    /// From a signal handler, or a Ctrl-C or an exit at any point: raised whatever the call's result is.
    Overriding(PyErr),
}

/// The source of an exception.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RaisedBy {
    Signer,
    Log,
    /// Its exception becomes the cause of an error only if the code is `storage`: the journal may have
    /// repeated the failed statement with success.
    Database,
}

/// Keeps an exception of a signer, a logging handler or a database driver until the core returns.
pub(crate) fn keep(py: Python<'_>, by: RaisedBy, error: PyErr) {
    keep_first(if is_ordinary(py, &error) { Raised::Cause(by, error) } else { Raised::Overriding(error) });
}

/// Runs pending signal handlers, as the interpreter would after the call. This must happen before Python code
/// runs: an exception of a handler that runs inside that code would look like an exception of the code
/// itself. Returns false if a handler raised an exception.
pub(crate) fn run_signal_handlers(py: Python<'_>) -> bool {
    let ran = py.check_signals();
    ran.map_err(|error| keep_first(Raised::Overriding(error))).is_ok()
}

/// A later exception does not replace one that overrides the result.
fn keep_first(new: Raised) {
    let lost = RAISED.with_borrow_mut(|raised| {
        if matches!(raised, Some(Raised::Overriding(_))) { Some(new) } else { raised.replace(new) }
    });
    // Dropped after the borrow ends: dropping an exception may run Python code that enters here again.
    drop(lost);
}

/// Runs the core. `panicked` is the outcome of the error after a panic.
pub(crate) fn call<T: Send>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    attempt(py, panicked, work)?.map_err(|failed| failed.into_exception(py))
}

/// A failure of the core, and the exception that a signer or a logging handler raised meanwhile.
pub(crate) struct Failed {
    pub(crate) error: Error,
    raised: Option<(RaisedBy, PyErr)>,
}

impl Failed {
    /// The exception for the failure, with the kept exception as its cause.
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

/// Like [`call`], for a caller that inspects a failure before it is raised.
pub(crate) fn attempt<T: Send>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<std::result::Result<T, Failed>> {
    // Python code within this call may make another call.
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

/// Panics, for a test that a panic becomes an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    call(py, Outcome::NotSent, || panic!("asked for"))
}
