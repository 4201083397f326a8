//! The life of a handle in C: made, read and freed. Panics are caught here, and none of these functions can
//! fail.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of mpay_payment_sum_minor and mpay_amounts_get_minor if there is no sum, or if the sum is not
/// in whole kopecks.
pub const MPAY_NO_MINOR: i64 = i64::MIN;

/// Reads from a handle. For a NULL handle it returns 0 or NULL.
pub(crate) fn read<T, R: NullDefault>(handle: Option<&T>, body: impl FnOnce(&T) -> R) -> R {
    read_or(handle, R::NULL_DEFAULT, body)
}

/// Reads from a handle. For a NULL handle it returns `default`.
pub(crate) fn read_or<T, R>(handle: Option<&T>, default: R, body: impl FnOnce(&T) -> R) -> R {
    handle.and_then(|handle| catch_unwind(AssertUnwindSafe(|| body(handle))).ok()).unwrap_or(default)
}

/// Reads bytes and their length from a handle. For a NULL handle it returns NULL and 0.
///
/// # Safety
///
/// `len` is NULL or can be written.
pub(crate) unsafe fn read_bytes<T>(
    handle: Option<&T>,
    len: *mut usize,
    body: impl FnOnce(&T) -> &[u8],
) -> *const c_void {
    let mut found = 0;
    let start = read(handle, |handle| {
        let bytes = body(handle);
        found = bytes.len();
        bytes.as_ptr().cast()
    });
    // SAFETY: the caller's promise.
    unsafe { put(len, found) };
    start
}

/// Writes a value to an out-parameter, which may be NULL.
///
/// # Safety
///
/// `place` is NULL or can be written.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not NULL, and otherwise the caller's promise.
        unsafe { place.write(value) };
    }
}

/// Runs a function without a result. It does nothing for a NULL handle.
pub(crate) fn act<T>(handle: Option<&T>, body: impl FnOnce(&T)) {
    let _ = catch_unwind(AssertUnwindSafe(|| handle.map(body)));
}

/// Makes a handle that C owns.
pub(crate) fn make<T>(body: impl FnOnce() -> T) -> *mut T {
    catch_unwind(AssertUnwindSafe(|| Box::into_raw(Box::new(body())))).unwrap_or(std::ptr::null_mut())
}

/// Drops a handle that C owned.
pub(crate) fn free<T>(handle: Option<Box<T>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
}

pub(crate) trait NullDefault {
    const NULL_DEFAULT: Self;
}

impl<T> NullDefault for *const T {
    const NULL_DEFAULT: Self = std::ptr::null();
}

macro_rules! null_default_is_zero {
    ($($type:ty)+) => { $( impl NullDefault for $type { const NULL_DEFAULT: Self = 0; } )+ };
}
null_default_is_zero!(i32 u32 u64 usize);

/// A signed 64-bit number is an amount, and for a NULL handle `MPAY_NO_MINOR`. Other such numbers are read by
/// [`read_or`].
impl NullDefault for i64 {
    const NULL_DEFAULT: Self = MPAY_NO_MINOR;
}
