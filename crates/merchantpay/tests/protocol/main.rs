//! Tests of the core with raw sockets, TLS servers, proxies and published vectors. For each fault they check
//! the code, the outcome, and the number of requests that reached the server.

mod allocations;
mod arguments;
mod common;
mod connections;
mod differential;
mod logs;
mod receipts;
mod replies;
mod secrets;
mod signers;
mod signing;
mod speccheck;
mod vectors;

// These modules are not public, but the comparison with ed25519-dalek needs them directly.
#[path = "../../src/keys/key_table.rs"]
mod key_table;
#[path = "../../src/keys/sha512.rs"]
mod sha512;
#[path = "../../src/keys/trial.rs"]
mod trial;
