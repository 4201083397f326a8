//! Faults on demand: changes that a service, a proxy or an attacker can make to a reply.

use std::time::Duration;

use crate::base::random::Sequence;

/// A fault of a request or of its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// A signed reply of at least this many bytes.
    Oversized(usize),
    /// The reply is delayed by this time.
    Latency(Duration),
    /// The connection closes without a reply, and the request has no effect.
    DropBeforeCommit,
    /// The request takes effect, and the connection closes without a reply.
    DropAfterCommit,
    /// The request has no effect and gets no reply, and its connection ends with a reset, as if none of its
    /// bytes had been read. This and the next three faults are points at which a test can kill the process.
    StallUnread,
    /// The request is read but has no effect, and no reply is sent.
    StallBeforeCommit,
    /// The request takes effect, but no reply is sent.
    StallAfterCommit,
    /// The request takes effect, and half of the reply's body is sent.
    StallMidReply,
}

impl Fault {
    /// The faults' names in the control API.
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

    /// The fault with this name. Only `latency` has a duration, and only `oversized` a size.
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

/// A planned fault.
#[derive(Clone)]
pub(crate) struct PlannedFault {
    pub(crate) id: u64,
    pub(crate) fault: Fault,
    pub(crate) operation: Option<String>,
    /// The number of times that the fault happens; `None` for no limit.
    pub(crate) times: Option<u32>,
    pub(crate) happened: u32,
    /// The probability, the seed, and the state of the sequence of random numbers.
    pub(crate) chance: Option<(f64, u64, Sequence)>,
}

impl PlannedFault {
    pub(crate) fn left(&self) -> Option<u32> {
        self.times.map(|times| times.saturating_sub(self.happened))
    }

    /// Returns `true` if the fault happens to this request of its operation.
    pub(crate) fn happens(&mut self) -> bool {
        let happens = match &mut self.chance {
            Some((probability, _, sequence)) => sequence.chance(*probability),
            None => true,
        };
        self.happened = self.happened.saturating_add(u32::from(happens));
        happens
    }
}
