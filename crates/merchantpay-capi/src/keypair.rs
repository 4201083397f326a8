//! `mpay_keypair`: new keys (contract, section 5).

use std::ffi::c_char;

use merchantpay::{Keypair, Result};
use zeroize::Zeroizing;

use crate::boundary::{CallPhase, create_handle};
use crate::error::mpay_error;
use crate::handle::{free, read};
use crate::texts::Texts;

/// A new pair of keys. The private key is wiped from memory when the pair is freed. Any number of threads may
/// read the pair at once.
pub struct mpay_keypair {
    /// NUL-terminated.
    private_key: Zeroizing<Vec<u8>>,
    public_key: Texts<1>,
}

impl mpay_keypair {
    fn generate() -> Result<mpay_keypair> {
        let pair = Keypair::generate()?;
        let text = pair.private_key().to_base64();
        // The buffer has its full size from the start: a growing vector would leave copies of the key in
        // memory.
        let mut private_key = Zeroizing::new(Vec::with_capacity(text.len() + 1));
        private_key.extend_from_slice(text.as_bytes());
        private_key.push(0);
        Ok(mpay_keypair { private_key, public_key: Texts::new([Some(&pair.public_key().to_base64())]) })
    }
}

/// Makes a pair from the operating system's random bytes. Give the public key to the service and keep the
/// private key secret. Returns MPAY_OK or MPAY_INTERNAL. *out is to be freed by mpay_keypair_free. Any
/// thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpay_keypair_generate(
    out: *mut *mut mpay_keypair,
    error: *mut *mut mpay_error,
) -> i32 {
    // SAFETY: the header's rule for out-pointers.
    unsafe { create_handle(CallPhase::Setup, out, error, mpay_keypair::generate) }
}

/// The private key: base64 of 64 bytes, in the format of mpay_config_set_private_key. It is a secret.
/// Borrowed from the pair. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_keypair_private_key(keypair: Option<&mpay_keypair>) -> *const c_char {
    read(keypair, |keypair| keypair.private_key.as_ptr().cast())
}

/// The public key: base64 of 32 bytes. Borrowed from the pair. Any thread. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_keypair_public_key(keypair: Option<&mpay_keypair>) -> *const c_char {
    read(keypair, |keypair| keypair.public_key.get(0))
}

/// Frees a pair and wipes its private key; NULL is allowed. Any thread, once. Since 0.1.0.
#[unsafe(no_mangle)]
pub extern "C" fn mpay_keypair_free(keypair: Option<Box<mpay_keypair>>) {
    free(keypair);
}
