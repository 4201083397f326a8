//! The keys of the service.

use merchantpay::PrivateKey;

/// The service's own keys.
#[derive(Clone)]
pub(crate) struct ServerKeys {
    pub(crate) key_id: String,
    pub(crate) key: PrivateKey,
    /// A key that does not belong to the service, for signatures that must not verify.
    pub(crate) wrong_key: PrivateKey,
}
