//! A task in progress, between its calls to the service.

use std::sync::Arc;
use std::time::Instant;

use merchantpay::{Error, Outcome, Result};

use crate::api::entry::Entry;
use crate::model::driver::{Answer, Done, RandomTexts, Run};
use crate::model::event::{Call, Event};
use crate::model::record::Record;
use crate::storage::queries::Pause;

/// A task in progress.
pub(crate) struct Progress {
    pub(super) run: Run,
    pub(super) clock: Clock,
    pub(super) deadline: Instant,
    /// The deadline of `getStatus`.
    pub(super) question_end: Instant,
    /// Random texts for the next call.
    pub(super) texts: RandomTexts,
    /// The error of the last call.
    pub(super) error: Option<Error>,
    /// The number of writes that failed because another process had written first.
    pub(super) lost: u32,
    /// The attempt whose request was not sent, although its row is stored or may be stored.
    pub(super) unsent: Option<Arc<Record>>,
    /// The operator's pause that the last check found.
    pub(super) pause: Option<Pause>,
    /// The claim on the attempt. The task's last write ends the claim; then this is `None`.
    pub(crate) claim: Option<String>,
}

/// The next thing to do that is not a database step.
pub(crate) enum Stage {
    /// Make this call.
    Call(Arc<Record>, Call),
    /// The task has ended.
    Done(Finished),
}

impl Progress {
    pub(super) fn new(run: Run, clock: Clock, deadline: Instant) -> Progress {
        let texts = RandomTexts { token: String::new(), writer: String::new() };
        let question_end = deadline;
        Progress {
            run,
            clock,
            deadline,
            question_end,
            texts,
            error: None,
            lost: 0,
            unsent: None,
            pause: None,
            claim: None,
        }
    }

    /// Begins with an attempt that this process has claimed. `clock` has the time at which the attempt was
    /// read.
    pub(crate) fn due(record: Record, clock: Clock, claim: &str, deadline: Instant) -> Result<Progress> {
        let run = Run::due(Arc::new(record), clock.now(), &RandomTexts::new(Outcome::NotSent)?);
        Ok(Progress { claim: Some(claim.to_owned()), ..Progress::new(run, clock, deadline) })
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns `true` if a call of this task may have been sent.
    pub(crate) fn has_called(&self) -> bool {
        self.run.is_after_call()
    }

    /// Continues the task with the result of a call.
    pub(crate) fn take(&mut self, (event, error): (Event, Option<Error>)) {
        self.error = error;
        self.run.answer(Answer::Called(event), self.clock.now(), &self.texts);
    }
}

/// A finished task, with the result of its last call.
pub(crate) struct Finished {
    pub(crate) done: Done,
    /// The database's clock at the end of the task.
    pub(crate) now: i64,
    /// The error of the last call.
    pub(crate) error: Option<Error>,
    /// The order id of the last report, even if the attempt's row is lost.
    pub(crate) order_id: Option<String>,
}

impl Finished {
    pub(crate) fn entry(self) -> Option<Entry> {
        let now = self.now;
        self.done.record.map(|record| Entry::new(Arc::unwrap_or_clone(record), now))
    }
}

/// The database's clock. Between two readings of that clock, the time that has passed in this process is
/// added to the last reading.
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
