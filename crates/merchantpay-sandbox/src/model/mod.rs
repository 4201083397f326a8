//! Payments, exchanges, webhooks and faults. Each is one struct: the control API's JSON and the database's row.

pub(crate) mod body;
pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod keys;
pub(crate) mod payment;
pub(crate) mod state;
pub(crate) mod test_accounts;
pub(crate) mod transliteration;
pub(crate) mod webhook;
