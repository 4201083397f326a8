//! Payments, exchanges, webhooks and faults. Each is one struct: the control API's JSON and the database's row.

pub(crate) mod body;
pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod payment;
pub(crate) mod state;
pub(crate) mod webhook;

use merchantpay::PrivateKey;

#[derive(Clone)]
pub(crate) struct ServerKeys {
    pub(crate) key_id: String,
    pub(crate) key: PrivateKey,
    /// A key that does not belong to the service, for signatures that must not verify.
    pub(crate) wrong_key: PrivateKey,
}
