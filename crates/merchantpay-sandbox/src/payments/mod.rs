//! The payments' steps: requested and automatic ones.

pub(crate) mod scheduler;
pub(crate) mod service;
