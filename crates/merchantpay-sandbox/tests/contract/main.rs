//! The whole contract over loopback: the library's client on one side, the sandbox on the other, real HTTP
//! between.

mod arbitration;
mod common;
mod errors;
mod faults;
mod payments;
mod receiver;
mod signatures;
mod webhooks;
