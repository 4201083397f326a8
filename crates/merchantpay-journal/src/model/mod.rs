//! The transitions: what follows from an event, as a write and the next call. Nothing here does I/O, reads a
//! clock or draws random numbers, so that the search in `tests/model` runs the same code as the shop.

pub mod attempt;
pub mod call;
pub mod clock;
pub mod decision;
pub mod hint;
pub mod instruction;
pub mod news;
pub mod order;
pub mod payment;
pub mod person;
pub mod plan;
pub mod report;
pub mod request;
pub mod upkeep;

#[cfg(test)]
mod tests;
