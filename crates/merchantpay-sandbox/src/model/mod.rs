//! The sandbox's data about payments, webhooks and faults, and the JSON that shows them.

pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod payment;
pub(crate) mod receipt;
pub(crate) mod state;
pub(crate) mod test_accounts;
pub(crate) mod timeline;
pub(crate) mod transliteration;
pub(crate) mod view;
pub(crate) mod webhook;
pub(crate) mod webhook_fault;
