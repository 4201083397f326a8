//! The changes of a payment: the new state, the time, and the cause.

use std::borrow::Cow;
use std::collections::VecDeque;

use merchantpay::Amount;

use crate::base::clock::Millis;
use crate::model::state::State;

/// The number of changes that are kept of a payment. Only endless arbitration reaches the limit.
const MAX_CHANGES: usize = 200;

/// The author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Merchant,
    Sandbox,
    Customer,
    Operator,
}

impl By {
    pub(crate) const ALL: [By; 4] = [By::Merchant, By::Sandbox, By::Customer, By::Operator];

    pub(crate) fn name(self) -> &'static str {
        match self {
            By::Merchant => "merchant",
            By::Sandbox => "sandbox",
            By::Customer => "customer",
            By::Operator => "operator",
        }
    }
}

/// The author of a change, and the operation or action.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cause {
    pub(crate) by: By,
    pub(crate) what: &'static str,
}

impl Cause {
    pub(crate) fn merchant(operation: &'static str) -> Cause {
        Cause { by: By::Merchant, what: operation }
    }

    pub(crate) fn sandbox(what: &'static str) -> Cause {
        Cause { by: By::Sandbox, what }
    }
}

/// One change, and the payment's state after it.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) at: Millis,
    pub(crate) by: By,
    pub(crate) cause: Cow<'static, str>,
    pub(crate) state: State,
    pub(crate) sum: Amount,
}

/// The changes of one payment, oldest first. The first change is never dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline(pub(crate) VecDeque<Change>);

impl Timeline {
    pub(crate) fn add(&mut self, change: Change) {
        if self.0.len() == MAX_CHANGES {
            self.0.remove(1);
        }
        // Room is reserved for one change only, because most payments have few changes and there can be many
        // payments.
        self.0.reserve_exact(1);
        self.0.push_back(change);
    }

    /// The time at which the payment was made, and the time of its last change.
    pub(crate) fn ends(&self) -> (Millis, Millis) {
        (self.0.front().map_or(0, |change| change.at), self.0.back().map_or(0, |change| change.at))
    }
}
