//! Claims of due attempts.

use super::{Queries, is_purged, written};
use crate::model::record::Record;
use crate::storage::columns::{number, read, split, text};
use crate::storage::statements;
use crate::storage::store::StoreError;

impl Queries {
    /// Claims at most `limit` due attempts of an account for a number of milliseconds. `claim` is a unique
    /// random text. If a newer version of the library wrote an attempt, the attempt is claimed but not
    /// returned.
    pub(crate) fn claim_due(
        &self,
        account: &str,
        claim: &str,
        time: i64,
        limit: u32,
    ) -> Result<Vec<(i64, Record)>, StoreError> {
        let parameters = vec![number!(time), text!(claim), text!(account)];
        let rows = match self.run(&statements::claim(self.store.dialect(), limit), &parameters) {
            Ok(claimed) => claimed.rows,
            // If the claim took effect, the next statement finds the claimed rows by the text.
            Err(StoreError::Unclear(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        if rows.is_empty() {
            return self.many(&statements::claimed(limit), &vec![text!(claim)]);
        }
        let read = |row| split(row).and_then(|(now, rest)| Ok((now, read(rest)?)));
        Ok(rows.into_iter().filter_map(|row| read(row).ok()).collect())
    }

    /// Ends a claim before the claim's time is up.
    pub(crate) fn release(&self, record: &Record, claim: &str) -> Result<(), StoreError> {
        let parameters = vec![text!(&record.reference), number!(record.attempt), text!(claim)];
        self.run(statements::RELEASE, &parameters).map(drop)
    }

    /// Like [`update`](Queries::update), and also ends the claim.
    pub(crate) fn update_claimed(&self, record: &Record, now: i64, claim: &str) -> Result<bool, StoreError> {
        if is_purged(record) {
            return self.update(record, now);
        }
        let mut parameters = vec![text!(claim), text!(claim)];
        parameters.extend(written(record, now));
        Ok(self.run_statement(&self.statements.update_claimed, &parameters)?.affected > 0)
    }

    /// The milliseconds until an attempt can be claimed. The number is negative if an attempt is overdue.
    pub(crate) fn next_free(&self, account: &str) -> Result<Option<i64>, StoreError> {
        let rows = self.run(&statements::next_free(), &vec![text!(account), text!(account)])?.rows;
        let mut values = rows.into_iter().flatten().map(|value| value?.parse::<i64>().ok());
        let (free, claimed) = (values.next().flatten(), values.next().flatten());
        // An attempt with an ended claim counts as free.
        Ok(free.into_iter().chain(claimed.filter(|left| *left > 0)).min())
    }
}
