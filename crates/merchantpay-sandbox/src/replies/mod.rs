//! Replies of the merchant API, from an endpoint's to the bytes that are sent.

pub(crate) mod outgoing;
pub(crate) mod signer;
pub(crate) mod unsigned;
