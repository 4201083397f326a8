//! The signer callback, for a private key that the library does not hold.

use std::ffi::c_void;
use std::sync::Arc;

use merchantpay::{Error, PublicKey, Result, Signature, Signer};

use crate::user_data::UserData;

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

/// The callback and its user data.
#[derive(Clone)]
pub(crate) struct SignerCallback {
    callback: unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void) -> i32,
    user_data: Arc<UserData>,
}

impl SignerCallback {
    pub(crate) fn new(
        callback: unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void) -> i32,
        user_data: UserData,
    ) -> SignerCallback {
        SignerCallback { callback, user_data: Arc::new(user_data) }
    }
}

/// The callback as a signer for the core, which checks each signature before anything is sent.
pub(crate) struct CallbackSigner {
    pub(crate) callback: SignerCallback,
    pub(crate) public_key: PublicKey,
}

impl Signer for CallbackSigner {
    fn public_key(&self) -> PublicKey {
        self.public_key
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        let mut signature = [0u8; 64];
        let SignerCallback { callback, user_data } = &self.callback;
        // SAFETY: the caller's function with the caller's data; message and signature live until it returns.
        let answer = unsafe {
            callback(
                user_data.pointer(),
                message.as_ptr().cast(),
                message.len(),
                signature.as_mut_ptr().cast(),
            )
        };
        match answer {
            0 => Ok(Signature::from_bytes(signature)),
            number => Err(Error::signer_failed(format!("the signer callback failed with {number}"))),
        }
    }
}
