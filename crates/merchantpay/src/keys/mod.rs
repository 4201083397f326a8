//! ed25519 keys and signatures in the contract's format (section 5): standard base64 of 64 bytes (private
//! key), 32 bytes (public key) and 64 bytes (signature).

mod key_table;
mod table_cache;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use base64::prelude::BASE64_STANDARD;
use base64::{DecodeSliceError, Engine};
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{SigningKey, VerifyingKey};
use sha2::Sha512;
use zeroize::Zeroizing;

use self::table_cache::PROCESS;
use crate::error::{Error, Outcome, Result};
use crate::setting_text::{TextRule, fault, trim};

/// Signs the bytes of a request. [`PrivateKey`] is a signer. Implement your own signer to leave the key in an
/// HSM.
///
/// The library checks each signature against [`Signer::public_key`] before anything is sent.
pub trait Signer: Send + Sync {
    /// The public key with which the service verifies this merchant's signatures.
    fn public_key(&self) -> PublicKey;

    /// The detached ed25519 signature of `message`.
    ///
    /// # Errors
    ///
    /// The reason why the key could not sign. Nothing was sent.
    fn sign(&self, message: &[u8]) -> Result<Signature>;
}

impl<S: Signer + ?Sized> Signer for Arc<S> {
    fn public_key(&self) -> PublicKey {
        (**self).public_key()
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        (**self).sign(message)
    }
}

/// The signer of a client or a protocol. Code of the host may be wrong, and may panic; a key of this library is
/// trusted, which saves a verification for each request.
#[derive(Clone)]
pub(crate) struct RequestSigner {
    signer: Arc<dyn Signer>,
    is_host_code: bool,
}

impl RequestSigner {
    /// Knows a key of this library by its type: a host cannot override that, as it could a method of the trait.
    pub(crate) fn new<S: Signer + 'static>(signer: S) -> RequestSigner {
        let any: &dyn Any = &signer;
        let is_host_code = !any.is::<PrivateKey>() && !any.is::<Arc<PrivateKey>>();
        RequestSigner { signer: Arc::new(signer), is_host_code }
    }

    pub(crate) fn is_host_code(&self) -> bool {
        self.is_host_code
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        self.signer.public_key()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Result<Signature> {
        let signed = catch_unwind(AssertUnwindSafe(|| {
            let signature = self.signer.sign(message)?;
            if self.is_host_code && !self.signer.public_key().verifies(message, &signature) {
                return Err(Error::invalid_key(
                    "the signer's signature does not verify under the signer's public key",
                ));
            }
            Ok(signature)
        }));
        // Nothing was sent, whatever outcome the host's error has.
        signed
            .unwrap_or_else(|_| Err(Error::signer_failed("the signer panicked")))
            .map_err(|error| error.with_outcome(Outcome::NotSent))
    }
}

/// A private key: 64 bytes, the seed followed by the public key, as base64 (contract, section 5). The key is
/// wiped from memory when it is dropped.
pub struct PrivateKey {
    key: SigningKey,
    /// Kept, because deriving it from the seed is 2 % of the cost of a signature.
    expanded: ExpandedSecretKey,
}

impl PrivateKey {
    fn new(key: SigningKey) -> PrivateKey {
        let expanded = ExpandedSecretKey::from(key.as_bytes());
        PrivateKey { key, expanded }
    }

    /// Reads the base64 of 64 bytes. Spaces and line ends around it are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_key` if the text is not standard base64 with padding, has another length, or has halves that
    /// do not belong together.
    pub fn from_base64(text: &str) -> Result<PrivateKey> {
        let bytes = decode_key::<64>(text, "the private key")?;
        SigningKey::from_keypair_bytes(&bytes).map(PrivateKey::new).map_err(|_| {
            Error::invalid_key(
                "the private key's halves do not belong together: its last 32 bytes are \
                 not the public key of its first 32 bytes",
            )
        })
    }

    /// The base64 of the 64 bytes. The text is wiped from memory when it is dropped.
    pub fn to_base64(&self) -> Zeroizing<String> {
        let bytes = Zeroizing::new(self.key.to_keypair_bytes());
        Zeroizing::new(BASE64_STANDARD.encode(bytes.as_slice()))
    }

    /// The public key of this private key.
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.key.verifying_key())
    }

    /// The detached signature of `message`.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature(raw_sign::<Sha512>(&self.expanded, message, self.key.as_ref()).to_bytes())
    }
}

impl Clone for PrivateKey {
    fn clone(&self) -> PrivateKey {
        PrivateKey::new(self.key.clone())
    }
}

impl Signer for PrivateKey {
    fn public_key(&self) -> PublicKey {
        PrivateKey::public_key(self)
    }

    fn sign(&self, message: &[u8]) -> Result<Signature> {
        Ok(PrivateKey::sign(self, message))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

/// A public key: 32 bytes as base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// Reads the base64 of 32 bytes. Spaces and line ends around it are ignored.
    ///
    /// # Errors
    ///
    /// `invalid_key` if the text is not standard base64 with padding, has another length, or is not the
    /// encoding of a point of the curve (RFC 8032, section 5.1.3). `invalid_key` also for a weak point:
    /// anybody could make a signature that such a key accepts.
    pub fn from_base64(text: &str) -> Result<PublicKey> {
        let bytes = decode_key::<32>(text, "the public key")?;
        let key = VerifyingKey::from_bytes(&bytes)
            .map_err(|_| Error::invalid_key("the public key is not a point of the curve"))?;
        if key.is_weak() {
            return Err(Error::invalid_key("the public key is weak: anybody could make a signature for it"));
        }
        // Some points have a second encoding. ed25519-dalek accepts the second encoding, but other
        // implementations refuse it.
        if key.to_edwards().compress().as_bytes() != key.as_bytes() {
            return Err(Error::invalid_key(
                "the public key is not the standard encoding of a point: its y coordinate is not below the \
                 curve's prime",
            ));
        }
        Ok(PublicKey(key))
    }

    /// The base64 of the 32 bytes.
    pub fn to_base64(&self) -> String {
        BASE64_STANDARD.encode(self.0.as_bytes())
    }

    /// Returns `true` if `signature` is a signature of `message` by this key. The check is strict: it accepts
    /// only one form of a signature.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        PROCESS.verifies(&self.0, message, &signature.0, true)
    }

    /// For explanations, which try many messages and must not earn a table for a key.
    pub(crate) fn verifies_uncounted(&self, message: &[u8], signature: &Signature) -> bool {
        PROCESS.verifies(&self.0, message, &signature.0, false)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.to_base64())
    }
}

/// A detached signature: 64 bytes, as base64 in `X-Signature`.
///
/// Treat a signature that you made as a secret. Status, confirm and cancel have the same signed body,
/// `{"orderId":"x"}`, so a signature for one of these operations is valid for all three.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; 64]);

impl Signature {
    /// Reads the standard base64 of 64 bytes, with padding. `None` for any other text.
    pub fn from_base64(text: &str) -> Option<Signature> {
        if text.len() != 88 {
            return None;
        }
        let bytes = BASE64_STANDARD.decode(text).ok()?;
        bytes.as_slice().try_into().ok().map(Signature)
    }

    /// Makes a signature from its 64 bytes.
    pub fn from_bytes(bytes: [u8; 64]) -> Signature {
        Signature(bytes)
    }

    /// The base64 of the 64 bytes, for the header.
    pub fn to_base64(&self) -> String {
        BASE64_STANDARD.encode(self.0)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signature(…)")
    }
}

/// A new pair of keys. Give the public key to the service, and keep the private key secret (contract, section
/// 5).
///
/// ```
/// let pair = merchantpay::Keypair::generate()?;
/// assert_eq!(pair.private_key().public_key(), pair.public_key());
/// # Ok::<(), merchantpay::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Keypair {
    private_key: PrivateKey,
}

impl Keypair {
    /// Makes a pair from the operating system's random bytes.
    ///
    /// # Errors
    ///
    /// `internal` if the operating system returns no random bytes.
    pub fn generate() -> Result<Keypair> {
        let mut seed = Zeroizing::new([0u8; 32]);
        getrandom::fill(seed.as_mut_slice()).map_err(|_| {
            Error::internal(Outcome::NotSent, "the operating system returned no random bytes")
        })?;
        Ok(Keypair { private_key: PrivateKey::new(SigningKey::from_bytes(&seed)) })
    }

    /// The private key.
    pub fn private_key(&self) -> &PrivateKey {
        &self.private_key
    }

    /// The public key.
    pub fn public_key(&self) -> PublicKey {
        self.private_key.public_key()
    }
}

/// Decodes a key into memory that is wiped after success and after failure.
fn decode_key<const N: usize>(text: &str, what: &str) -> Result<Zeroizing<[u8; N]>> {
    let text = trim(text);
    if let Some(fault) = fault(TextRule::Token, text) {
        return Err(Error::invalid_key(format!("{what} {fault}")));
    }
    // The buffer has space for the longest key. The crate base64 may also write some bytes after the key
    // before it finds a fault.
    let mut buffer = Zeroizing::new([0u8; 96]);
    match BASE64_STANDARD.decode_slice(text, buffer.as_mut_slice()) {
        Ok(length) if length == N => {
            let mut key = Zeroizing::new([0u8; N]);
            key.copy_from_slice(&buffer[..N]);
            Ok(key)
        }
        other @ (Ok(_) | Err(DecodeSliceError::OutputSliceTooSmall)) => {
            // The two keys are often confused.
            let confused = match other {
                Ok(32) => ", and this is a key of 32 bytes, as public keys are",
                Ok(64) => ", and this is a key of 64 bytes, as private keys are",
                _ => "",
            };
            Err(Error::invalid_key(format!("{what} must be the base64 of {N} bytes{confused}")))
        }
        Err(DecodeSliceError::DecodeError(_)) => Err(Error::invalid_key(format!(
            "{what} must be standard base64 with padding and without spaces or line ends in it"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// This test does not compile if a dependency no longer has its feature `zeroize`.
    #[test]
    fn all_that_a_private_key_holds_is_zeroized_on_drop() {
        fn assert_zeroized<T: zeroize::ZeroizeOnDrop>(_: &T) {}
        let pair = Keypair::generate().unwrap();
        let PrivateKey { key, expanded } = pair.private_key();
        assert_zeroized(key);
        assert_zeroized(expanded);
        assert_zeroized(&pair.private_key().to_base64());
    }

    #[test]
    fn key_in_the_place_of_the_other_one_is_named() {
        let pair = Keypair::generate().unwrap();
        let private = PrivateKey::from_base64(&pair.public_key().to_base64()).unwrap_err();
        let public = PublicKey::from_base64(&pair.private_key().to_base64()).unwrap_err();
        assert!(private.message().ends_with("32 bytes, as public keys are"), "{private}");
        assert!(public.message().ends_with("64 bytes, as private keys are"), "{public}");
    }

    #[test]
    fn debug_shows_the_public_key_and_no_secret() {
        let pair = Keypair::generate().unwrap();
        let public = pair.public_key();
        assert_eq!(format!("{:?}", pair.private_key()), "PrivateKey(…)");
        assert_eq!(format!("{pair:?}"), "Keypair { private_key: PrivateKey(…) }");
        assert_eq!(format!("{:?}", pair.private_key().sign(b"x")), "Signature(…)");
        assert_eq!(format!("{public:?}"), format!("PublicKey({})", public.to_base64()));
    }
}
