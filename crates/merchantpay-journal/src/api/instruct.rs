//! `confirm` and `cancel`.

use merchantpay::{Error, Result};

use crate::api::driver::{Applied, Case};
use crate::api::effort::Effort;
use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::read::no_entry;
use crate::model::attempt::Intent;
use crate::model::decision::Call;
use crate::model::instruction;

/// Names an attempt: an entry, or a reference and a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    /// The merchant's order number.
    pub reference: &'a str,
    /// The number of the attempt.
    pub attempt: u32,
}

impl<'a> From<&'a Entry> for Key<'a> {
    fn from(entry: &'a Entry) -> Key<'a> {
        Key { reference: &entry.reference, attempt: entry.attempt }
    }
}

impl<'a> From<(&'a str, u32)> for Key<'a> {
    fn from((reference, attempt): (&'a str, u32)) -> Key<'a> {
        Key { reference, attempt }
    }
}

impl Journal {
    /// Tells the service that the customer has paid this attempt. The instruction is stored first; `settle`
    /// sends it again until the service has answered. The entry's `intent_state` says what became of it. An
    /// attempt that is over stays as it is.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an attempt that does not exist or has no order yet; `storage` if the journal
    /// failed.
    pub fn confirm<'a>(&self, attempt: impl Into<Key<'a>>) -> Result<Entry> {
        self.instruct_attempt(attempt.into(), Intent::Confirm)
    }

    /// Cancels this attempt, as [`confirm`](Journal::confirm) confirms it. Its credentials are not shown any
    /// more. Once the cancel is accepted, [`replace`](Journal::replace) may make another payment.
    ///
    /// # Errors
    ///
    /// The errors of [`confirm`](Journal::confirm).
    pub fn cancel<'a>(&self, attempt: impl Into<Key<'a>>) -> Result<Entry> {
        self.instruct_attempt(attempt.into(), Intent::Cancel)
    }

    fn instruct_attempt(&self, key: Key<'_>, intent: Intent) -> Result<Entry> {
        let deadline = self.deadline();
        let read = self.read(key.reference)?;
        let row = read.attempt(key.attempt).cloned().ok_or_else(no_entry)?;
        if row.order_id.is_none() {
            return Err(Error::invalid_argument(
                "the attempt has no order yet, so it can be neither confirmed nor cancelled",
            ));
        }
        let decide = |case: &Case<'_>| instruction::instruct(case.row, intent, case.moment);
        let Applied { row, time, call, .. } = self.apply(row, read, Effort::before_call(deadline), decide)?;
        let asked = match call {
            Some(Call::Instruct(intent)) => self.send_instruction(row, time, intent, deadline)?,
            Some(Call::Ask) => self.question(row, time, deadline)?,
            _ => return self.entry_of(&row, time),
        };
        self.entry_of(&asked.row, asked.time)
    }
}
