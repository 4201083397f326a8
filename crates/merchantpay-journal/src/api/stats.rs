//! `stats`: counts for monitoring.

use merchantpay::Result;
use serde::Serialize;

use crate::api::attention::SEARCHED;
use crate::api::journal::Journal;
use crate::api::operator::Operator;
use crate::store::Counts;

/// The counts and the state of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Stats {
    /// The attempts that are sending, unknown or open, by their standings. The others are not counted: their
    /// number only grows.
    pub standings: Standings,
    /// The length of the list of [`attention`](Journal::attention).
    pub attention: u64,
    /// Of these, the orders that no attempt has.
    pub orphans: u64,
    /// Attempts about which the service must be asked now.
    pub due: u64,
    /// For how long an attempt is overdue, in milliseconds.
    pub overdue_ms: Option<i64>,
    /// Entries that nobody has acknowledged.
    pub news: u64,
    /// The note of the pause, if the journal is paused.
    pub pause: Option<String>,
    /// The database's settings that the merchant has vouched for.
    pub durability_vouched: Vec<String>,
}

/// Attempts by their standings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Standings {
    /// The call may run.
    pub sending: u64,
    /// The call is over, without an answer.
    pub unknown: u64,
    /// An order is bound that is not final.
    pub open: u64,
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
        let (_, unreadable) = self.tell(self.database.unreadable(SEARCHED))?;
        let next_due = self.tell(self.database.next_due())?;
        let (_, pause) = self.tell(self.database.setting("pause"))?;
        Ok(Stats {
            standings: Standings { sending, unknown, open },
            attention: attention + orphans + unreadable.len() as u64,
            orphans,
            due,
            news,
            overdue_ms: next_due.filter(|next| *next <= 0).map(|next| -next),
            pause,
            durability_vouched: self.config.vouched().to_vec(),
        })
    }
}
