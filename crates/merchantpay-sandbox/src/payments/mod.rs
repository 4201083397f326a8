//! The payments' steps: those that are asked for, and those that they take by themselves.

pub(crate) mod scheduler;
pub(crate) mod service;
