//! The core against raw sockets, TLS servers, proxies and foreign vectors: for each fault its code, its outcome, and how
//! many requests reached the server.

mod arguments;
mod bodies;
mod common;
mod connection;
mod proxy;
mod receipts;
mod repeats;
mod replies;
mod secrets;
mod tls;
mod vectors;
mod webhooks;
mod wire;
