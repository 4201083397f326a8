//! The user data of a callback, and the function that releases it.

use std::ffi::c_void;

/// Releases the user data of a callback, such as a reference count. It is called exactly once, on any thread,
/// when the callback cannot be called any more. It is also called if the setter fails, and if the callback is
/// NULL. If the release callback itself is NULL, nothing is released. It must return normally: it must not
/// throw or call longjmp, and must not use the library.
pub type mpay_release_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The user data of a callback, which is released when this value is dropped.
pub(crate) struct UserData {
    pointer: *mut c_void,
    release: mpay_release_callback,
}

// SAFETY: the header asks of the caller that the data can be used and released by any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(pointer: *mut c_void, release: mpay_release_callback) -> UserData {
        UserData { pointer, release }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the caller's function with the caller's data, once: this is its one owner.
            unsafe { release(self.pointer) }
        }
    }
}
