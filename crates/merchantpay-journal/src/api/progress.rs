//! A task under way, between the calls that it makes.

use std::sync::Arc;
use std::time::Instant;

use merchantpay::{Error, Outcome, Result};

use crate::api::entry::Entry;
use crate::model::driver::{Answer, Done, RandomTexts, Run};
use crate::model::event::{Call, Event};
use crate::model::record::Record;
use crate::storage::queries::Pause;

/// A task under way.
pub(crate) struct Progress {
    pub(super) run: Run,
    pub(super) clock: Clock,
    pub(super) deadline: Instant,
    /// For what the next call brings.
    pub(super) texts: RandomTexts,
    /// Why the last call failed.
    pub(super) error: Option<Error>,
    /// How many writes another process was quicker with.
    pub(super) lost: u32,
    /// The attempt that was stored, or may have been, and whose request has not left.
    pub(super) unsent: Option<Arc<Record>>,
    /// The operator's pause that the last look has found.
    pub(super) pause: Option<Pause>,
    /// The claim that the last write ends; `None` once it has.
    pub(crate) claim: Option<String>,
}

/// The next thing that is not a step of the database.
pub(crate) enum Stage {
    /// This call is to be made.
    Call(Arc<Record>, Call),
    /// It has ended.
    Done(Finished),
}

impl Progress {
    pub(super) fn new(run: Run, clock: Clock, deadline: Instant) -> Progress {
        let texts = RandomTexts { token: String::new(), writer: String::new() };
        Progress { run, clock, deadline, texts, error: None, lost: 0, unsent: None, pause: None, claim: None }
    }

    /// An attempt that this process has claimed, as it was read at the time of this clock.
    pub(crate) fn due(record: Record, clock: Clock, claim: &str, deadline: Instant) -> Result<Progress> {
        let run = Run::due(Arc::new(record), clock.now(), &RandomTexts::new(Outcome::NotSent)?);
        Ok(Progress { claim: Some(claim.to_owned()), ..Progress::new(run, clock, deadline) })
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Whether a call of it may have left.
    pub(crate) fn has_called(&self) -> bool {
        self.run.is_after_call()
    }

    /// Takes the end of a call.
    pub(crate) fn take(&mut self, (event, error): (Event, Option<Error>)) {
        self.error = error;
        self.run.answer(Answer::Called(event), self.clock.now(), &self.texts);
    }
}

/// A task that has ended, and what the last call said.
pub(crate) struct Finished {
    pub(crate) done: Done,
    /// The database's clock at the end.
    pub(crate) now: i64,
    /// Why the last call failed.
    pub(crate) error: Option<Error>,
    /// The order id of the last report, also where its attempt is gone.
    pub(crate) order_id: Option<String>,
}

impl Finished {
    pub(crate) fn entry(self) -> Option<Entry> {
        let now = self.now;
        self.done.record.map(|record| Entry::new(Arc::unwrap_or_clone(record), now))
    }
}

/// The database's clock, carried on by our own between two readings.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    read: Option<(i64, Instant)>,
}

impl Clock {
    pub(crate) fn set(&mut self, now: i64) {
        self.read = Some((now, Instant::now()));
    }

    pub(crate) fn now(&self) -> i64 {
        self.read.map_or(0, |(now, at)| {
            now.saturating_add(i64::try_from(at.elapsed().as_millis()).unwrap_or(i64::MAX))
        })
    }
}
