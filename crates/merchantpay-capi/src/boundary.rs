//! Turns a `Result` into a code and an error. Panics are caught here and in `handle`: every exported function is
//! one expression that calls functions of these two modules.

use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::Result;
use merchantpay_calls::Phase;

use crate::arguments::null;
use crate::constants::{MPAY_INTERNAL, MPAY_OK};
use crate::handle::{free, put};
use crate::places::error;
use crate::record::Record;
use crate::typed::mpay_error;

/// Runs a function that returns only a code.
///
/// # Safety
///
/// `error` is NULL or can be written.
pub(crate) unsafe fn run(
    phase: Phase,
    error: *mut *mut mpay_error,
    body: impl FnOnce() -> Result<()>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { put(error, std::ptr::null_mut()) };
    // SAFETY: the caller's promise.
    phase
        .run(body)
        .map_or_else(|failure| unsafe { report(error, || Record::of_error(&failure)) }, |()| MPAY_OK)
}

/// Runs a function that makes a handle. `*out` is NULL unless the function succeeds.
///
/// # Safety
///
/// `out` and `error` are each NULL or can be written.
pub(crate) unsafe fn create_handle<T>(
    phase: Phase,
    out: *mut *mut T,
    error: *mut *mut mpay_error,
    body: impl FnOnce() -> Result<T>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { create_optional_handle(phase, out, error, || body().map(Some)) }
}

/// Runs a function that makes a handle or has nothing to return. If it has nothing to return, `*out` is NULL.
///
/// # Safety
///
/// The conditions of [`create_handle`] hold.
pub(crate) unsafe fn create_optional_handle<T>(
    phase: Phase,
    out: *mut *mut T,
    error: *mut *mut mpay_error,
    body: impl FnOnce() -> Result<Option<T>>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        put(out, std::ptr::null_mut());
        run(phase, error, || {
            if out.is_null() {
                return Err(null("out"));
            }
            if let Some(made) = body()? {
                put(out, Box::into_raw(Box::new(made)));
            }
            Ok(())
        })
    }
}

/// Runs a setter. It returns the code, and the handle remembers the error.
pub(crate) fn set(body: impl FnOnce() -> Result<()>) -> i32 {
    Phase::Setup.run(body).map_or_else(|failure| failure.code().number(), |()| MPAY_OK)
}

/// Hands an error over, and returns its code.
///
/// # Safety
///
/// `error` is NULL or can be written.
#[cold]
pub(crate) unsafe fn report(error: *mut *mut mpay_error, failure: impl FnOnce() -> Record) -> i32 {
    let made = catch_unwind(AssertUnwindSafe(|| Box::new(mpay_error(failure()))));
    let Ok(made) = made else { return MPAY_INTERNAL };
    let code = made.0.number(&[error::NUMBER]);
    if error.is_null() {
        free(Some(made));
    } else {
        // SAFETY: the caller's promise.
        unsafe { put(error, Box::into_raw(made)) };
    }
    code
}
