//! `stats`: counts for monitoring.

use merchantpay::Result;
use serde::Serialize;

use crate::api::journal::Journal;
use crate::api::operator::Operator;
use crate::store::Counts;

/// The counts and the state of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Stats {
    /// Attempts whose call may run.
    pub sending: u64,
    /// Attempts whose call is over, without an answer.
    pub unknown: u64,
    /// Attempts with an order that is not final.
    pub open: u64,
    /// Attempts about which the service must be asked now.
    pub due: u64,
    /// Entries that nobody has acknowledged.
    pub news: u64,
    /// Attempts that need a person, without those that are only unknown.
    pub attention: u64,
    /// Messages whose order no attempt has, and that no person has seen.
    pub orphans: u64,
    /// For how long an attempt is overdue, in milliseconds.
    pub overdue_ms: Option<i64>,
    /// The note of the pause, if the journal is paused.
    pub pause: Option<String>,
    /// What the merchant has vouched for.
    pub durability_vouched: Vec<String>,
}

impl Stats {
    /// The counts as one line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Journal {
    /// Counts what is open, due, new and for a person.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn stats(&self) -> Result<Stats> {
        Operator::of(self).stats()
    }
}

impl Operator {
    /// Like [`Journal::stats`], without a client.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn stats(&self) -> Result<Stats> {
        let Counts { sending, unknown, open, due, news, attention, orphans } =
            self.tell(self.database.counts())?;
        let next_due = self.tell(self.database.next_due())?;
        let (_, pause) = self.tell(self.database.setting("pause"))?;
        Ok(Stats {
            sending,
            unknown,
            open,
            due,
            news,
            attention,
            orphans,
            overdue_ms: next_due.filter(|next| *next <= 0).map(|next| -next),
            pause,
            durability_vouched: self.config.vouched().to_vec(),
        })
    }
}
