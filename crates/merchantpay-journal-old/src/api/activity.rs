//! Counts of the journal's work in this process, for metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use merchantpay::{Error, Outcome};

use crate::model::event::{Call, Instruction};

/// Counts of the work of a journal and of its derived journals, since the journal was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Activity {
    /// The number of ended calls to the service, by operation and outcome. The outcome is `accepted`, or the
    /// outcome of the error.
    pub calls: BTreeMap<(&'static str, &'static str), u64>,
    /// The number of answered webhooks, by HTTP status.
    pub received: BTreeMap<u16, u64>,
    /// The number of writes that failed because another process had changed the row first.
    pub lost_writes: u64,
}

/// The counters that a journal shares with the journals derived from it.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Activity>);

impl Counters {
    pub(crate) fn activity(&self) -> MutexGuard<'_, Activity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count_call(&self, call: Call, asynchronous: bool, error: Option<&Error>) {
        let operation = match call {
            Call::Create if asynchronous => "newPaymentAsync",
            Call::Create => "newPayment",
            Call::Status => "getStatus",
            Call::Instruct(Instruction::Confirm, _) => "confirm",
            Call::Instruct(Instruction::Cancel, _) => "cancel",
        };
        let outcome = error.map_or("accepted", |error| Outcome::name(error.outcome()));
        *self.activity().calls.entry((operation, outcome)).or_default() += 1;
    }

    pub(crate) fn count_received(&self, http_status: u16) {
        *self.activity().received.entry(http_status).or_default() += 1;
    }

    pub(crate) fn count_lost_write(&self) {
        self.activity().lost_writes += 1;
    }
}
