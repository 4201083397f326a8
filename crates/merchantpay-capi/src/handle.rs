//! A handle's life in C: made, read and freed. A panic is caught here, and none of it fails.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads from a handle. A handle that is NULL has nothing: 0 or NULL.
pub(crate) fn read<T, R: NullDefault>(handle: Option<&T>, body: impl FnOnce(&T) -> R) -> R {
    handle.and_then(|handle| catch_unwind(AssertUnwindSafe(|| body(handle))).ok()).unwrap_or(R::NULL_DEFAULT)
}

/// Reads bytes from a handle, and how many there are. A handle that is NULL has none: NULL and 0.
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

/// Gives a value by an out-parameter, which may be NULL.
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

/// A pointer to what its owner keeps; NULL where there is nothing.
#[cfg(feature = "journal")]
pub(crate) fn borrowed<T>(value: Option<&T>) -> *const T {
    value.map_or(std::ptr::null(), std::ptr::from_ref)
}

/// Does what gives nothing back. A handle that is NULL does nothing.
pub(crate) fn act<T>(handle: Option<&T>, body: impl FnOnce(&T)) {
    let _ = catch_unwind(AssertUnwindSafe(|| handle.map(body)));
}

/// Makes a handle that C owns.
pub(crate) fn make<T>(body: impl FnOnce() -> T) -> *mut T {
    catch_unwind(AssertUnwindSafe(|| Box::into_raw(Box::new(body())))).unwrap_or(std::ptr::null_mut())
}

/// Drops what C owned.
pub(crate) fn free<T>(handle: Option<Box<T>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
}

/// What a getter gives where there is nothing.
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

/// Only amounts are signed 64-bit numbers: `MPAY_NO_MINOR`.
impl NullDefault for i64 {
    const NULL_DEFAULT: Self = i64::MIN;
}
