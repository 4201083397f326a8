//! The servers of the tests in Rust. Each serves a connection on its own thread until the test program ends.

mod certificates;
mod http;
mod webhooks;

pub use certificates::{Authority, authority, authority_with, certified, settings};
pub use http::{answering, head, message, serve, serve_on, tls_before};
pub use webhooks::{Hook, receive};
