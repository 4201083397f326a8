//! `confirm` and `cancel`, of the attempt that they name.

use merchantpay::{Error, Result};

use crate::entry::Entry;
use crate::event::{Event, Instruction};
use crate::journal::Journal;

impl Journal {
    /// Reports to the service that the customer has paid this attempt. It is stored first, and `settle` says it
    /// again while its outcome is unknown; the entry says how it stands.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an attempt whose order id is not known; `storage` if the journal failed.
    pub fn confirm(&self, entry: &Entry) -> Result<Entry> {
        self.instruct(entry, Instruction::Confirm)
    }

    /// Cancels this attempt. Its credentials are not shown from now on. An accepted cancel allows
    /// [`replace`](Journal::replace).
    ///
    /// # Errors
    ///
    /// As [`confirm`](Journal::confirm).
    pub fn cancel(&self, entry: &Entry) -> Result<Entry> {
        self.instruct(entry, Instruction::Cancel)
    }

    fn instruct(&self, entry: &Entry, instruction: Instruction) -> Result<Entry> {
        let finished = self.apply(entry.record(), Event::Instructed(instruction))?;
        let entry = finished.entry().ok_or_else(no_entry)?;
        match entry.order_id() {
            Some(_) => Ok(entry),
            None => Err(Error::invalid_argument(
                "the attempt has no order id yet: there is nothing to send to the service",
            )),
        }
    }
}

pub(crate) fn no_entry() -> Error {
    Error::invalid_argument("the journal has no such entry")
}
