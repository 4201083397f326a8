//! Faults on demand: what a service, a proxy or an attacker can do to a request or to its reply.

use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::OPERATIONS;
use serde::{Deserialize, Serialize};

use crate::base::assumptions;
use crate::base::lock;
use crate::base::random::Sequence;

const LATENCY_MS: RangeInclusive<u64> = 1..=600_000;
const BYTES: RangeInclusive<usize> = 1..=assumptions::LARGEST_REQUEST;

/// A fault of a request or of its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Fault {
    /// The reply lacks `X-Signature` and `X-KeyId`.
    Unsigned,
    /// `X-Signature` is not the base64 of 64 bytes.
    MalformedSignature,
    /// The reply is signed with a key that does not belong to the service.
    WrongKey,
    /// The body is changed after it was signed.
    Tampered,
    /// The reply repeats the request's own `X-KeyId` and `X-Signature`.
    Reflected,
    /// A proxy's page in place of a reply.
    HtmlBadGateway,
    /// A signed reply about another order.
    WrongOrder,
    /// A signed reply with a duplicate name.
    DuplicateKeys,
    /// A redirect (307) to another URL.
    Redirect,
    /// A signed reply of at least the bytes of [`Fault::oversized`].
    Oversized,
    /// The reply is delayed by the time of [`Fault::latency`].
    Latency,
    /// The connection closes without a reply, and the request has no effect.
    DropBeforeCommit,
    /// The request takes effect, and the connection closes without a reply.
    DropAfterCommit,
    /// The request is read but has no effect, and no reply is sent. A test can kill the process here.
    StallBeforeCommit,
    /// The request takes effect, but no reply is sent. A test can kill the process here.
    StallAfterCommit,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 15] = [
        Fault::Unsigned,
        Fault::MalformedSignature,
        Fault::WrongKey,
        Fault::Tampered,
        Fault::Reflected,
        Fault::HtmlBadGateway,
        Fault::WrongOrder,
        Fault::DuplicateKeys,
        Fault::Redirect,
        Fault::Oversized,
        Fault::Latency,
        Fault::DropBeforeCommit,
        Fault::DropAfterCommit,
        Fault::StallBeforeCommit,
        Fault::StallAfterCommit,
    ];

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
    /// The number of times that the fault happens; `None` for no limit.
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
    /// Returns why the parameters do not belong together, if they do not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let operations: Vec<&str> = OPERATIONS.iter().map(|known| known.name).collect();
        let of_operation = |wanted: &String| operations.contains(&wanted.as_str());
        let problems = [
            (
                (self.kind == Fault::Latency) != self.latency_ms.is_some(),
                "latencyMs belongs to the fault latency, and latency needs it".to_owned(),
            ),
            (
                (self.kind == Fault::Oversized) != self.bytes.is_some(),
                "bytes belongs to the fault oversized, and oversized needs it".to_owned(),
            ),
            (
                !self.latency_ms.is_none_or(|ms| LATENCY_MS.contains(&ms)),
                format!("latencyMs must be from 1 to {}", LATENCY_MS.end()),
            ),
            (
                !self.bytes.is_none_or(|bytes| BYTES.contains(&bytes)),
                format!("bytes must be from 1 to {}", BYTES.end()),
            ),
            (self.times == Some(0), "times must be at least 1".to_owned()),
            (
                !self.operation.as_ref().is_none_or(of_operation),
                format!("operation must be one of {}", operations.join(", ")),
            ),
            (
                !self.probability.is_none_or(|one| one > 0.0 && one <= 1.0),
                "probability must be above 0 and at most 1".to_owned(),
            ),
            (self.seed.is_some() && self.probability.is_none(), "seed needs a probability".to_owned()),
        ];
        problems.into_iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, why)| Err(why))
    }

    /// Returns `true` if the fault happens to this request of its operation.
    fn happens(&mut self) -> bool {
        let happens = self.probability.is_none_or(|probability| self.chance.chance(probability));
        self.happened = self.happened.saturating_add(u32::from(happens));
        self.left = self.times.map(|times| times.saturating_sub(self.happened));
        happens
    }
}

/// The planned faults, in the order in which they were planned, and the requests that one stalls now.
#[derive(Default)]
pub(crate) struct Faults {
    queue: Mutex<(u64, VecDeque<PlannedFault>)>,
    stalled: Arc<Mutex<Vec<Fault>>>,
}

/// The faults in the control API.
#[derive(Serialize)]
pub(crate) struct FaultList {
    pub(crate) faults: Vec<PlannedFault>,
    stalled: Vec<Fault>,
}

impl Faults {
    /// Adds a fault, and assigns its id. `seed` is used if the fault has a probability and no seed.
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

    /// The fault for this request, if any. Only a request whose signature verifies may take a fault: a page of
    /// another site can send requests too.
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

    pub(crate) fn list(&self) -> FaultList {
        let faults = lock(&self.queue).1.iter().cloned().collect();
        FaultList { faults, stalled: lock(&self.stalled).clone() }
    }

    pub(crate) fn clear(&self) {
        lock(&self.queue).1.clear();
    }

    /// Removes a fault. Returns `true` if it existed.
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

/// One stalled request.
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
