//! The steps of payments: requested steps and automatic steps.

pub(crate) mod scheduler;
pub(crate) mod service;
