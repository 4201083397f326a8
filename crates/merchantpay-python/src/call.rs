//! The one way into the core: without the GIL, with panics caught, and with what Python code raised inside (a
//! signer, a logging handler, a signal's handler) carried out again.

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
    Aside(Whose, PyErr),
    /// By a signal's handler, or a Ctrl-C or an exit met anywhere: raised whatever became of the call.
    Through(PyErr),
}

/// Who raised it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    Signer,
    Log,
}

/// Keeps what a signer or a logging handler raised, until the core returns.
pub(crate) fn keep(py: Python<'_>, whose: Whose, error: PyErr) {
    keep_first(if is_ordinary(py, &error) { Raised::Aside(whose, error) } else { Raised::Through(error) });
}

/// Runs the handlers of signals that came meanwhile, as the interpreter would after the call. Asked before
/// Python code runs, which would run them too and hide whose exception it was. False if one of them raised.
pub(crate) fn hear_signals(py: Python<'_>) -> bool {
    let heard = py.check_signals();
    heard.map_err(|error| keep_first(Raised::Through(error))).is_ok()
}

/// What is raised through is not lost to what comes after it.
fn keep_first(new: Raised) {
    let lost = RAISED.with_borrow_mut(|raised| {
        if matches!(raised, Some(Raised::Through(_))) { Some(new) } else { raised.replace(new) }
    });
    // Not while it is borrowed: what an exception holds may be dropped by Python code that comes here again.
    drop(lost);
}

/// Runs the core. `panicked` is the outcome to tell of should it panic.
pub(crate) fn call<T: Send>(
    py: Python<'_>,
    panicked: Outcome,
    work: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    attempt(py, panicked, work)?.map_err(|failed| failed.told(py))
}

/// A failure of the core, and what a signer or a logging handler raised meanwhile.
pub(crate) struct Failed {
    pub(crate) error: Error,
    raised: Option<(Whose, PyErr)>,
}

impl Failed {
    /// The exception for it, with what was raised as its cause.
    pub(crate) fn told(self, py: Python<'_>) -> PyErr {
        let told = exception(py, &self.error);
        if let Some((_, raised)) = self.raised {
            told.set_cause(py, Some(raised));
        }
        told
    }

    pub(crate) fn is_by_signer(&self) -> bool {
        matches!(self.raised, Some((Whose::Signer, _)))
    }
}

/// The same, for who looks at a failure before it is told.
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
        Some(Raised::Through(raised)) => return Err(raised),
        Some(Raised::Aside(whose, raised)) => Some((whose, raised)),
        None => None,
    };
    let panicked = |_| Err(Error::internal(panicked, "the library panicked; its message is on stderr"));
    Ok(result.unwrap_or_else(panicked).map_err(|error| Failed { error, raised }))
}

/// Panics, for the test that a panic arrives as an `InternalError`.
#[pyfunction]
pub(crate) fn _panic(py: Python<'_>) -> PyResult<()> {
    call(py, Outcome::NotSent, || panic!("asked for"))
}
