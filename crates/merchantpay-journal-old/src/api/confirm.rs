//! `confirm` and `cancel` of an attempt.

use merchantpay::{Error, Result};

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::model::driver::Key;
use crate::model::event::{Event, Instruction};
use crate::model::record::Record;
use crate::storage::queries::not_sent;

impl Journal {
    /// Reports to the service that the customer has paid this attempt. The journal stores the report and then
    /// sends it. `settle` sends the report again while the outcome of the report is unknown. The returned
    /// entry has the report's state in `confirm`.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an attempt whose order id is not known; `storage` if the journal failed.
    pub fn confirm(&self, entry: &Entry) -> Result<Entry> {
        self.instruct(entry.record(), Instruction::Confirm)
    }

    /// Like [`confirm`](Journal::confirm), for a caller that has only the reference and the attempt's number.
    ///
    /// # Errors
    ///
    /// The errors of [`confirm`](Journal::confirm), and `invalid_argument` if there is no such attempt.
    pub fn confirm_by(&self, reference: &str, attempt: u32) -> Result<Entry> {
        self.instruct(&self.read(reference, attempt)?, Instruction::Confirm)
    }

    /// Cancels this attempt. From now on the attempt's credentials are not shown. After an accepted cancel,
    /// [`replace`](Journal::replace) can replace the attempt.
    ///
    /// # Errors
    ///
    /// The errors of [`confirm`](Journal::confirm).
    pub fn cancel(&self, entry: &Entry) -> Result<Entry> {
        self.instruct(entry.record(), Instruction::Cancel)
    }

    /// Like [`cancel`](Journal::cancel), for a caller that has only the reference and the attempt's number.
    ///
    /// # Errors
    ///
    /// The errors of [`confirm_by`](Journal::confirm_by).
    pub fn cancel_by(&self, reference: &str, attempt: u32) -> Result<Entry> {
        self.instruct(&self.read(reference, attempt)?, Instruction::Cancel)
    }

    fn read(&self, reference: &str, attempt: u32) -> Result<Record> {
        self.check()?;
        let key = Key::Attempt(reference.to_owned(), attempt);
        let record = self.queries.load(&key).map_err(not_sent)?.record;
        self.check_account(record.as_ref())?;
        record.ok_or_else(no_entry)
    }

    fn instruct(&self, record: &Record, instruction: Instruction) -> Result<Entry> {
        let finished = self.apply(record, Event::Instructed(instruction))?;
        let entry = finished.entry().ok_or_else(no_entry)?;
        match entry.order_id() {
            Some(_) => Ok(entry),
            None => Err(Error::invalid_argument(
                "the attempt has no order id yet, so it can be neither confirmed nor cancelled",
            )),
        }
    }
}

pub(crate) fn no_entry() -> Error {
    Error::invalid_argument("the journal has no such entry")
}
