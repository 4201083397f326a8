//! The sandbox over loopback: the library's client is the merchant, and a plain HTTP client calls the control API.

mod clock;
mod contract;
mod database;
mod faults;
mod guard;
mod harness;
mod payments;
mod signatures;
mod stories;
mod webhooks;
