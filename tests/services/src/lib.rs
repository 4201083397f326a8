//! The servers of the tests in Rust. Each serves a connection on its own thread until the test program ends.

#![allow(missing_docs, reason = "a library of tests, whose names say it")]

mod certificates;
mod http;
mod webhooks;

pub use certificates::{Authority, authority, authority_with, certified, settings};
pub use http::{answering, head, message, serve, serve_on, tls_before};
pub use webhooks::{Hook, receive};
