//! Tests of the core with raw sockets, TLS servers, proxies and published vectors. For each fault they check
//! the code, the outcome, and the number of requests that reached the server.

mod allocations;
mod common;
mod connections;
mod differential;
mod ed25519;
mod logs;
mod receipts;
mod replies;
mod secrets;
mod signers;

// This module is not public, but the comparison with ed25519-dalek needs it directly.
#[path = "../../src/keys/key_table.rs"]
mod key_table;
