//! What is read before a decision, and what is drawn for it.

use std::time::{Duration, Instant};

use merchantpay::{Error, Result};

use crate::api::config::JournalConfig;
use crate::api::effort::Effort;
use crate::api::entry::Entry;
use crate::api::journal::{Journal, Operator};
use crate::api::random::{fill, random};
use crate::model::attempt::Attempt;
use crate::model::clock::{CALL_MARGIN, Clock, Moment};
use crate::store::Found;

/// The database's clock. Between two readings it goes on with this process's time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time {
    read: i64,
    at: Instant,
    /// The longest call of this process.
    own_call: i64,
}

impl Time {
    pub(crate) fn new(read: i64, config: &JournalConfig) -> Time {
        Time { read, at: Instant::now(), own_call: call_limit(config.timeout) }
    }

    pub(crate) fn clock(self) -> Clock {
        let passed = i64::try_from(self.at.elapsed().as_millis()).unwrap_or(i64::MAX / 2);
        Clock { now: self.read.saturating_add(passed) }
    }

    pub(crate) fn moment(self) -> Result<Moment> {
        let [stamp, token] = [random()?, random()?];
        let mut step = [0; 2];
        fill(&mut step)?;
        let (clock, own_call) = (self.clock(), self.own_call);
        Ok(Moment { clock, own_call, stamp, token, step: u16::from_ne_bytes(step) })
    }
}

fn call_limit(timeout: Duration) -> i64 {
    i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX / 2) + CALL_MARGIN
}

/// The attempts of a reference in order, and the time at which they were read.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    pub(crate) time: Time,
    pub(crate) all: Vec<Attempt>,
}

impl Read {
    pub(crate) fn of(found: Found, config: &JournalConfig) -> Read {
        let mut all = found.attempts;
        all.reverse();
        Read { time: Time::new(found.now, config), all }
    }

    pub(crate) fn attempt(&self, number: u32) -> Option<&Attempt> {
        self.all.iter().find(|row| row.attempt == number)
    }

    pub(crate) fn others(&self, number: u32) -> Vec<Attempt> {
        self.all.iter().filter(|row| row.attempt != number).cloned().collect()
    }
}

impl Operator {
    pub(crate) fn read(&self, reference: &str) -> Result<Read> {
        Ok(Read::of(self.tell(self.database.attempts(reference))?, &self.config))
    }

    /// The entry of a row that was just read or stored.
    pub(crate) fn entry_of(&self, row: &Attempt, time: Time) -> Result<Entry> {
        let read =
            if row.is_alone() { Read { time, all: vec![row.clone()] } } else { self.read(&row.reference)? };
        let row = read.attempt(row.attempt).unwrap_or(row);
        Ok(Entry::new(row, &read.all, read.time.clock()))
    }

    /// The entries of rows of several references.
    pub(crate) fn entries(&self, found: Found) -> Result<Vec<Entry>> {
        let time = Time::new(found.now, &self.config);
        found.attempts.iter().map(|row| self.listed(row, time)).collect()
    }

    /// The entry of a row among others, which a row that cannot be read must not hold up: it could be the
    /// success beside which no credentials are shown.
    pub(crate) fn listed(&self, row: &Attempt, time: Time) -> Result<Entry> {
        if row.is_alone() || !row.shows_credentials(&[]) {
            return Ok(Entry::new(row, &[], time.clock()));
        }
        let found = self.tell(self.database.siblings(&row.reference))?;
        let is_complete = found.unreadable.is_empty();
        let read = Read::of(found, &self.config);
        let mut entry = Entry::new(read.attempt(row.attempt).unwrap_or(row), &read.all, read.time.clock());
        entry.credentials = entry.credentials.filter(|_| is_complete);
        Ok(entry)
    }
}

impl Journal {
    pub(crate) fn read(&self, reference: &str) -> Result<Read> {
        Operator::of(self).read(reference)
    }

    pub(crate) fn entry_of(&self, row: &Attempt, time: Time) -> Result<Entry> {
        Operator::of(self).entry_of(row, time)
    }

    /// The attempts of a row's reference, with what is stored beside it now. `time` is when the row was read.
    pub(crate) fn read_beside(&self, row: &Attempt, time: Time, effort: Effort) -> Result<Read> {
        match row.is_alone() {
            true => Ok(Read { time, all: vec![row.clone()] }),
            false => self
                .patiently(effort, || self.database.attempts(&row.reference))
                .map(|found| Read::of(found, &self.config)),
        }
    }
}

pub(crate) fn no_entry() -> Error {
    Error::invalid_argument("the journal has no such attempt")
}
