//! The merchant: the key id and the key that requests have to be signed with.

use axum::http::HeaderMap;
use merchantpay::{PublicKey, Signature};

pub(crate) struct Merchant {
    pub(crate) key_id: String,
    pub(crate) public_key: PublicKey,
}

impl Merchant {
    /// Whether these exact bytes are the merchant's (contract, section 5).
    pub(crate) fn has_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let once = |name: &str| {
            let mut values = headers.get_all(name).iter();
            values.next().filter(|_| values.next().is_none())?.to_str().ok()
        };
        let signature = once("x-signature").and_then(Signature::from_base64);
        once("x-keyid") == Some(&self.key_id)
            && signature.is_some_and(|signature| self.public_key.verifies(body, &signature))
    }
}
