//! C's texts.

use std::ffi::{CStr, CString, c_char};

pub(crate) fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

pub(crate) fn shown<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: a text of the library, borrowed from a handle that the test keeps.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}
