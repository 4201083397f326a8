//! Replies of the merchant API: from an endpoint's result to the sent bytes.

pub(crate) mod outgoing;
pub(crate) mod signer;
pub(crate) mod unsigned;
