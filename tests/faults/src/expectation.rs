//! The table of the allowed results of a call with a fault.

use merchantpay::Code;

use crate::case::{Case, Mode, Transport};
use crate::fault::{Direction, Fault};
use crate::service::LAST_CHUNK;

/// When the fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A connection is kept, and no exchange is running.
    Idle,
    /// The client cannot have completed its TLS handshake, so it has written no part of the request.
    Opening,
    /// A part of the request is passed.
    Sending,
    /// All of the request is passed, and the fault is in the direction of the request.
    Sent,
    /// Nothing of the reply is passed.
    Waiting,
    /// A part of the reply is passed.
    Replying,
    /// All of the reply is passed, except the end of its empty last chunk.
    Ending,
    /// All of the reply is passed.
    Replied,
}

/// Of an HTTP attempt with the fault: a success, or an error with one of these codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Expectation {
    pub(crate) success: bool,
    pub(crate) codes: &'static [Code],
}

struct Row(&'static [Fault], Phase, &'static [Transport], Expectation);

impl Row {
    fn fits(&self, case: &Case<'_>) -> bool {
        self.0.contains(&case.fault) && self.1 == case.phase() && self.2.contains(&case.exchange.transport)
    }
}

const CLOSED: &[Fault] = &[Fault::Cut, Fault::Reset];
const STALL: &[Fault] = &[Fault::Stall];
const REPEAT: &[Fault] = &[Fault::Repeat];
const INTERRUPT: &[Fault] = &[Fault::Interrupt];
const PLAIN: &[Transport] = &[Transport::Plain];
const CHUNKED: &[Transport] = &[Transport::Chunked];
const IN_PLAIN: &[Transport] = &[Transport::Plain, Transport::Chunked];
const TLS: &[Transport] = &[Transport::Tls];
const ALL: &[Transport] = &Transport::ALL;

const TABLE: &[Row] = &[
    Row(CLOSED, Phase::Idle, ALL, success()),
    Row(CLOSED, Phase::Opening, TLS, only(&[Code::Transport])),
    Row(CLOSED, Phase::Sending, ALL, only(&[Code::Transport])),
    Row(CLOSED, Phase::Sent, ALL, only(&[Code::Transport])),
    Row(CLOSED, Phase::Waiting, ALL, only(&[Code::Transport])),
    Row(CLOSED, Phase::Replying, ALL, only(&[Code::Transport])),
    // The signed body is complete. Whether HTTP reports a missing end depends on ureq.
    Row(CLOSED, Phase::Ending, CHUNKED, success_or(&[Code::Transport])),
    Row(CLOSED, Phase::Replied, ALL, success()),
    // The client may use the stalled connection for the call, or a new connection.
    Row(STALL, Phase::Idle, ALL, success_or(&[Code::Timeout])),
    Row(STALL, Phase::Opening, TLS, only(&[Code::Timeout])),
    Row(STALL, Phase::Sending, ALL, only(&[Code::Timeout])),
    Row(STALL, Phase::Sent, ALL, success()),
    Row(STALL, Phase::Waiting, ALL, only(&[Code::Timeout])),
    Row(STALL, Phase::Replying, ALL, only(&[Code::Timeout])),
    Row(STALL, Phase::Ending, CHUNKED, only(&[Code::Timeout])),
    Row(STALL, Phase::Replied, ALL, success()),
    // Where HTTP allows any text, such as in User-Agent, repeated bytes change nothing. Elsewhere the service refuses
    // the request without a signature, or the reply is not HTTP or does not verify.
    Row(REPEAT, Phase::Sending, IN_PLAIN, success_or(&[Code::Unverified, Code::Transport])),
    Row(REPEAT, Phase::Sent, ALL, success()),
    Row(REPEAT, Phase::Replying, PLAIN, success_or(&[Code::Unverified, Code::Transport])),
    // The client waits for a chunk that is longer than the received bytes.
    Row(REPEAT, Phase::Replying, CHUNKED, success_or(&[Code::Unverified, Code::Transport, Code::Timeout])),
    Row(REPEAT, Phase::Ending, CHUNKED, success_or(&[Code::Transport, Code::Timeout])),
    Row(REPEAT, Phase::Replied, IN_PLAIN, success()),
    // The client waits for a TLS record that is longer than the received bytes.
    Row(REPEAT, Phase::Opening, TLS, only(&[Code::Transport, Code::Timeout])),
    Row(REPEAT, Phase::Sending, TLS, only(&[Code::Transport, Code::Timeout])),
    Row(REPEAT, Phase::Waiting, TLS, only(&[Code::Transport, Code::Timeout])),
    Row(REPEAT, Phase::Replying, TLS, only(&[Code::Transport, Code::Timeout])),
    // The client may read broken records after a reply together with the reply.
    Row(REPEAT, Phase::Replied, TLS, success_or(&[Code::Transport])),
    Row(INTERRUPT, Phase::Idle, ALL, only(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Opening, TLS, only(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Sending, ALL, only(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Waiting, ALL, only(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Replying, ALL, only(&[Code::Cancelled])),
    // A client that has the whole response returns it in spite of the interruption.
    Row(INTERRUPT, Phase::Sent, ALL, success_or(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Ending, CHUNKED, success_or(&[Code::Cancelled])),
    Row(INTERRUPT, Phase::Replied, ALL, success_or(&[Code::Cancelled])),
];

const fn success() -> Expectation {
    Expectation { success: true, codes: &[] }
}

const fn only(codes: &'static [Code]) -> Expectation {
    Expectation { success: false, codes }
}

const fn success_or(codes: &'static [Code]) -> Expectation {
    Expectation { success: true, codes }
}

impl Case<'_> {
    pub(crate) fn phase(&self) -> Phase {
        let (marks, offset) = (&self.exchange.marks, self.offset);
        let is_chunked = self.exchange.transport == Transport::Chunked;
        let last_chunk = marks.reply_end - if is_chunked { LAST_CHUNK.len() } else { 0 };
        match (self.direction, marks.handshake) {
            (Direction::ToService, _) if self.exchange.mode == Mode::Kept && offset == 0 => Phase::Idle,
            (Direction::ToService, Some(handshake)) if offset < handshake.hello_end => Phase::Opening,
            (Direction::ToService, _) if offset < marks.request_end => Phase::Sending,
            (Direction::ToService, _) => Phase::Sent,
            (Direction::ToClient, Some(handshake)) if offset < handshake.answer_end => Phase::Opening,
            (Direction::ToClient, _) if offset <= marks.reply_start => Phase::Waiting,
            (Direction::ToClient, _) if offset < last_chunk => Phase::Replying,
            (Direction::ToClient, _) if offset < marks.reply_end => Phase::Ending,
            (Direction::ToClient, _) => Phase::Replied,
        }
    }

    pub(crate) fn expectation(&self) -> Expectation {
        // A case that is not in the table allows neither a success nor an error.
        TABLE.iter().find(|row| row.fits(self)).map_or(only(&[]), |row| row.3)
    }

    /// The fault closes a connection that the client may keep for its next call.
    pub(crate) fn closes_between_exchanges(&self) -> bool {
        self.fault.closes() && matches!(self.phase(), Phase::Idle | Phase::Ending | Phase::Replied)
    }

    pub(crate) fn may_time_out(&self) -> bool {
        self.expectation().codes.contains(&Code::Timeout)
    }

    /// A client with retries left always makes one here: the connection has failed, and the request was not sent or is
    /// repeatable.
    pub(crate) fn is_tried_again(&self) -> bool {
        let fails = self.fault.closes() && !self.expectation().success;
        fails && (self.phase() == Phase::Opening || self.exchange.operation.repeatable)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::run::exchanges;

    use super::*;

    #[test]
    fn every_case_has_one_row() {
        let exchanges = exchanges().unwrap();
        let mut used = HashSet::new();
        for case in exchanges.iter().flat_map(|exchange| exchange.cases(false)) {
            let rows: Vec<usize> = (0..TABLE.len()).filter(|row| TABLE[*row].fits(&case)).collect();
            let [row] = rows.as_slice() else { panic!("{case}, {:?}: {} rows", case.phase(), rows.len()) };
            used.insert(*row);
        }
        assert_eq!(used.len(), TABLE.len());
    }
}
