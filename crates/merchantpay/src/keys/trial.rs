//! Tries one signature with many messages. The preparation costs as much as three verifications. Then each
//! message costs a third of a verification.
//!
//! Time and memory accesses depend on the key, the messages and the signature, which are all public.

use curve25519_dalek::digest::Update;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use ed25519_dalek::VerifyingKey;

use super::key_table::{Multiples, halves};
use super::sha512::Sha512;

/// A signature, and the key that may have made it.
pub(crate) struct Trial {
    key: VerifyingKey,
    r: [u8; 32],
    /// s·B − R. If the message was signed, this equals k·A.
    claimed: EdwardsPoint,
    minus_key: Multiples<4>,
}

impl Trial {
    /// Prepares a trial. `None` if `verify_strict` would refuse the signature for every message: if `s` is
    /// not below the group's order, or if `R` or the key has small order. `None` also if `R` is not the
    /// canonical encoding of a point, because `verify_strict` compares the encodings of `R`.
    pub(crate) fn new(key: VerifyingKey, signature: &[u8; 64]) -> Option<Trial> {
        let (r, s) = halves(signature);
        let s = Option::<Scalar>::from(Scalar::from_canonical_bytes(s))?;
        let point = CompressedEdwardsY(r).decompress()?;
        if point.compress().to_bytes() != r || point.is_small_order() || key.is_weak() {
            return None;
        }
        let minus_key = Multiples::of(-key.to_edwards());
        Some(Trial { key, r, claimed: EdwardsPoint::mul_base(&s) - point, minus_key })
    }

    /// Returns `true` if the signature is the key's signature of `message`, as in `verify_strict`.
    pub(crate) fn verifies(&self, message: &[u8]) -> bool {
        let k = Scalar::from_hash(Sha512::default().chain(self.r).chain(self.key.as_bytes()).chain(message));
        self.minus_key.add_to(self.claimed, &k).is_identity()
    }
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::EIGHT_TORSION;
    use ed25519_dalek::{Signature, Signer, SigningKey};

    use super::*;

    fn verifies(key: VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
        Trial::new(key, signature).is_some_and(|trial| trial.verifies(message))
    }

    #[test]
    fn it_agrees_with_verify_strict_for_good_and_forged_signatures() {
        for number in 0..64_u8 {
            let signer = SigningKey::from_bytes(&[number; 32]);
            let key = signer.verifying_key();
            let signature = signer.sign(b"message").to_bytes();
            let trial = Trial::new(key, &signature).unwrap();
            assert!(trial.verifies(b"message") && !trial.verifies(b"Message") && !trial.verifies(b""));
            let mut forged = signature;
            forged[usize::from(number)] ^= 1 << (number % 8);
            let strict = key.verify_strict(b"message", &Signature::from_bytes(&forged)).is_ok();
            assert_eq!((verifies(key, b"message", &forged), strict), (false, false), "{number}");
        }
    }

    /// A signature with a point of small order added to R. Only an attacker who has the private key can make
    /// such a signature.
    #[test]
    fn a_component_of_small_order_is_not_ignored() {
        let signer = SigningKey::from_bytes(&[7; 32]);
        let key = signer.verifying_key();
        let (r, s) = halves(&signer.sign(b"message").to_bytes());
        let point = CompressedEdwardsY(r).decompress().unwrap();
        for torsion in &EIGHT_TORSION[1..] {
            let r = (point + torsion).compress().to_bytes();
            let signature: [u8; 64] = [r, s].concat().try_into().unwrap();
            assert!(!verifies(key, b"message", &signature));
            let small: [u8; 64] = [torsion.compress().to_bytes(), s].concat().try_into().unwrap();
            assert!(Trial::new(key, &small).is_none());
        }
    }
}
