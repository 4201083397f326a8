//! Faults on demand: what a service, a proxy or an attacker can do to a request or to its reply.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::OPERATIONS;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::base::{Sequence, assumptions, described, lock, name};

const LATENCY_MS: RangeInclusive<u64> = 1..=600_000;
const BYTES: RangeInclusive<usize> = 1..=assumptions::LARGEST_REQUEST;

described! {
    /// A fault of a request or of its reply.
    pub enum Fault {
        Unsigned = "The reply has no X-Signature and no X-KeyId.",
        MalformedSignature = "X-Signature is not the base64 of 64 bytes.",
        WrongKey = "The reply is signed with a key that is not the service's (forged).",
        Tampered = "The body is changed after it was signed.",
        Reflected = "The reply repeats the request's own X-KeyId and X-Signature.",
        HtmlBadGateway = "502 and a proxy's page in place of the reply.",
        WrongOrder = "A signed reply about another order.",
        DuplicateKeys = "A signed reply with a duplicate name.",
        Redirect = "A redirect (307) to another URL.",
        Oversized = "A signed reply of at least the given number of bytes.",
        Latency = "The reply comes later, by the given milliseconds.",
        DropBeforeCommit = "The connection closes without a reply, and the request has no effect.",
        DropAfterCommit = "The request takes effect, and the connection closes without a reply.",
        StallBeforeCommit = "The request has no effect and gets no reply: a test can kill the sandbox here.",
        StallAfterCommit = "The request takes effect and gets no reply: a test can kill the sandbox here.",
    }
}

impl Fault {
    /// A reply that is delayed by this time, at most ten minutes.
    pub fn latency(time: Duration) -> PlannedFault {
        let latency_ms = u64::try_from(time.as_millis()).ok();
        PlannedFault { latency_ms, ..PlannedFault::from(Fault::Latency) }
    }

    /// A signed reply of at least this many bytes.
    pub fn oversized(bytes: usize) -> PlannedFault {
        PlannedFault { bytes: Some(bytes), ..PlannedFault::from(Fault::Oversized) }
    }
}

/// A fault with its parameters, and the requests to which it happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlannedFault {
    #[serde(skip_deserializing)]
    pub(crate) id: u64,
    pub(crate) kind: Fault,
    pub(crate) latency_ms: Option<u64>,
    pub(crate) bytes: Option<usize>,
    /// `None` for every operation.
    pub(crate) operation: Option<String>,
    /// `None` for no limit.
    pub(crate) times: Option<u32>,
    #[serde(skip_deserializing)]
    pub(crate) left: Option<u32>,
    #[serde(skip_deserializing)]
    pub(crate) happened: u32,
    pub(crate) probability: Option<f64>,
    pub(crate) seed: Option<u64>,
    #[serde(skip)]
    pub(crate) chance: Sequence,
}

impl From<Fault> for PlannedFault {
    fn from(kind: Fault) -> PlannedFault {
        PlannedFault {
            id: 0,
            kind,
            latency_ms: None,
            bytes: None,
            operation: None,
            times: None,
            left: None,
            happened: 0,
            probability: None,
            seed: None,
            chance: Sequence::default(),
        }
    }
}

impl PlannedFault {
    /// The error says which parameters do not belong together.
    pub(crate) fn check(&self) -> Result<(), String> {
        let operations: Vec<&str> = OPERATIONS.iter().map(|known| known.name).collect();
        let belongs = |field, kind, given| match (self.kind == kind) == given {
            true => Ok(()),
            false => Err(format!("{field} belongs to the fault {0}, and {0} needs it", name(kind))),
        };
        let within = |what: &str, is_right: bool| is_right.then_some(()).ok_or_else(|| what.to_owned());
        belongs("latencyMs", Fault::Latency, self.latency_ms.is_some())?;
        belongs("bytes", Fault::Oversized, self.bytes.is_some())?;
        let is_latency = self.latency_ms.is_none_or(|ms| LATENCY_MS.contains(&ms));
        within(&format!("latencyMs must be from 1 to {} ms", LATENCY_MS.end()), is_latency)?;
        let is_size = self.bytes.is_none_or(|bytes| BYTES.contains(&bytes));
        within(&format!("bytes must be from 1 to {}", BYTES.end()), is_size)?;
        within("times must be at least 1", self.times != Some(0))?;
        let is_known = self.operation.as_deref().is_none_or(|one| operations.contains(&one));
        within(&format!("operation must be one of {}", operations.join(", ")), is_known)?;
        let is_probability = self.probability.is_none_or(|one| one > 0.0 && one <= 1.0);
        within("probability must be above 0 and at most 1", is_probability)?;
        within("seed needs a probability", self.seed.is_none() || self.probability.is_some())
    }

    fn happens(&mut self) -> bool {
        let happens = self.probability.is_none_or(|probability| self.chance.chance(probability));
        self.happened = self.happened.saturating_add(u32::from(happens));
        self.left = self.times.map(|times| times.saturating_sub(self.happened));
        happens
    }
}

/// `stalled`: one entry a request that stands still now.
#[derive(Default)]
pub(crate) struct Faults {
    queue: Mutex<(u64, VecDeque<PlannedFault>)>,
    stalled: Arc<Mutex<Vec<Fault>>>,
}

impl Faults {
    /// `seed` is for a fault with a probability and without its own seed.
    pub(crate) fn plan(&self, mut planned: PlannedFault, seed: u64) -> PlannedFault {
        let mut queue = lock(&self.queue);
        queue.0 += 1;
        planned.id = queue.0;
        if planned.probability.is_some() {
            planned.seed = planned.seed.or(Some(seed));
            planned.chance = Sequence(planned.seed.unwrap_or_default());
        } else {
            planned.times = planned.times.or(Some(1));
        }
        planned.left = planned.times;
        queue.1.push_back(planned.clone());
        planned
    }

    /// Only a request whose signature verifies may take a fault: a page of another site can send requests too.
    pub(crate) fn take(&self, operation: &str) -> Option<PlannedFault> {
        let mut queue = lock(&self.queue);
        let mut wanted = queue
            .1
            .iter_mut()
            .filter(|planned| planned.operation.as_deref().is_none_or(|wanted| wanted == operation));
        let taken = wanted.find_map(|planned| planned.happens().then(|| planned.clone()))?;
        queue.1.retain(|planned| planned.left != Some(0));
        Some(taken)
    }

    pub(crate) fn list(&self) -> Value {
        json!({"faults": lock(&self.queue).1, "stalled": *lock(&self.stalled)})
    }

    pub(crate) fn count(&self) -> usize {
        lock(&self.queue).1.len()
    }

    pub(crate) fn clear(&self) {
        lock(&self.queue).1.clear();
    }

    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut queue = lock(&self.queue);
        let before = queue.1.len();
        queue.1.retain(|planned| planned.id != id);
        queue.1.len() < before
    }

    /// Waits until the future is dropped, as it is when the connection or the sandbox ends.
    pub(crate) async fn stall(&self, point: Fault) {
        lock(&self.stalled).push(point);
        let _end = StallGuard { stalled: Arc::clone(&self.stalled), point };
        std::future::pending().await
    }
}

struct StallGuard {
    stalled: Arc<Mutex<Vec<Fault>>>,
    point: Fault,
}

impl Drop for StallGuard {
    fn drop(&mut self) {
        let mut all = lock(&self.stalled);
        if let Some(index) = all.iter().position(|point| *point == self.point) {
            all.swap_remove(index);
        }
    }
}
