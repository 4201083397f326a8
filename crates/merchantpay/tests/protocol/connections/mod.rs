//! Connections: setup, reuse, and faults.

mod connection;
mod early;
mod hardened;
mod interrupt;
mod pool;
mod proxy;
mod repeats;
mod reuse;
mod stress;
mod tls;
mod wire;
