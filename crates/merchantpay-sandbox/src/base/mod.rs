//! The parts that all other folders use: time, locks, ids, JSON, and the settings.

pub(crate) mod assumptions;
pub(crate) mod body;
pub(crate) mod clock;
pub(crate) mod event_bus;
pub(crate) mod json;
pub(crate) mod lock;
pub(crate) mod options;
pub(crate) mod own_hosts;
pub(crate) mod random;
pub(crate) mod webhook_hosts;
