//! Faults on demand: what a service, a proxy or an attacker may do to a reply.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use crate::lock::lock;

/// What happens to a request or to its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The reply carries neither `X-Signature` nor `X-KeyId`.
    Unsigned,
    /// `X-Signature` is no base64 of 64 bytes.
    MalformedSignature,
    /// The reply is signed by somebody else's key.
    WrongKey,
    /// The body is changed after it was signed.
    Tampered,
    /// The request's own `X-KeyId` and `X-Signature` come back.
    Reflected,
    /// A proxy's page in place of a reply.
    HtmlBadGateway,
    /// A signed reply about another order.
    WrongOrder,
    /// A signed reply with a name that stands twice.
    DuplicateKeys,
    /// 307 to somewhere else.
    Redirect,
    /// A signed reply of at least this many bytes.
    Oversized(usize),
    /// The reply comes this much later.
    Latency(Duration),
    /// The connection closes without a reply, and nothing took effect.
    DropBeforeCommit,
    /// It took effect, and the connection closes without a reply.
    DropAfterCommit,
}

struct Order {
    fault: Fault,
    operation: Option<String>,
    times: u32,
}

/// The faults that are still to happen, in the order in which they were asked for.
#[derive(Default)]
pub(crate) struct Faults(Mutex<VecDeque<Order>>);

impl Faults {
    pub(crate) fn add(&self, fault: Fault, operation: Option<&str>, times: u32) {
        let order = Order { fault, operation: operation.map(str::to_owned), times };
        lock(&self.0).push_back(order);
    }

    /// The fault for this request, if any.
    pub(crate) fn take(&self, operation: &str) -> Option<Fault> {
        let mut orders = lock(&self.0);
        orders.retain(|order| order.times > 0);
        let order = orders.iter_mut().find(|order| order.operation.as_deref().is_none_or(|wanted| wanted == operation))?;
        order.times -= 1;
        Some(order.fault.clone())
    }
}
