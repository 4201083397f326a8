//! Webhooks: planned, signed, sent and retried.

pub(crate) mod client;
pub(crate) mod deliveries;
pub(crate) mod plans;
pub(crate) mod report;
