//! Webhooks: planned, signed, sent and retried.

pub(crate) mod client;
pub(crate) mod delivered;
pub(crate) mod deliveries;
pub(crate) mod plans;
