//! The limits of one explanation.

use crate::keys::{Signature, TrustedKey};
use crate::verified::Trust;

/// How many further keys are tried.
pub(super) const OTHER_KEYS: usize = 12;

/// The most signatures that are verified for one message.
const VERIFICATIONS: u32 = 40;

/// Counts the verifications of one message, and refuses those beyond the limits.
pub(super) struct Budget {
    verifications: u32,
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget { verifications: VERIFICATIONS }
    }

    /// Whether one of the trusted keys signed `content`.
    pub(super) fn trusted(&mut self, trust: &Trust, content: &[u8], signature: &Signature) -> bool {
        trust.server_public_keys().iter().any(|key| self.one(key, content, signature))
    }

    /// Whether `key` signed `content`.
    pub(super) fn one(&mut self, key: &TrustedKey, content: &[u8], signature: &Signature) -> bool {
        let Some(rest) = self.verifications.checked_sub(1) else { return false };
        self.verifications = rest;
        key.verifies_uncounted(content, signature)
    }
}
