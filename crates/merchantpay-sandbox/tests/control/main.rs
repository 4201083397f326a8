//! Tests of the control API over loopback, as CONTROL.md describes it: a plain HTTP client calls it, and the
//! library's client is the merchant.

#[path = "../contract/common.rs"]
mod common;
#[path = "../contract/receiver.rs"]
mod receiver;

mod api;
mod causes;
mod clock;
mod database;
mod events;
mod faults;
mod foreign;
mod guard;
mod keys;
mod lists;
mod payments;
mod stories;
mod webhooks;
