//! The keys of a merchant.

use merchantpay::{PrivateKey, PublicKey};

#[derive(Clone)]
pub(crate) struct MerchantKeys {
    pub(crate) key_id: String,
    pub(crate) public_key: PublicKey,
    /// `None` if the options gave the public key.
    pub(crate) private_key: Option<PrivateKey>,
}
