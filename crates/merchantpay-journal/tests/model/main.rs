//! A search through every order of the steps of processes, the service, customers, persons, clocks and
//! databases, over the product's own transitions. It relies on a database that executes one statement after
//! another, and on what `service.rs` and `ASSUMED` say.

mod checks;
mod instructions;
mod process;
mod row;
mod rules;
mod scenario;
mod scenarios;
mod search;
mod service;
mod transitions;
mod world;
