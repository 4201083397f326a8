//! `find` and `list`: read entries without changing them.

use merchantpay::Result;

use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::model::standing::Standing;
use crate::storage::queries::not_sent;

impl Journal {
    /// Finds the entry of a reference, with its earlier attempts.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed; `invalid_argument` if the entry belongs to another account.
    pub fn find(&self, reference: &str) -> Result<Option<Entry>> {
        let attempts = self.queries.attempts(reference).map_err(|error| self.unreadable(error))?;
        self.check_account(attempts.first().map(|(_, record)| record))?;
        Ok(Entry::of_attempts(attempts))
    }

    /// Finds the attempt with this order id, without its earlier attempts.
    ///
    /// # Errors
    ///
    /// The errors of [`find`](Journal::find).
    pub fn find_order(&self, order_id: &str) -> Result<Option<Entry>> {
        self.check()?;
        let found = self.queries.by_order(order_id).map_err(not_sent)?;
        self.check_account(found.as_ref().map(|(_, record)| record))?;
        Ok(found.map(|(now, record)| Entry::new(record, now)))
    }

    /// Lists at most `limit` entries, the newest first, without their earlier attempts. `standing` selects
    /// one standing, and `before` continues after the last entry of the previous page.
    ///
    /// # Errors
    ///
    /// The errors of [`find`](Journal::find).
    pub fn list(&self, standing: Option<Standing>, limit: u32, before: Option<&Entry>) -> Result<Vec<Entry>> {
        self.check()?;
        let before = before.map(|entry| (entry.created_at(), entry.reference()));
        let rows = self.queries.list(standing, before, limit).map_err(not_sent)?;
        Ok(rows.into_iter().map(|(now, record)| Entry::new(record, now)).collect())
    }
}
