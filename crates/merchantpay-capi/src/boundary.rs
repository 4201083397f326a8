//! The only place that converts C's pointers to Rust's values, and a `Result` to a code and an error. Panics
//! are caught here and in `handle`. Every exported function is one expression that calls functions of these
//! two modules.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use merchantpay::{Error, Outcome, Result};

use crate::constants::MPAY_OK;
use crate::error::mpay_error;
use crate::handle::{free, put};

/// Decides the outcome of a failure inside a function, if the error itself has no outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPhase {
    /// The function sends nothing, so a wrong argument or a panic means that nothing was sent.
    Setup,
    /// The function sends a request. A wrong argument is found before the request is sent, but a panic can
    /// come afterwards.
    Call,
    /// The function reads the reply to an earlier request. Whatever fails, the request may have taken effect.
    Reply,
}

impl CallPhase {
    fn run<T>(self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
            // The payload of a panic may panic when it is dropped.
            std::mem::forget(payload);
            let outcome = if self == CallPhase::Setup { Outcome::NotSent } else { Outcome::Unknown };
            Err(Error::internal(outcome, "internal error: please report it"))
        });
        result.map_err(|error| self.judge(error))
    }

    #[cold]
    fn judge(self, error: Error) -> Error {
        match (self, error.outcome()) {
            (CallPhase::Reply, Outcome::NotSent) => error.with_outcome(Outcome::Unknown),
            _ => error,
        }
    }
}

/// Runs a function that returns only a code.
///
/// # Safety
///
/// `error` is NULL or can be written.
pub(crate) unsafe fn run(
    phase: CallPhase,
    error: *mut *mut mpay_error,
    body: impl FnOnce() -> Result<()>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { put(error, std::ptr::null_mut()) };
    // SAFETY: the caller's promise.
    phase.run(body).map_or_else(|failure| unsafe { report(error, failure) }, |()| MPAY_OK)
}

/// Runs a function that makes a handle. `*out` is NULL unless the function succeeds.
///
/// # Safety
///
/// `out` and `error` are each NULL or can be written.
pub(crate) unsafe fn create_handle<T>(
    phase: CallPhase,
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
    phase: CallPhase,
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
    CallPhase::Setup.run(body).map_or_else(|failure| failure.code().number(), |()| MPAY_OK)
}

/// A handle that must not be NULL.
pub(crate) fn needed<T>(handle: Option<T>, name: &str) -> Result<T> {
    handle.ok_or_else(|| null(name))
}

/// Refuses a number that is not a constant of the header. The names of the possible constants begin with
/// `prefix`.
pub(crate) fn known<T>(value: Option<T>, name: &str, prefix: &str) -> Result<T> {
    value.ok_or_else(|| Error::invalid_argument(format!("{name} must be one of the {prefix} constants")))
}

/// A text that may be NULL.
///
/// # Safety
///
/// `text` is NULL or points to a NUL-terminated string that does not change during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not NULL, and otherwise the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| Error::invalid_argument(format!("{name} is not UTF-8")))
}

/// A text that must not be NULL.
///
/// # Safety
///
/// The condition of [`text`] holds.
pub(crate) unsafe fn needed_text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    needed(unsafe { text(pointer, name) }?, name)
}

/// A text from the network. Invalid UTF-8 in it is not the caller's fault, and becomes U+FFFD.
///
/// # Safety
///
/// The condition of [`text`] holds.
pub(crate) unsafe fn foreign_text<'a>(text: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: not NULL, and otherwise the caller's promise.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })?;
    // The lossy conversion is slower for valid UTF-8.
    Some(text.to_str().map_or_else(|_| text.to_string_lossy(), Cow::Borrowed))
}

/// Bytes; (NULL, 0) means no bytes.
///
/// # Safety
///
/// `data` is NULL, or points to `len` bytes that do not change during `'a`.
pub(crate) unsafe fn bytes<'a>(data: *const c_void, len: usize, name: &str) -> Result<&'a [u8]> {
    match (data.is_null(), len) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        (false, _) if isize::try_from(len).is_err() => Err(Error::invalid_argument(format!(
            "the length of {name} is larger than any memory block can be"
        ))),
        // SAFETY: not NULL, a length that can be, and otherwise the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data.cast(), len) }),
    }
}

#[cold]
fn null(name: &str) -> Error {
    Error::invalid_argument(format!("{name} is NULL"))
}

/// # Safety
///
/// `error` is NULL or can be written.
#[cold]
unsafe fn report(error: *mut *mut mpay_error, failure: Error) -> i32 {
    let code = failure.code().number();
    let made = catch_unwind(AssertUnwindSafe(|| Box::into_raw(Box::new(mpay_error::from(failure)))));
    // SAFETY: the caller's promise.
    unsafe { hand_over_error(error, made.unwrap_or(std::ptr::null_mut())) };
    code
}

/// # Safety
///
/// `error` is NULL or can be written; `made` is NULL, or a handle that C will own.
unsafe fn hand_over_error(error: *mut *mut mpay_error, made: *mut mpay_error) {
    if error.is_null() {
        if !made.is_null() {
            // SAFETY: made by `Box::into_raw` in `report`, and given to nobody.
            free(Some(unsafe { Box::from_raw(made) }));
        }
        return;
    }
    // SAFETY: the caller's promise.
    unsafe { put(error, made) };
}
