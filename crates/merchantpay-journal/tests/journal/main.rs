//! The journal against the sandbox.

mod limits;
mod old_webhooks;
mod payments;
mod persons;
mod progress;
mod shop;
mod versions;
