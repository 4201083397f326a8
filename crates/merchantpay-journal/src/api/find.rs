//! `find` and `list`: entries as they are.

use merchantpay::Result;

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::model::standing::Standing;
use crate::storage::queries::not_sent;

impl Journal {
    /// The entry of a reference, with the attempts before it.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; `invalid_argument` if the entry is another account's.
    pub fn find(&self, reference: &str) -> Result<Option<Entry>> {
        let attempts = self.queries.attempts(reference).map_err(|error| self.unreadable(error))?;
        self.check_account(attempts.first().map(|(_, record)| record))?;
        Ok(Entry::of_attempts(attempts))
    }

    /// The attempt that has an order of the service's, without the attempts before it.
    ///
    /// # Errors
    ///
    /// As [`find`](Journal::find).
    pub fn find_order(&self, order_id: &str) -> Result<Option<Entry>> {
        self.check()?;
        let found = self.queries.by_order(order_id).map_err(not_sent)?;
        self.check_account(found.as_ref().map(|(_, record)| record))?;
        Ok(found.map(|(now, record)| Entry::new(record, now)))
    }

    /// At most `limit` entries, of one standing or of all, the newest first, without the attempts before
    /// them; only those behind `before` in that order.
    ///
    /// # Errors
    ///
    /// As [`find`](Journal::find).
    pub fn list(&self, standing: Option<Standing>, limit: u32, before: Option<&Entry>) -> Result<Vec<Entry>> {
        self.check()?;
        let before = before.map(|entry| (entry.created_at(), entry.reference()));
        let rows = self.queries.list(standing, before, limit).map_err(not_sent)?;
        Ok(rows.into_iter().map(|(now, record)| Entry::new(record, now)).collect())
    }
}
