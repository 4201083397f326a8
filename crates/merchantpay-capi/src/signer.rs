//! `mpay_config_set_signer_callback`: a private key that stays where it is.

use std::ffi::c_void;

use merchantpay::{Error, PublicKey, Result, Signature, Signer};

use crate::boundary::{needed, set};
use crate::config::mpay_config;

/// Signs len bytes of message with the merchant's private key: writes the 64 bytes of the detached ed25519
/// signature, not as base64, and returns 0. Any other number means that it could not; the call then fails
/// with MPAY_SIGNER and MPAY_OUTCOME_NOT_SENT. It may be called by several threads at once. It must return,
/// not jump or throw.
pub type mpay_signer_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        message: *const c_void,
        len: usize,
        signature: *mut c_void,
    ) -> i32,
>;

/// The callback and what it asked to be given.
#[derive(Clone, Copy)]
pub(crate) struct SignerCallback {
    callback: unsafe extern "C" fn(*mut c_void, *const c_void, usize, *mut c_void) -> i32,
    user_data: *mut c_void,
}

// SAFETY: the header asks of the caller that the callback and its data can be used by every thread that
// calls.
unsafe impl Send for SignerCallback {}
// SAFETY: as above.
unsafe impl Sync for SignerCallback {}

/// The callback as the core sees it, which checks each of its signatures before anything is sent.
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
        let SignerCallback { callback, user_data } = self.callback;
        // SAFETY: the caller's function with the caller's data; message and signature live until it returns.
        let answer = unsafe {
            callback(user_data, message.as_ptr().cast(), message.len(), signature.as_mut_ptr().cast())
        };
        match answer {
            0 => Ok(Signature::from_bytes(signature)),
            number => Err(Error::signer_failed(format!("the signer callback failed with {number}"))),
        }
    }
}

/// Sets who signs in place of private_key, such as an HSM; NULL for nobody. mpay_config_set_public_key has to
/// name its public key, under which each signature is checked before anything is sent: MPAY_INVALID_KEY where
/// it does not verify. user_data is handed back as it is: it and the function must be usable, by every thread
/// that calls, until what was made of these settings is freed. Returns MPAY_OK or MPAY_INVALID_ARGUMENT. One
/// thread at a time. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_config_set_signer_callback(
    config: Option<&mut mpay_config>,
    callback: mpay_signer_callback,
    user_data: *mut c_void,
) -> i32 {
    set(|| {
        needed(config, "config")?.signer = callback.map(|callback| SignerCallback { callback, user_data });
        Ok(())
    })
}
