//! Changes of the bytes between client and service, and their places.

/// A fault of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection is closed normally (FIN) towards both ends.
    Cut,
    /// The connection is reset (RST) towards both ends.
    Reset,
    /// Nothing more is passed in this direction.
    Stall,
    /// The last bytes are passed again, and then the following bytes.
    Repeat,
    /// Another thread interrupts the client, and nothing more is passed in this direction.
    Interrupt,
}

impl Fault {
    pub(crate) const ALL: [Fault; 5] =
        [Fault::Cut, Fault::Reset, Fault::Stall, Fault::Repeat, Fault::Interrupt];

    pub(crate) fn closes(self) -> bool {
        matches!(self, Fault::Cut | Fault::Reset)
    }
}

/// The direction whose bytes are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToService,
    ToClient,
}

impl Direction {
    pub(crate) const ALL: [Direction; 2] = [Direction::ToService, Direction::ToClient];
}

/// A fault at one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) fault: Fault,
    pub(crate) direction: Direction,
    /// The number of bytes of the exchange that are passed in this direction before the fault. 0 means
    /// before the first byte. Towards the service the fault then happens as soon as the connection exists;
    /// towards the client, when there is a byte to pass.
    pub(crate) offset: usize,
    pub(crate) recurrence: Recurrence,
}

/// The connections that have the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recurrence {
    /// Only the first connection that reaches the place has the fault.
    Once,
    Always,
    /// The first connection has the fault. Later connections are cut immediately.
    ThenCut,
}

impl Plan {
    /// Returns `true` if the fault does not wait for a byte.
    pub(crate) fn is_at_once(self) -> bool {
        self.direction == Direction::ToService && self.offset == 0
    }

    /// The plan for the connections after the first.
    pub(crate) fn behind(self) -> Plan {
        match self.recurrence {
            Recurrence::Once | Recurrence::Always => self,
            Recurrence::ThenCut => Plan {
                fault: Fault::Cut,
                direction: Direction::ToService,
                offset: 0,
                recurrence: Recurrence::Always,
            },
        }
    }
}
