//! The only way into the waist. It releases the GIL and catches panics. Exceptions from Python code inside a
//! call (a signer, a logging handler, a signal handler) are raised after the call.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Error, Outcome, Result};
use pyo3::prelude::*;

use crate::error::{exception, is_ordinary};

thread_local! {
    /// The exception of Python code that the core called on this thread. Not dropped, so that it can be used while
    /// the process ends: uWSGI ends Python after the destructors of the main thread.
    static RAISED: ManuallyDrop<RefCell<Option<Raised>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

/// An exception that waits until the core returns.
enum Raised {
    /// From a signer or a logging handler: becomes the cause of the call's error, if the call fails.
    Cause(RaisedBy, PyErr),
    /// From a signal handler, or a KeyboardInterrupt or SystemExit of any code: raised even if the call
    /// succeeds.
    Overriding(PyErr),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RaisedBy {
    Signer,
    Log,
}

pub(crate) fn keep(py: Python<'_>, by: RaisedBy, error: PyErr) {
    store_raised(if is_ordinary(py, &error) { Raised::Cause(by, error) } else { Raised::Overriding(error) });
}

/// Runs pending signal handlers, as the interpreter would after the call. Call it before Python code: if a
/// handler ran inside that code, the handler's exception would look like an exception of the code itself.
/// Returns false if a handler raised an exception.
pub(crate) fn run_signal_handlers(py: Python<'_>) -> bool {
    let ran = py.check_signals();
    ran.map_err(|error| store_raised(Raised::Overriding(error))).is_ok()
}

fn store_raised(new: Raised) {
    let lost = RAISED.with(|raised| {
        let mut raised = raised.borrow_mut();
        if matches!(*raised, Some(Raised::Overriding(_))) { Some(new) } else { raised.replace(new) }
    });
    // `lost` is dropped after the borrow ends: dropping an exception can run Python code that calls this
    // function again.
    drop(lost);
}

/// A failure of the core, and the exception that Python code raised during the call.
pub(crate) struct Failed {
    pub(crate) error: Error,
    raised: Option<(RaisedBy, PyErr)>,
}

impl Failed {
    /// The exception for the failure, with the kept exception as its cause.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        let exception = exception(py, self.error);
        if let Some((_, raised)) = self.raised {
            exception.set_cause(py, Some(raised));
        }
        exception
    }

    pub(crate) fn is_by_signer(&self) -> bool {
        matches!(self.raised, Some((RaisedBy::Signer, _)))
    }
}

/// Runs `work`, which catches its own panics, without the GIL.
pub(crate) fn attempt<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<std::result::Result<T, Failed>> {
    // This call can be inside the Python code of an outer call, so the outer call's exception is saved first.
    let outer = RAISED.with(|raised| raised.take());
    let result = py.detach(work);
    let raised = match RAISED.with(|raised| raised.replace(outer)) {
        Some(Raised::Overriding(raised)) => return Err(raised),
        Some(Raised::Cause(by, raised)) => Some((by, raised)),
        None => None,
    };
    Ok(result.map_err(|error| Failed { error, raised }))
}

/// Like [`attempt`], and raises the failure.
pub(crate) fn call<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    attempt(py, work)?.map_err(|failed| failed.into_exception(py))
}

/// Turns a panic of the code between Python and the waist into an `InternalError`. PyO3's own exception is no
/// `Exception`, so a program's handlers would miss it.
pub(crate) fn guarded<T>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        // The payload of a panic may panic when it is dropped.
        std::mem::forget(payload);
        Err(exception(py, Error::internal(panicked, "internal error: please report it")))
    })
}

/// Panics on purpose: a test checks that a panic becomes an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    guarded(py, Outcome::NotSent, || panic!("asked for"))
}
