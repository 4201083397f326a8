//! One attempt of a call, as a log may tell of it.

use std::time::Duration;

use crate::error::{Code, Outcome};

/// What became of one attempt. Holds no key, signature, body, account or name.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The operation, such as `newPayment`.
    pub operation: &'static str,
    /// The order that was asked about.
    pub order_id: Option<&'a str>,
    /// Which attempt of the call this was, from 1.
    pub number: u32,
    /// The HTTP status, where a reply came.
    pub http_status: Option<u16>,
    /// From the attempt's start to its end.
    pub elapsed: Duration,
    /// What went wrong; `None` for a success.
    pub code: Option<Code>,
    /// What became of the request; `None` for a success.
    pub outcome: Option<Outcome>,
}
