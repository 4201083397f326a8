//! The transitions: how events change an attempt. No module here reads a clock or does I/O, so the model in
//! `tests/model` runs the same code.

pub(crate) mod driver;
#[cfg(test)]
mod driver_tests;
pub(crate) mod event;
pub(crate) mod hexadecimal;
pub(crate) mod instruction;
#[cfg(test)]
mod instruction_tests;
pub(crate) mod json;
pub(crate) mod order_proof;
pub(crate) mod orphan;
pub(crate) mod record;
pub(crate) mod record_changes;
pub(crate) mod request;
pub(crate) mod schedule;
#[cfg(test)]
mod schedule_tests;
pub(crate) mod service_report;
pub(crate) mod standing;
pub(crate) mod transition;
#[cfg(test)]
mod transition_tests;
