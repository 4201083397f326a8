//! Tests of the journal over a SQLite file, against a service whose answers a test chooses.

mod calls;
mod faults;
mod old;
mod service;
mod values;
