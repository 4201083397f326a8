//! The host's own code: a log and a signer.

use std::sync::Arc;

use merchantpay::{Attempt, Error, PublicKey, Result, Signature, Signer, words};

use crate::frame::Bytes;
use crate::put::Put;
use crate::writer::FrameWriter;

words! {
    /// What the library asks of its host. The host's code runs on the thread that makes the call, possibly on
    /// several threads at once, and must not throw or jump out of it.
    pub enum Callback {
        /// Nothing more will be asked: the host forgets the token. It may come from any thread.
        Release = "release", 0, since "0.4.0";
        /// An HTTP attempt has ended: the record `attempt`. The answer is ignored.
        Log = "log", 1, since "0.4.0";
        /// Sign these bytes, which are no frame. The answer is the 64 bytes of the signature.
        Sign = "sign", 2, since "0.4.0";
    }
}

/// Code of the host that opened an object.
pub trait Host: Send + Sync {
    /// Runs the host's code.
    ///
    /// # Errors
    ///
    /// The number with which the host failed. The host keeps its own exception.
    fn ask(&self, what: Callback, args: &[u8]) -> Result<Vec<u8>, i32>;

    /// Logs an attempt. A host that is Rust reads it as it is.
    fn log(&self, attempt: &Attempt<'_>) {
        let mut writer = FrameWriter::default();
        attempt.put(&mut writer);
        if let Ok(frame) = writer.finish() {
            let _ = self.ask(Callback::Log, frame.as_ref());
        }
    }
}

/// A key that only the host can use.
pub(crate) struct HostSigner {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) public_key: PublicKey,
}

impl Signer for HostSigner {
    fn public_key(&self) -> PublicKey {
        self.public_key
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        let answer = self.host.ask(Callback::Sign, message).map(Bytes::from);
        let answer = answer
            .map_err(|number| Error::signer_failed(format!("the signer callback failed with {number}")))?;
        let signature = <[u8; 64]>::try_from(answer.as_ref())
            .map_err(|_| Error::signer_failed("the signer callback did not return 64 bytes"))?;
        Ok(Signature::from_bytes(signature))
    }
}
