//! Orphans in a store.

use super::{Queries, no_row};
use crate::model::driver::Misplaced;
use crate::model::event::Report;
use crate::model::json;
use crate::model::orphan::{Orphan, OrphanState};
use crate::storage::columns::{number, read_orphan, text};
use crate::storage::statements;
use crate::storage::store::StoreError;

/// The number of tries to update an orphan while other messages change it.
const ORPHAN_TRIES: u32 = 20;

impl Queries {
    /// Stores a message as an orphan, or updates the orphan of the same order.
    pub(crate) fn insert_orphan(&self, misplaced: &Misplaced) -> Result<(), StoreError> {
        let report = &misplaced.report;
        let (reference, attempt) = match &misplaced.attempt {
            Some((reference, attempt)) => (text!(reference.as_str()), number!(attempt)),
            None => (None, None),
        };
        let parameters = vec![
            text!(report.order_id.as_str()),
            report.status.as_deref().map(Into::into),
            report.sum.map(|sum| sum.to_string().into()),
            reference,
            attempt,
            text!(json::write(&report.fields)),
        ];
        match self.run(statements::INSERT_ORPHAN, &parameters) {
            Err(StoreError::Duplicate) => self.update_orphan(report),
            result => result.map(drop),
        }
    }

    /// Merges a message into the orphan of its order. A changed status makes the orphan unseen.
    fn update_orphan(&self, report: &Report) -> Result<(), StoreError> {
        let order_id = report.order_id.as_str();
        for _ in 0..ORPHAN_TRIES {
            let row = self.run(statements::ORPHAN, &vec![text!(order_id)])?.rows.into_iter().next();
            let row: Option<[Option<String>; 4]> = row.and_then(|row| row.try_into().ok());
            let [status, sum, version, fields] = row.ok_or_else(no_row)?;
            let fields = fields.as_deref().and_then(json::read).unwrap_or_default();
            let stored = OrphanState { status, sum, fields };
            let next = stored.updated(report);
            if next == stored {
                return Ok(());
            }
            let status = || next.status.as_deref().map(Into::into);
            let parameters = vec![
                status(),
                status(),
                next.sum.as_deref().map(Into::into),
                text!(json::write(&next.fields)),
                text!(order_id),
                version.map(Into::into),
            ];
            if self.run(statements::UPDATE_ORPHAN, &parameters)?.affected > 0 {
                return Ok(());
            }
        }
        Err(StoreError::Failed(
            "other messages about the same order are being stored at the same time: try again".to_owned(),
        ))
    }

    /// Deletes the details of the seen orphans in the next page. Returns the last order id of the page, and
    /// the number of orphans whose details were deleted.
    pub(crate) fn purge_orphans(
        &self,
        before: i64,
        after: &str,
        limit: u32,
    ) -> Result<Option<(String, u64)>, StoreError> {
        let rows = self.run(&statements::orphans_after(limit), &vec![text!(after)])?.rows;
        let Some(last) = rows.into_iter().flatten().flatten().next_back() else { return Ok(None) };
        let parameters = vec![text!(after), text!(last.as_str()), number!(before)];
        let purged = self.run(statements::PURGE_ORPHANS, &parameters)?.affected;
        Ok(Some((last, purged)))
    }

    /// The number of a reference's orphans that no operator has seen.
    pub(crate) fn unseen_orphans(&self, reference: &str) -> Result<u64, StoreError> {
        let count = self.value(statements::UNSEEN_ORPHANS, &vec![text!(reference)])?;
        count.and_then(|text| text.parse().ok()).ok_or_else(no_row)
    }

    /// Deletes the details of a reference's orphans that an operator has seen. Returns the number of orphans
    /// that had details.
    pub(crate) fn forget_orphans(&self, reference: &str) -> Result<u64, StoreError> {
        Ok(self.run(statements::FORGET_ORPHANS, &vec![text!(reference)])?.affected)
    }

    /// Reads orphans as column values; the first value is the key.
    pub(crate) fn export_orphans(
        &self,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Vec<Option<String>>>, StoreError> {
        Ok(self.run(&statements::export_orphans(limit), &vec![text!(after)])?.rows)
    }

    pub(crate) fn import_orphan(&self, values: &[Option<String>]) -> Result<(), StoreError> {
        let parameters = values.iter().map(|value| value.as_deref().map(Into::into)).collect();
        self.run(&statements::import_orphan(), &parameters).map(drop)
    }

    pub(crate) fn orphans(&self, limit: u32) -> Result<Vec<Orphan>, StoreError> {
        let rows = self.run(&statements::orphans(limit), &vec![])?.rows;
        Ok(rows.into_iter().filter_map(read_orphan).collect())
    }

    pub(crate) fn see_orphan(&self, order_id: &str, note: &str) -> Result<bool, StoreError> {
        Ok(self.run(statements::SEE_ORPHAN, &vec![text!(note), text!(order_id)])?.affected > 0)
    }

    /// Like [`see_orphan`](Queries::see_orphan), but only if the orphan still has the status that the
    /// operator has read.
    pub(crate) fn see_read_orphan(
        &self,
        order_id: &str,
        status: Option<&str>,
        note: &str,
    ) -> Result<bool, StoreError> {
        let parameters = vec![text!(note), text!(order_id), status.map(Into::into)];
        Ok(self.run(statements::SEE_READ_ORPHAN, &parameters)?.affected > 0)
    }
}
