//! What a transition decides: a write, and the call that follows it.

use crate::model::attempt::{Attempt, Intent, Reason};
use crate::model::clock::Moment;
use crate::model::report::Problem;

/// The decision about one event. An event that changes nothing has neither.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    pub write: Option<Write>,
    pub call: Option<Call>,
    /// The reply that led here belongs to no row: store it as a message.
    pub keep_reply: bool,
}

/// A write of one statement or one transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// A new row. The statement has the conditions of [`Update::starts_payment`].
    Insert(Box<Attempt>),
    Update(Box<Update>),
    /// Both in one transaction.
    Replace(Box<Update>, Box<Attempt>),
}

/// The new row, stored if the row still has the stamp that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// The new row. The statement leaves `acked` alone, and writes `news_due` only together with a new
    /// `news`.
    pub row: Attempt,
    /// The stamp that was read.
    pub read: String,
    /// The statement also requires that no attempt of the reference is a success, and that the journal is not
    /// paused: a look before the write would miss a success that another process stores in between.
    pub starts_payment: bool,
    pub if_changed: IfChanged,
}

/// What a process does when its write finds another stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfChanged {
    DecideAgain,
    /// Throw the answer away: an answer that was asked before the other write may be older than what that
    /// write stored.
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Request the payment, with the row's token in the webhook URLs.
    Pay,
    /// Ask `getStatus` about the bound order.
    Ask,
    Instruct(Intent),
}

/// The new row in the making.
pub(crate) struct Edit<'a> {
    before: &'a Attempt,
    pub(crate) row: Attempt,
    pub(crate) moment: &'a Moment,
    pub(crate) call: Option<Call>,
}

impl<'a> Edit<'a> {
    pub(crate) fn new(before: &'a Attempt, moment: &'a Moment) -> Edit<'a> {
        Edit { before, row: before.clone(), moment, call: None }
    }

    /// Makes the change news. The number never comes twice with different contents: it grows, also beyond
    /// numbers that a failover has lost, because the clock has gone on since, and by a random step, should
    /// the clock have been set back.
    pub(crate) fn news(&mut self) {
        let grown = self.before.news.saturating_add(1 + i64::from(self.moment.step));
        self.row.news = grown.max(self.moment.clock.now);
        self.row.news_due = Some(self.moment.clock.now);
    }

    /// Raises a reason for a new event, also if an earlier one was seen.
    pub(crate) fn raise(&mut self, reason: Reason) {
        self.row.seen &= !reason.bit();
        self.row.attention |= reason.bit();
    }

    /// Raises a reason that holds on, unless it was seen.
    pub(crate) fn hold(&mut self, reason: Reason) {
        self.row.attention |= reason.bit() & !self.row.seen;
    }

    /// Stores the error of a call. A purged row stays without the service's text, which may name a customer.
    pub(crate) fn failed(&mut self, problem: &Problem) {
        let mut problem = problem.clone();
        if self.row.is_purged() {
            problem.description = None;
        }
        self.row.error = problem.json();
    }

    pub(crate) fn finish(self, if_changed: IfChanged) -> Decision {
        match self.row == *self.before {
            true => Decision::default(),
            false => self.write(if_changed),
        }
    }

    /// Writes also what has not changed: the new stamp is the change.
    pub(crate) fn write(self, if_changed: IfChanged) -> Decision {
        let call = self.call;
        Decision { write: Some(Write::Update(Box::new(self.update(if_changed)))), call, keep_reply: false }
    }

    pub(crate) fn update(self, if_changed: IfChanged) -> Update {
        let (stamp, updated_at) = (self.moment.stamp.clone(), self.moment.clock.now);
        let row = Attempt { stamp, updated_at, ..self.row };
        Update { row, read: self.before.stamp.clone(), starts_payment: false, if_changed }
    }
}
