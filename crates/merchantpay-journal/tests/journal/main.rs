//! Tests of the journal over a SQLite file: against the sandbox, and against a service whose answers a test
//! chooses.

mod accounts;
mod arbitration;
mod clocks;
#[cfg(feature = "databases")]
mod databases;
mod erase;
mod faults;
mod interrupts;
mod limits;
mod news;
mod old;
mod payments;
mod persons;
mod restore;
mod service;
mod shop;
mod transfer;
mod unreadable;
mod webhooks;
