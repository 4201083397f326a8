//! The core against raw sockets, TLS servers, proxies and foreign vectors: for each fault its code, its
//! outcome, and how many requests reached the server.

mod allocations;
mod arguments;
mod bodies;
mod common;
mod connection;
mod differential;
mod early;
mod hardened;
mod informational;
mod interrupt;
mod logs;
mod misdirected;
mod pool;
mod proxy;
mod receipts;
mod repeats;
mod replies;
mod reuse;
mod secrets;
mod signing;
mod speccheck;
mod stress;
mod tls;
mod vectors;
mod webhooks;
mod wire;

// Not public: what compares them with ed25519-dalek needs them directly.
#[path = "../../src/key_table.rs"]
mod key_table;
#[path = "../../src/sha512.rs"]
mod sha512;
