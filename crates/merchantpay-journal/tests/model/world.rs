//! The state of a search: the rows of at most two references, the orders of the service, two processes of the
//! shop, and ghosts, which no process can read.

use merchantpay_journal::model::attempt::State;

use crate::checks::Drained;
use crate::row::{NO, Row, Seen, Sum, Told};
use crate::scenario::{Scenario, Spent};
use crate::search::System;
use crate::transitions::{ATTEMPTS, Attempts, ORDERS, Others, Outcome, Transitions};

pub const ROWS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Ghost {
    /// How often the order's status had changed when the stored status was asked.
    pub age: u8,
    /// What the shop saw at its last acknowledgement.
    pub seen: Told,
    pub saw_success: bool,
    /// What the attempt was when it was replaced.
    pub replaced_as: Option<State>,
    /// The number of news with which goods were last shipped.
    pub shipped: u8,
    /// The merchant wished to forget the reference: nothing is asked any more.
    pub forgotten: bool,
    /// The shop knows that a receipt is required, and has not attached it yet.
    pub owes_receipt: bool,
    /// The shop has attached a receipt without the journal.
    pub attached_apart: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Order {
    /// `Nothing`: there is no order.
    pub told: Told,
    /// The row whose request made it; `NO`: another journal's.
    pub owner: u8,
    pub token: u8,
    /// `getStatus` does not know it yet.
    pub hidden: bool,
    /// The service has found credentials.
    pub credentials: bool,
    /// A `no_credentials` webhook was sent.
    pub no_credentials: bool,
    pub other_sum: bool,
    /// The references whose customer has seen the credentials, as a mask.
    pub shown: u8,
    pub was_success: bool,
    /// A genuine webhook was delivered, so its body may be in a log.
    pub delivered: bool,
    pub flipped: bool,
    pub age: u8,
}

impl Order {
    pub const NONE: Order = Order {
        told: Told::Nothing,
        owner: NO,
        token: 0,
        hidden: false,
        credentials: false,
        no_credentials: false,
        other_sum: false,
        shown: 0,
        was_success: false,
        delivered: false,
        flipped: false,
        age: 0,
    };

    pub fn exists(&self) -> bool {
        self.told != Told::Nothing
    }

    pub fn seen(&self) -> Option<Seen> {
        let sum = if self.other_sum { Sum::Other } else { Sum::Asked };
        let credentials = self.credentials && self.told == Told::Pending;
        (!self.hidden).then_some(Seen { told: self.told, sum, credentials })
    }
}

/// A process's program counter: its next step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Pc {
    #[default]
    Idle,
    Insert,
    Reuse,
    Check,
    Send,
    Await,
    Store,
    Show,
    Ask,
    Apply,
    Instruct,
    ReplaceAsk,
    Replace,
    Ship,
    Acknowledge,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Flight {
    #[default]
    None,
    Sent,
    Made,
    Refused,
    /// Not a byte was sent.
    NotSent,
    Lost,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Process {
    pub pc: Pc,
    pub row: u8,
    pub token: u8,
    /// Another process has written the row since this one read it: its stamp has changed.
    pub stale: bool,
    pub order: u8,
    /// The answers to its questions, and what it read of the other attempts then.
    pub answers: [Option<Seen>; ORDERS],
    pub others: Others,
    pub age: u8,
    /// The entry of the news that it works on.
    pub number: u8,
    pub told: Told,
    pub saw_success: bool,
    pub flight: Flight,
}

impl Process {
    pub const IDLE: Process = Process {
        pc: Pc::Idle,
        row: NO,
        token: 0,
        stale: false,
        order: NO,
        answers: [None; ORDERS],
        others: Others { is_success: false, has_succeeded: false },
        age: 0,
        number: 0,
        told: Told::Nothing,
        saw_success: false,
        flight: Flight::None,
    };
}

/// The tables as a backup has them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tables {
    pub rows: [Row; ROWS],
    pub ghosts: [Ghost; ROWS],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub rows: [Row; ROWS],
    pub ghosts: [Ghost; ROWS],
    pub orders: [Order; ORDERS],
    pub processes: [Process; 2],
    /// Requests of dead processes that may still arrive: row and token.
    pub flights: [Option<(u8, u8)>; 2],
    pub backup: Option<Box<Tables>>,
    pub before_last_write: Option<Box<Tables>>,
    pub spent: Spent,
    pub tokens: u8,
    /// How often the clock has gone on; it stands still unless a commit may be lost.
    pub tick: u8,
    pub paused: bool,
    pub pause_returned: bool,
    /// References whose rows are all missing after a restore, as a mask: nothing protects them but the pause.
    pub exempt: u8,
    pub shipped: [u8; 2],
    /// How often a success of the reference was taken away.
    pub withdrawn: [u8; 2],
    pub doubled_news: u8,
    pub fault: Option<&'static str>,
}

/// What the database says to a write.
pub enum Stored {
    Yes,
    Changed,
    Guarded,
    Duplicate,
}

impl World {
    pub fn new() -> World {
        World {
            rows: [Row::default(); ROWS],
            ghosts: [Ghost::default(); ROWS],
            orders: [Order::NONE; ORDERS],
            processes: [Process::IDLE; 2],
            flights: [None; 2],
            backup: None,
            before_last_write: None,
            spent: Spent::default(),
            tokens: 0,
            tick: 0,
            paused: false,
            pause_returned: false,
            exempt: 0,
            shipped: [0; 2],
            withdrawn: [0; 2],
            doubled_news: 0,
            fault: None,
        }
    }

    pub fn owner_of(&self, order: u8) -> Option<usize> {
        (0..ROWS).find(|&i| self.rows[i].state.is_some() && self.rows[i].order == order)
    }

    pub fn is_taken(&self, order: u8, by: usize) -> bool {
        self.owner_of(order).is_some_and(|i| i != by)
    }

    /// The order was made by the request of this row's present token.
    pub fn is_own(&self, i: usize, order: &Order) -> bool {
        usize::from(order.owner) == i && order.token == self.rows[i].token
    }

    /// At how many tokens messages have named an order.
    pub fn tokens_of(&self, order: u8) -> u8 {
        let has = |mask: u8| u8::from(mask & (1 << order) != 0);
        self.rows.iter().map(|row| has(row.hints) + has(row.old_hints)).sum()
    }

    pub fn save(&self) -> Box<Tables> {
        Box::new(Tables { rows: self.rows, ghosts: self.ghosts })
    }
}

/// A scenario with the product's transitions.
pub struct Model {
    pub scenario: Scenario,
    pub transitions: Transitions,
    pub drained: Drained,
}

impl System for Model {
    type World = World;

    fn start(&self) -> World {
        World::new()
    }

    fn next(&self, world: &World, next: &mut Next) {
        for n in 0..2 {
            if n < 2 - self.scenario.processes && world.processes[n] == Process::IDLE {
                continue;
            }
            self.process_steps(world, n, next);
        }
        self.outside_steps(world, next);
        // The processes are alike.
        next.worlds.iter_mut().for_each(|world| world.processes.sort_unstable());
    }

    fn violation(&self, world: &World) -> Option<String> {
        self.broken_promise(world)
    }
}

pub type Next = crate::search::Next<World>;

impl Model {
    pub fn place(&self, reference: usize, attempt: usize) -> usize {
        reference * self.scenario.attempts + attempt
    }

    pub fn reference(&self, i: usize) -> usize {
        i / self.scenario.attempts
    }

    pub fn of(&self, reference: usize) -> std::ops::Range<usize> {
        self.place(reference, 0)..self.place(reference + 1, 0).min(ROWS)
    }

    pub fn last(&self, world: &World, reference: usize) -> Option<usize> {
        self.of(reference).rev().find(|&i| world.rows[i].state.is_some())
    }

    pub fn attempts(&self, world: &World, reference: usize) -> Attempts {
        let mut attempts = [Row::default(); ATTEMPTS];
        for (place, i) in self.of(reference).enumerate() {
            attempts[place] = world.rows[i];
        }
        attempts
    }

    pub fn has_success(&self, world: &World, reference: usize) -> bool {
        self.of(reference).any(|i| world.rows[i].status == Told::Success)
    }

    pub fn others(&self, world: &World, i: usize) -> Others {
        let others = || self.of(self.reference(i)).filter(move |j| *j != i).map(|j| &world.rows[j]);
        let is_success = others().any(|row| row.status == Told::Success);
        Others { is_success, has_succeeded: others().any(|row| row.succeeded) }
    }

    /// One write of a row. Other processes that have read it find another stamp.
    pub fn write(&self, world: &mut World, by: Option<usize>, i: usize, row: Row) {
        if self.scenario.loses > world.spent.loses {
            world.before_last_write = Some(world.save());
        }
        if self.scenario.loses > 0 && row.news != world.rows[i].news {
            world.tick += 1;
        }
        if world.rows[i].succeeded && !row.succeeded {
            world.withdrawn[self.reference(i)] += 1;
        }
        world.rows[i] = row;
        for (n, process) in world.processes.iter_mut().enumerate() {
            process.stale |= Some(n) != by && process.pc != Pc::Idle && usize::from(process.row) == i;
        }
    }

    /// The write of a row, as the database executes it for a process that has read the row; `None` for one that
    /// reads and writes at once.
    pub fn store(&self, world: &mut World, by: Option<usize>, i: usize, outcome: &Outcome) -> Stored {
        let Some(row) = outcome.new_row else { return Stored::Yes };
        if by.is_some_and(|n| world.processes[n].stale) || world.rows[i].state.is_none() {
            return Stored::Changed;
        }
        let reference = self.reference(i);
        if outcome.starts_payment && (world.paused || self.has_success(world, reference)) {
            return Stored::Guarded;
        }
        let is_second = row.succeeded && self.of(reference).any(|j| j != i && world.rows[j].succeeded);
        if is_second || row.order != NO && world.is_taken(row.order, i) {
            return Stored::Duplicate;
        }
        self.write(world, by, i, row);
        Stored::Yes
    }
}
