//! The planned faults, and the requests and connections that they stall.

pub(crate) mod connection;
pub(crate) mod queue;
pub(crate) mod stalled_requests;
