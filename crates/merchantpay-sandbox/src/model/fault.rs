//! Faults on demand: what a service, a proxy or an attacker may do to a reply.

use std::time::Duration;

use crate::base::random::Sequence;

/// What happens to a request or to its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The reply carries neither `X-Signature` nor `X-KeyId`.
    Unsigned,
    /// `X-Signature` is not the base64 of 64 bytes.
    MalformedSignature,
    /// The reply is signed with a key that is not the service's.
    WrongKey,
    /// The body is changed after it was signed.
    Tampered,
    /// The request's own `X-KeyId` and `X-Signature` come back.
    Reflected,
    /// A proxy's page in place of a reply.
    HtmlBadGateway,
    /// A signed reply about another order.
    WrongOrder,
    /// A signed reply with a duplicate name.
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
    /// The connection is accepted, and not a byte of the request is read until the client or the sandbox
    /// ends, as with the other three: a point at which to kill the process.
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

    /// The fault of that name; only a latency has a length, and only an oversized reply a size.
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
    /// The probability, the seed, and the state of its sequence.
    pub(crate) chance: Option<(f64, u64, Sequence)>,
}

impl PlannedFault {
    pub(crate) fn left(&self) -> Option<u32> {
        self.times.map(|times| times.saturating_sub(self.happened))
    }

    /// Whether it happens to this request of an operation that it is for.
    pub(crate) fn happens(&mut self) -> bool {
        let happens = match &mut self.chance {
            Some((probability, _, sequence)) => sequence.chance(*probability),
            None => true,
        };
        self.happened = self.happened.saturating_add(u32::from(happens));
        happens
    }
}
