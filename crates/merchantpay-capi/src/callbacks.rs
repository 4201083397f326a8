//! The callbacks of a config: a log and a signer.

use std::ffi::c_void;
use std::sync::Arc;

use merchantpay_calls::{Callback, Host};

use crate::arguments::{Argument, list};
use crate::record::Record;
use crate::typed::mpay_attempt;

/// Releases the user data of a callback, such as a reference count. It is called exactly once, on any thread,
/// when the callback cannot be called any more. It is also called if the setter fails, and if the callback is
/// NULL. If the release callback itself is NULL, nothing is released. It must return normally: it must not
/// throw or call longjmp, and must not use the library.
pub type mpay_release_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A callback that gets every HTTP attempt after the attempt's end, on the thread that makes the call.
/// Several threads can call the callback at once. It must return normally: it must not throw or call longjmp.
pub type mpay_log_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, attempt: *const mpay_attempt)>;

/// A callback that signs the `len` bytes of `message` with the merchant's private key. It writes the 64 bytes
/// of the detached ed25519 signature, not base64, to `signature`, and returns 0. Any other number means that
/// signing failed; the call then fails with MPAY_SIGNER and MPAY_OUTCOME_NOT_SENT. Several threads can call
/// the callback at once. It must return normally: it must not throw or call longjmp.
pub type mpay_signer_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        message: *const c_void,
        len: usize,
        signature: *mut c_void,
    ) -> i32,
>;

type LogFunction = unsafe extern "C" fn(*mut c_void, *const mpay_attempt);
type SignerFunction = unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void) -> i32;

/// The functions of a config, which everything that is opened with it shares.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) log: Option<(LogFunction, Arc<UserData>)>,
    pub(crate) signer: Option<(SignerFunction, Arc<UserData>)>,
}

impl Callbacks {
    /// The names of those that are set, as the waist takes them.
    pub(crate) fn names(&self) -> Argument<'static> {
        let set = [
            self.log.is_some().then_some(Callback::Log.name()),
            self.signer.is_some().then_some(Callback::Sign.name()),
        ];
        list(set.into_iter().flatten().map(|name| Some(name.as_bytes())))
    }

    pub(crate) fn host(&self) -> Option<Arc<dyn Host>> {
        Some(Arc::new(self.clone()))
    }
}

impl Host for Callbacks {
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32> {
        match (what, &self.log, &self.signer) {
            (Callback::Log, Some((log, user_data)), _) => {
                let attempt = mpay_attempt(Record::read(args));
                // SAFETY: the caller's function with the caller's data; the attempt lives until it returns.
                unsafe { log(user_data.pointer, &raw const attempt) };
                Ok(Vec::new())
            }
            (Callback::Sign, _, Some((signer, user_data))) => {
                let (mut signature, message) = (vec![0; 64], args.as_ptr().cast());
                // SAFETY: the caller's function with the caller's data; message and signature live until it returns.
                match unsafe { signer(user_data.pointer, message, args.len(), signature.as_mut_ptr().cast()) }
                {
                    0 => Ok(signature),
                    number => Err(number),
                }
            }
            _ => Ok(Vec::new()),
        }
    }
}

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
    pub(crate) fn new(pointer: *mut c_void, release: mpay_release_callback) -> Arc<UserData> {
        Arc::new(UserData { pointer, release })
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
