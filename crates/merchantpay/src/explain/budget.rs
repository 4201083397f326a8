//! The limits of one explanation. An explanation verifies no more signatures after it has reached one of
//! these limits.

use crate::keys::{PublicKey, Signature};
use crate::verified::Trust;

/// The largest number of verifications for one message.
const VERIFICATIONS: u32 = 40;

/// A body up to this size is explained within [`MICROSECONDS`].
const SMALL_BODY: usize = 4 * 1024;

/// The time limit in microseconds for the verifications of a small body. The times are estimates for a
/// processor of 2023.
const MICROSECONDS: usize = 800;

/// The estimated microseconds for one verification, and for hashing and writing a KiB.
const VERIFICATION: usize = 36;
const KIB: usize = 6;

/// The rest of an explanation's budget, and the number of verified signatures.
pub(super) struct Budget {
    pub(super) verified: u32,
    microseconds: usize,
}

impl Budget {
    pub(super) fn new(body: &[u8]) -> Budget {
        let microseconds = if body.len() <= SMALL_BODY { MICROSECONDS } else { usize::MAX };
        Budget { verified: 0, microseconds }
    }

    /// Returns `true` if `key` signed `content`.
    pub(super) fn verifies(&mut self, key: &PublicKey, content: &[u8], signature: &Signature) -> bool {
        self.allows(VERIFICATION, content) && key.verifies_uncounted(content, signature)
    }

    /// Returns `true` if one of the trusted keys signed `content`.
    pub(super) fn trusted(&mut self, trust: &Trust, content: &[u8], signature: &Signature) -> bool {
        trust.server_public_keys().iter().any(|key| self.verifies(key, content, signature))
    }

    pub(super) fn contents<'a>(&'a mut self, trust: &'a Trust, signature: &'a Signature) -> Contents<'a> {
        Contents { keys: trust.server_public_keys(), signature, budget: self, exhausted: false, signed: None }
    }

    fn allows(&mut self, microseconds: usize, content: &[u8]) -> bool {
        let allowed = self.verified < VERIFICATIONS && self.spend(microseconds + content.len() * KIB / 1024);
        self.verified += u32::from(allowed);
        allowed
    }

    fn spend(&mut self, microseconds: usize) -> bool {
        let rest = self.microseconds.checked_sub(microseconds);
        self.microseconds = rest.unwrap_or(self.microseconds);
        rest.is_some()
    }
}

/// Tries whether a trusted key signed one of several contents.
pub(super) struct Contents<'a> {
    keys: &'a [PublicKey],
    signature: &'a Signature,
    budget: &'a mut Budget,
    exhausted: bool,
    signed: Option<Vec<u8>>,
}

impl Contents<'_> {
    /// Returns `true` if a trusted key signed `content`; false after the budget is exhausted.
    pub(super) fn signed(&mut self, content: &[u8]) -> bool {
        let signed = self.keys.iter().any(|key| {
            let allowed = self.budget.allows(VERIFICATION, content);
            self.exhausted |= !allowed;
            allowed && key.verifies_uncounted(content, self.signature)
        });
        if signed {
            self.signed = Some(content.to_vec());
        }
        signed
    }

    /// The content that a trusted key signed, if one was found.
    pub(super) fn into_signed(self) -> Option<Vec<u8>> {
        self.signed
    }

    /// Returns `true` if the budget is exhausted, so that no further content is needed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
