//! The matrix of cases: every fault at every place, for each operation, transport and mode.

use std::fmt;

use crate::channel::Marks;
use crate::fault::{Direction, Fault, Plan, Recurrence};
use crate::operation::Operation;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// With `Content-Length`.
    Plain,
    /// Without TLS; the reply is chunked, as those of many services.
    Chunked,
    Tls,
}

impl Transport {
    pub(crate) const ALL: [Transport; 3] = [Transport::Plain, Transport::Chunked, Transport::Tls];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    NoRetries,
    /// One connection has the fault; the client retries with its default settings.
    OneFault,
    /// Every connection of the call has the fault.
    EveryConnection,
    /// The first connection has the fault. All later connections are cut immediately.
    ThenCut,
    /// The fault is in the second exchange of a client that does not retry, on the kept connection if there is one.
    Kept,
}

impl Mode {
    pub(crate) const ALL: [Mode; 5] =
        [Mode::NoRetries, Mode::OneFault, Mode::EveryConnection, Mode::ThenCut, Mode::Kept];

    /// By default the client retries twice.
    pub(crate) fn max_retries(self) -> Option<u32> {
        matches!(self, Mode::NoRetries | Mode::Kept).then_some(0)
    }

    fn recurrence(self) -> Recurrence {
        match self {
            Mode::NoRetries | Mode::OneFault | Mode::Kept => Recurrence::Once,
            Mode::EveryConnection => Recurrence::Always,
            Mode::ThenCut => Recurrence::ThenCut,
        }
    }

    pub(crate) fn most_attempts(self) -> usize {
        if self.max_retries().is_some() { 1 } else { 3 }
    }
}

/// An exchange, and its layout on the wire without a fault.
pub(crate) struct Exchange {
    pub(crate) operation: &'static Operation,
    pub(crate) transport: Transport,
    pub(crate) mode: Mode,
    pub(crate) marks: Marks,
    /// Where parts end, towards the service and towards the client. A part is a TLS record; without TLS the head, or a
    /// line after it.
    pub(crate) ends: [Vec<usize>; 2],
}

#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) exchange: &'a Exchange,
    pub(crate) direction: Direction,
    pub(crate) fault: Fault,
    pub(crate) offset: usize,
}

const STRIDE: usize = 32;
const LONG_STRIDE: usize = 1024;
/// Exchanges without a large file are shorter.
const LONG: usize = 16 * 1024;

impl Exchange {
    /// The cases at every offset, or at the planned ones: every offset of a synchronous creation and of a status without
    /// TLS; in the other exchanges each end of a part ± 1, and every 32nd offset, or every 1024th of a long exchange.
    pub(crate) fn cases(&self, every: bool) -> impl Iterator<Item = Case<'_>> {
        let every =
            every || self.transport != Transport::Tls && matches!(self.operation.path, "/new" | "/status");
        Direction::ALL.into_iter().flat_map(move |direction| {
            let ends = &self.ends[direction as usize];
            // One more than the number of bytes: there the fault does not happen.
            let last = ends.last().map_or(0, |end| end + 1);
            let stride = if last < LONG { STRIDE } else { LONG_STRIDE };
            let is_tried = move |offset: &usize| {
                every || offset.is_multiple_of(stride) || ends.iter().any(|end| end.abs_diff(*offset) <= 1)
            };
            (0..=last).filter(is_tried).flat_map(move |offset| self.faults_at(direction, offset))
        })
    }

    fn faults_at(&self, direction: Direction, offset: usize) -> impl Iterator<Item = Case<'_>> {
        // Before the first byte there is no byte to repeat.
        let faults = Fault::ALL.into_iter().filter(move |fault| *fault != Fault::Repeat || offset > 0);
        faults.map(move |fault| Case { exchange: self, direction, fault, offset })
    }
}

impl Case<'_> {
    /// Before the first or after the last byte.
    pub(crate) fn is_at_an_end(&self) -> bool {
        self.offset == 0 || self.exchange.ends[self.direction as usize].last() == Some(&self.offset)
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan {
            fault: self.fault,
            direction: self.direction,
            offset: self.offset,
            recurrence: self.exchange.mode.recurrence(),
        }
    }
}

/// A case can be repeated by this name.
impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exchange { operation, transport, mode, .. } = self.exchange;
        write!(
            f,
            "{}/{transport:?}/{mode:?}/{:?}/{:?}/{}",
            operation.name, self.direction, self.fault, self.offset
        )
    }
}
