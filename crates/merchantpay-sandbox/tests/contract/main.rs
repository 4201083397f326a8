//! Tests of the whole contract over loopback: the library's client, the sandbox, and real HTTP between them.

mod arbitration;
mod common;
mod errors;
mod faults;
mod payments;
mod receiver;
mod signatures;
mod webhooks;
