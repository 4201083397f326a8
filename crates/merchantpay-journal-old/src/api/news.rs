//! `news` and `acknowledge`: the changes that the merchant has not acknowledged.

use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, Result};

use crate::api::confirm::no_entry;
use crate::api::entry::Entry;
use crate::api::journal::{Journal, another_account};
use crate::api::pause::paused;
use crate::api::random::random;
use crate::api::run::PAUSE;
use crate::model::standing::Level;
use crate::storage::queries::{acknowledge, fault_of_connection, not_sent, reported};
use crate::storage::store::{Store, StoreError};

/// The default time for which a worker claims an entry of the news.
const CLAIM: Duration = Duration::from_secs(60);

impl Journal {
    /// Returns at most `limit` entries with a level above the acknowledged level, the oldest first. The call
    /// claims each entry for a minute, so that concurrent workers get different entries. If an entry is not
    /// acknowledged within that minute, it is returned again.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed or is [paused](Journal::pause).
    pub fn news(&self, limit: u32) -> Result<Vec<Entry>> {
        self.news_for(limit, CLAIM)
    }

    /// Like [`news`](Journal::news), with a claim of this length.
    ///
    /// # Errors
    ///
    /// The errors of [`news`](Journal::news).
    pub fn news_for(&self, limit: u32, claim: Duration) -> Result<Vec<Entry>> {
        self.check()?;
        let time = i64::try_from(claim.as_millis()).unwrap_or(i64::MAX / 2);
        let [claimer] = random(Outcome::NotSent)?;
        let mut entries = Vec::new();
        let news = self.queries.news(limit).map_err(not_sent)?.map_err(|pause| paused(&pause))?;
        for (now, record) in news {
            match self.queries.claim_news(&record, time, &claimer) {
                Ok(true) => entries.push(Entry::new(record, now)),
                // Another worker has claimed the entry, or it is unclear whether this worker has. The entry
                // is returned later.
                Ok(false) | Err(StoreError::Unclear(_)) => {}
                Err(error) => return Err(not_sent(error)),
            }
        }
        Ok(entries)
    }

    /// Records that the merchant has acted on this entry's level. If the level rises later,
    /// [`news`](Journal::news) returns the entry again. Returns `true` if this call acknowledged the level:
    /// of two workers only one gets `true`.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn acknowledge(&self, entry: &Entry) -> Result<bool> {
        let record = entry.record();
        self.raise(&record.reference, record.attempt, record.reported)
    }

    /// Like [`acknowledge`](Journal::acknowledge), for a caller that has only the reference, the attempt's
    /// number, and the level on which it acted. Higher levels stay in the news.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if there is no such attempt, if the attempt belongs to another account, and for a
    /// level that is `none` or above the reported level; `storage` if the journal failed.
    pub fn acknowledge_by(&self, reference: &str, attempt: u32, level: Level) -> Result<bool> {
        self.check()?;
        self.check_reported(&*self.queries.store, reference, attempt, level)?;
        self.raise(reference, attempt, level)
    }

    fn raise(&self, reference: &str, attempt: u32, level: Level) -> Result<bool> {
        let [who] = random(Outcome::NotSent)?;
        let end = Instant::now() + self.timeout;
        let mut was_unclear = false;
        loop {
            match acknowledge(&*self.queries.store, reference, attempt, level, &who) {
                Ok(false) if was_unclear => {
                    let by = self.queries.acknowledged_by(reference, attempt).map_err(not_sent)?;
                    return Ok(by.is_some_and(|by| by == who));
                }
                Ok(raised) => return Ok(raised),
                Err(StoreError::Unclear(_)) if Instant::now() < end => {
                    was_unclear = true;
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(not_sent(error)),
            }
        }
    }

    /// Checks that the level was reported. If a level was acknowledged before it is reported, the news would
    /// never show this level.
    fn check_reported(&self, store: &dyn Store, reference: &str, attempt: u32, level: Level) -> Result<()> {
        let (reported, account) =
            reported(store, reference, attempt).map_err(not_sent)?.ok_or_else(no_entry)?;
        if account != self.account {
            return Err(another_account());
        }
        match level {
            Level::None => Err(Error::invalid_argument("the level none cannot be acknowledged")),
            level if level > reported => Err(Error::invalid_argument(format!(
                "the level {level} is above {reported}, the level that the journal has reported"
            ))),
            _ => Ok(()),
        }
    }

    /// Like [`acknowledge`](Journal::acknowledge), within the merchant's own transaction on the journal's
    /// database. Make this call first in the transaction: the transaction's other work is then done exactly
    /// once. Keep the transaction short, and use the isolation level READ COMMITTED.
    ///
    /// Call no other method of the journal about this entry before the transaction ends. That method would
    /// wait on the journal's own connection for a lock that this transaction holds. No database detects this
    /// deadlock, and no deadline ends the waiting statement.
    ///
    /// # Errors
    ///
    /// `conflict` if another worker has acknowledged the level: roll back. `invalid_argument` if the
    /// connection is in autocommit; MySQL does not report autocommit, so there this error never occurs.
    /// `storage` if the statement failed.
    pub fn acknowledge_with(&self, entry: &Entry, transaction: &dyn Store) -> Result<()> {
        let [who] = random(Outcome::NotSent)?;
        check_transaction(transaction, &who)?;
        raise_within(transaction, entry.reference(), entry.attempt(), entry.reported(), &who)
    }

    /// Like [`acknowledge_by`](Journal::acknowledge_by), within the merchant's own transaction.
    ///
    /// # Errors
    ///
    /// The errors of [`acknowledge_by`](Journal::acknowledge_by) and of
    /// [`acknowledge_with`](Journal::acknowledge_with).
    pub fn acknowledge_by_with(
        &self,
        reference: &str,
        attempt: u32,
        level: Level,
        transaction: &dyn Store,
    ) -> Result<()> {
        let [who] = random(Outcome::NotSent)?;
        check_transaction(transaction, &who)?;
        self.check_reported(transaction, reference, attempt, level)?;
        raise_within(transaction, reference, attempt, level, &who)
    }
}

fn check_transaction(transaction: &dyn Store, unique: &str) -> Result<()> {
    match fault_of_connection(transaction, unique).map_err(not_sent)? {
        Some(fault) => Err(Error::invalid_argument(fault)),
        None => Ok(()),
    }
}

fn raise_within(
    transaction: &dyn Store,
    reference: &str,
    attempt: u32,
    level: Level,
    who: &str,
) -> Result<()> {
    match acknowledge(transaction, reference, attempt, level, who) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::conflict("another worker has acknowledged this entry: roll back")),
        Err(error) => Err(not_sent(error)),
    }
}
