//! Changes of the bytes between client and service, and their places.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// FIN towards both ends.
    Cut,
    /// RST towards both ends.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToService,
    ToClient,
}

impl Direction {
    pub(crate) const ALL: [Direction; 2] = [Direction::ToService, Direction::ToClient];
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) fault: Fault,
    pub(crate) direction: Direction,
    /// So many bytes of the exchange pass in this direction before the fault. With 0 it happens towards the service as
    /// soon as the connection exists; towards the client, when there is a byte to pass.
    pub(crate) offset: usize,
    pub(crate) recurrence: Recurrence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recurrence {
    /// Only on the first connection that reaches the place.
    Once,
    Always,
    /// Later connections are cut immediately.
    ThenCut,
}

impl Plan {
    /// The fault does not wait for a byte.
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
