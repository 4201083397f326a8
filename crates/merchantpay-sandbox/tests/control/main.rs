//! The control API over loopback, as CONTROL.md describes it: a plain HTTP client on one side, the library's client as the merchant.

#[path = "../contract/common.rs"]
#[expect(dead_code, reason = "the contract's tests use more of it")]
mod common;
#[path = "../contract/receiver.rs"]
mod receiver;

mod api;
mod clock;
mod database;
mod events;
mod faults;
mod guard;
mod payments;
mod webhooks;
