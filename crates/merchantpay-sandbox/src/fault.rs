//! Faults on demand: what a service, a proxy or an attacker may do to a reply.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use crate::lock::lock;
use crate::random::Sequence;

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
    /// The connection is taken, and not a byte of the request is read. It stays so until the client or the sandbox ends, as
    /// with the other three: a point at which to kill the process.
    StallUnread,
    /// The request is read, and nothing took effect.
    StallBeforeCommit,
    /// It took effect, and nothing of the reply is sent.
    StallAfterCommit,
    /// It took effect, and half of the reply's body is sent.
    StallMidReply,
}

impl Fault {
    /// The names that the control API has for them.
    pub(crate) const NAMES: [&str; 17] = [
        "unsigned",
        "malformedSignature",
        "wrongKey",
        "tampered",
        "reflected",
        "htmlBadGateway",
        "wrongOrder",
        "duplicateKeys",
        "redirect",
        "oversized",
        "latency",
        "dropBeforeCommit",
        "dropAfterCommit",
        "stallUnread",
        "stallBeforeCommit",
        "stallAfterCommit",
        "stallMidReply",
    ];

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Fault::Unsigned => "unsigned",
            Fault::MalformedSignature => "malformedSignature",
            Fault::WrongKey => "wrongKey",
            Fault::Tampered => "tampered",
            Fault::Reflected => "reflected",
            Fault::HtmlBadGateway => "htmlBadGateway",
            Fault::WrongOrder => "wrongOrder",
            Fault::DuplicateKeys => "duplicateKeys",
            Fault::Redirect => "redirect",
            Fault::Oversized(_) => "oversized",
            Fault::Latency(_) => "latency",
            Fault::DropBeforeCommit => "dropBeforeCommit",
            Fault::DropAfterCommit => "dropAfterCommit",
            Fault::StallUnread => "stallUnread",
            Fault::StallBeforeCommit => "stallBeforeCommit",
            Fault::StallAfterCommit => "stallAfterCommit",
            Fault::StallMidReply => "stallMidReply",
        }
    }

    /// The one of that name; a latency has its length and an oversized reply its size, and nothing else has either.
    pub(crate) fn named(name: &str, latency: Option<Duration>, bytes: Option<usize>) -> Option<Fault> {
        let plain = match (name, latency, bytes) {
            ("latency", Some(latency), None) => return Some(Fault::Latency(latency)),
            ("oversized", None, Some(bytes)) => return Some(Fault::Oversized(bytes)),
            (_, None, None) => [
                Fault::Unsigned,
                Fault::MalformedSignature,
                Fault::WrongKey,
                Fault::Tampered,
                Fault::Reflected,
                Fault::HtmlBadGateway,
                Fault::WrongOrder,
                Fault::DuplicateKeys,
                Fault::Redirect,
                Fault::DropBeforeCommit,
                Fault::DropAfterCommit,
                Fault::StallUnread,
                Fault::StallBeforeCommit,
                Fault::StallAfterCommit,
                Fault::StallMidReply,
            ],
            _ => return None,
        };
        plain.into_iter().find(|fault| fault.name() == name)
    }
}

/// A fault that was asked for.
#[derive(Clone)]
pub(crate) struct PlannedFault {
    pub(crate) id: u64,
    pub(crate) fault: Fault,
    pub(crate) operation: Option<String>,
    /// How often it is to happen; `None` for without end.
    pub(crate) times: Option<u32>,
    pub(crate) happened: u32,
    /// The probability, the seed, and where its sequence stands.
    pub(crate) chance: Option<(f64, u64, Sequence)>,
}

impl PlannedFault {
    pub(crate) fn left(&self) -> Option<u32> {
        self.times.map(|times| times.saturating_sub(self.happened))
    }

    /// Whether it happens to this request of an operation that it is for.
    fn happens(&mut self) -> bool {
        let happens = match &mut self.chance {
            Some((probability, _, sequence)) => sequence.chance(*probability),
            None => true,
        };
        self.happened = self.happened.saturating_add(u32::from(happens));
        happens
    }
}

/// The faults that are still to happen, in the order in which they were asked for.
#[derive(Default)]
pub(crate) struct FaultQueue(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    last_id: u64,
    planned: VecDeque<PlannedFault>,
}

impl FaultQueue {
    pub(crate) fn add(&self, fault: Fault, operation: Option<&str>, times: u32) {
        self.plan(PlannedFault { id: 0, fault, operation: operation.map(str::to_owned), times: Some(times), happened: 0, chance: None });
    }

    /// Adds a fault, and gives it its id.
    pub(crate) fn plan(&self, mut planned: PlannedFault) -> PlannedFault {
        let mut queue = lock(&self.0);
        queue.last_id += 1;
        planned.id = queue.last_id;
        queue.planned.push_back(planned.clone());
        planned
    }

    /// The fault for this request, if any.
    pub(crate) fn take(&self, operation: &str) -> Option<Fault> {
        self.take_if(operation, |fault| *fault != Fault::StallUnread)
    }

    /// Whether this request, of which nothing was read, is to stay unread.
    pub(crate) fn take_unread(&self, operation: &str) -> bool {
        self.take_if(operation, |fault| *fault == Fault::StallUnread).is_some()
    }

    /// Whether a request is to stay unread, sooner or later.
    pub(crate) fn wants_unread(&self) -> bool {
        lock(&self.0).planned.iter().any(|planned| planned.fault == Fault::StallUnread && planned.left() != Some(0))
    }

    fn take_if(&self, operation: &str, kind: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let mut queue = lock(&self.0);
        if queue.planned.is_empty() {
            return None;
        }
        queue.planned.retain(|planned| planned.left() != Some(0));
        let wanted = queue.planned.iter_mut().filter(|planned| planned.operation.as_deref().is_none_or(|wanted| wanted == operation));
        wanted.filter(|planned| kind(&planned.fault)).find_map(|planned| planned.happens().then(|| planned.fault.clone()))
    }

    pub(crate) fn all(&self) -> Vec<PlannedFault> {
        lock(&self.0).planned.iter().filter(|planned| planned.left() != Some(0)).cloned().collect()
    }

    pub(crate) fn clear(&self) {
        lock(&self.0).planned.clear();
    }

    /// Clears one; says whether there was one.
    pub(crate) fn remove(&self, id: u64) -> bool {
        let mut queue = lock(&self.0);
        let before = queue.planned.len();
        queue.planned.retain(|planned| planned.id != id);
        queue.planned.len() < before
    }
}
