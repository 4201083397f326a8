//! The whole contract: the library's client, the sandbox, and real HTTP between them.

mod arbitration;
mod errors;
mod faults;
mod payments;
mod signatures;
mod webhooks;
