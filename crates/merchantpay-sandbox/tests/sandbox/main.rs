//! The sandbox over loopback: the library's client is the merchant, and a plain HTTP client calls the control API.

mod api;
mod common;
mod contract;
mod control;
mod receiver;
