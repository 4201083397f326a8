//! The matrix: every fault at every place, for each operation, transport and mode.

use std::fmt;

use crate::channel::Marks;
use crate::fault::{Direction, Fault, Plan, Recurrence};
use crate::operation::Operation;

/// How an exchange is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// In plain, the reply with its length.
    Plain,
    /// In plain, the reply in chunks, as many a service sends it.
    Chunked,
    Tls,
}

impl Transport {
    pub(crate) const ALL: [Transport; 3] = [Transport::Plain, Transport::Chunked, Transport::Tls];
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Transport::Plain => "plain",
            Transport::Chunked => "chunked",
            Transport::Tls => "tls",
        })
    }
}

/// How often the fault happens, and whether the library may try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The client does not try again.
    NoRetries,
    /// One connection meets the fault; the client tries again as it does by default.
    OneFault,
    /// So does every further connection of the call.
    EveryConnection,
    /// Every further connection is cut as soon as it is there.
    ThenCut,
    /// The fault is in the second exchange of a client that does not try again: where it keeps its
    /// connection, on that.
    Kept,
}

impl Mode {
    pub(crate) const ALL: [Mode; 5] =
        [Mode::NoRetries, Mode::OneFault, Mode::EveryConnection, Mode::ThenCut, Mode::Kept];

    /// What to set; by default the client tries twice more.
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

    /// The most attempts that a call makes.
    pub(crate) fn most_attempts(self) -> usize {
        if self.max_retries().is_some() { 1 } else { 3 }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::NoRetries => "no-retries",
            Mode::OneFault => "one-fault",
            Mode::EveryConnection => "every-connection",
            Mode::ThenCut => "then-cut",
            Mode::Kept => "kept",
        })
    }
}

/// An exchange, and how it lies on the wire when nothing disturbs it.
pub(crate) struct Exchange {
    pub(crate) operation: &'static Operation,
    pub(crate) transport: Transport,
    pub(crate) mode: Mode,
    pub(crate) marks: Marks,
    /// Towards the service and towards the client: the ends of the TLS records, in plain those of the head
    /// and of each line behind it.
    pub(crate) ends: [Vec<usize>; 2],
}

#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) exchange: &'a Exchange,
    pub(crate) direction: Direction,
    pub(crate) fault: Fault,
    pub(crate) offset: usize,
}

/// Which offsets are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offsets {
    /// Every one of every exchange.
    Every,
    /// Every one of a synchronous creation and of a status in plain; elsewhere the ends ± 1, and every 32nd
    /// or, of what is long, every 1024th.
    Planned,
}

const STRIDE: usize = 32;
const LONG_STRIDE: usize = 1024;
/// Longer than an exchange without a large file.
const LONG: usize = 16 * 1024;

impl Exchange {
    pub(crate) fn cases(&self, offsets: Offsets) -> impl Iterator<Item = Case<'_>> {
        let every = offsets == Offsets::Every
            || self.transport != Transport::Tls && matches!(self.operation.path, "/new" | "/status");
        Direction::ALL.into_iter().flat_map(move |direction| {
            let ends = &self.ends[direction as usize];
            // One more than there are: nothing happens there.
            let last = ends.last().map_or(0, |end| end + 1);
            let stride = if last < LONG { STRIDE } else { LONG_STRIDE };
            let is_tried = move |offset: &usize| {
                every || offset.is_multiple_of(stride) || ends.iter().any(|end| end.abs_diff(*offset) <= 1)
            };
            (0..=last).filter(is_tried).flat_map(move |offset| self.faults_at(direction, offset))
        })
    }

    fn faults_at(&self, direction: Direction, offset: usize) -> impl Iterator<Item = Case<'_>> {
        // Before the first byte there is none to repeat.
        let faults = Fault::ALL.into_iter().filter(move |fault| *fault != Fault::Repeat || offset > 0);
        faults.map(move |fault| Case { exchange: self, direction, fault, offset })
    }
}

impl Case<'_> {
    /// Before the first byte or behind the last.
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

/// The name by which a case can be run again.
impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exchange { operation, transport, mode, .. } = self.exchange;
        write!(f, "{}/{transport}/{mode}/{}/{}/{}", operation.name, self.direction, self.fault, self.offset)
    }
}
