//! What happens to payments, and the webhooks that report it.

pub(crate) mod deliveries;
pub(crate) mod payments;
