//! The driver, which runs every task of the journal. A task loads a record, applies a transition, writes by
//! compare-and-swap, calls the service, and applies the result in the same way. The driver only decides the
//! next step from the last answer. The driver's caller executes the step. So the library and the model in
//! `tests/model` take the same steps.

use std::sync::Arc;

use crate::model::event::{Call, CallEnd, Change, Event, Report};
use crate::model::record::{Intent, NewerReasons, NotFound, Problem, Record};
use crate::model::request::Asked;
use crate::model::standing::{Level, Standing};
use crate::model::transition::{self, Decision};

/// The attempt that an operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// The last attempt of a reference.
    Last(String),
    /// One attempt of a reference.
    Attempt(String, u32),
    /// The attempt that has this token.
    Token(String),
}

impl Key {
    /// The key of a record's attempt.
    pub(crate) fn of(record: &Record) -> Key {
        Key::Attempt(record.reference.clone(), record.attempt)
    }
}

/// A task that the driver executes from beginning to end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Task {
    /// Create a payment for a reference. The number, if any, is the number of the attempt to replace.
    Pay(Box<Asked>, Option<u32>),
    /// Apply an event to one attempt, and make the resulting calls.
    Apply(Key, Box<Event>),
}

/// A message that matches no attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Misplaced {
    /// The report in the message.
    pub report: Report,
    /// The attempt to whose URL the message came; `None` if no attempt has that token.
    pub attempt: Option<(String, u32)>,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Read this attempt.
    Load(Key),
    /// Store this new attempt.
    Insert(Arc<Record>),
    /// Replace the previous version of this attempt.
    Update(Arc<Record>),
    /// Store this message as an orphan.
    StoreOrphan(Box<Misplaced>),
    /// Check that this new attempt is committed and that the journal is not paused. This step comes before
    /// the request is sent.
    Check(Arc<Record>),
    /// Call the service about this attempt.
    Call(Arc<Record>, Call),
    /// No step is left: the task has ended.
    Done(Box<Done>),
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Done {
    /// The attempt after the task; `None` if there is no attempt.
    pub record: Option<Arc<Record>>,
    /// `true` if this task stored the returned attempt.
    pub is_own: bool,
    /// `true` if the message was about an order that cannot belong to this attempt.
    pub conflict: bool,
    /// `true` if the task wrote anything.
    pub changed: bool,
    /// `true` if nothing was sent because the journal is paused.
    pub is_paused: bool,
}

/// The result of a step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The row, if there is one. The flag is `true` if the journal is paused.
    Loaded(Option<Arc<Record>>, bool),
    /// The row is stored.
    Written,
    /// The journal is paused.
    Paused,
    /// Another process has written the row since it was read.
    Lost,
    /// Another row has the same key or order id.
    Duplicate,
    /// The connection was lost. The row may or may not be stored.
    Unclear,
    /// The result of the call.
    Called(Event),
}

/// New random texts for the next steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RandomTexts {
    /// The token of a new attempt.
    pub token: String,
    /// The text that identifies the next write.
    pub writer: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Phase {
    Reading { reason: Reading },
    Inserting { record: Arc<Record> },
    Sealing { record: Arc<Record> },
    Checking { record: Arc<Record> },
    Updating { before: Arc<Record>, record: Arc<Record>, call: Option<Call> },
    Calling { record: Arc<Record>, call: Call },
    Misplacing { misplaced: Box<Misplaced>, then: Box<Phase> },
    Done,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reading {
    /// The read at the beginning, or a repeated read because another process wrote first.
    First,
    /// Checks whether our own write took effect. The answer to the write was unclear, or the database's
    /// driver repeated the write or reported a wrong count.
    Insert(Arc<Record>),
    Seal(Arc<Record>),
    Update(Arc<Record>, Option<Call>),
}

/// A running task.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Run {
    task: Task,
    /// The event to apply. It is first the event of the task, and later the results of calls.
    event: Option<Box<Event>>,
    key: Key,
    phase: Phase,
    called: bool,
    /// The attempt's order id at the time of the last call.
    called_order: Option<String>,
    done: Done,
}

impl Run {
    /// Begins a task.
    pub fn new(task: Task) -> Run {
        let (key, event) = match &task {
            Task::Pay(asked, _) => (Key::Last(asked.reference.clone()), None),
            Task::Apply(key, event) => (key.clone(), Some(event.clone())),
        };
        Run {
            task,
            event,
            key,
            phase: Phase::Reading { reason: Reading::First },
            called: false,
            called_order: None,
            done: Done::default(),
        }
    }

    /// Begins with an attempt that this process has just claimed. `record` is the attempt as the claim has
    /// read it.
    pub(crate) fn due(record: Arc<Record>, now: i64, random_texts: &RandomTexts) -> Run {
        let mut run = Run::new(Task::Apply(Key::of(&record), Box::new(Event::Due)));
        run.phase = run.transition(record, now, random_texts);
        run
    }

    /// Returns `true` if a call follows the pending write.
    pub(crate) fn calls_next(&self) -> bool {
        matches!(self.phase, Phase::Updating { call: Some(_), .. })
    }

    /// The step to execute now. Repeated calls return the same step.
    pub fn step(&self) -> Step {
        match &self.phase {
            Phase::Reading { reason } => Step::Load(match reason {
                Reading::Insert(record) | Reading::Seal(record) | Reading::Update(record, _) => {
                    Key::of(record)
                }
                Reading::First => self.key.clone(),
            }),
            Phase::Inserting { record, .. } => Step::Insert(record.clone()),
            Phase::Sealing { record, .. } | Phase::Updating { record, .. } => Step::Update(record.clone()),
            Phase::Checking { record } => Step::Check(record.clone()),
            Phase::Calling { record, call } => Step::Call(record.clone(), *call),
            Phase::Misplacing { misplaced, .. } => Step::StoreOrphan(misplaced.clone()),
            Phase::Done => Step::Done(Box::new(self.done.clone())),
        }
    }

    /// Returns `true` if a call of this task may have been sent.
    pub fn is_after_call(&self) -> bool {
        self.called
    }

    /// The order id from a reply. Possibly the journal has not stored it yet.
    pub fn order_id(&self) -> Option<&str> {
        self.event.as_deref().and_then(Event::report).map(|report| report.order_id.as_str())
    }

    /// Continues with the answer to the current step.
    pub fn answer(&mut self, answer: Answer, now: i64, random_texts: &RandomTexts) {
        let phase = std::mem::replace(&mut self.phase, Phase::Done);
        self.phase = match (phase, answer) {
            (Phase::Reading { reason }, Answer::Loaded(_, true)) if self.stops_if_paused(&reason) => {
                self.done.is_paused = true;
                Phase::Done
            }
            (Phase::Reading { reason }, Answer::Loaded(found, _)) => {
                self.after_reading(reason, found, now, random_texts)
            }
            (Phase::Checking { record }, Answer::Written) => Phase::Calling { record, call: Call::Create },
            (Phase::Checking { record }, Answer::Paused) => {
                self.done.is_paused = true;
                self.event = Some(Box::new(Event::NotCreated(CallEnd::NotSent, Problem::not_sent())));
                self.key = Key::of(&record);
                self.transition(record, now, random_texts)
            }
            (Phase::Calling { record, .. }, Answer::Called(event)) => {
                self.event = Some(Box::new(event));
                self.called = true;
                self.called_order.clone_from(&record.order_id);
                self.key = Key::of(&record);
                self.transition(record, now, random_texts)
            }
            // Repeats the write until the database gives a clear answer.
            (phase, Answer::Unclear) => phase,
            (Phase::Inserting { record, .. }, Answer::Written) => self.call_create(record),
            (Phase::Inserting { record }, _) => Phase::Reading { reason: Reading::Insert(record) },
            (Phase::Sealing { record, .. }, Answer::Written) => {
                self.insert((record.attempt + 1, record.refusals), now, random_texts)
            }
            (Phase::Sealing { record }, _) => Phase::Reading { reason: Reading::Seal(record) },
            (Phase::Updating { record, call, .. }, Answer::Written) => self.after_update(record, call),
            (Phase::Updating { before, .. }, Answer::Duplicate) => self.conflict(before),
            (Phase::Updating { record, call, .. }, _) => {
                self.key = Key::of(&record);
                Phase::Reading { reason: Reading::Update(record, call) }
            }
            (Phase::Misplacing { then, .. }, _) => *then,
            (phase, _) => phase,
        };
    }

    fn after_reading(
        &mut self,
        reason: Reading,
        found: Option<Arc<Record>>,
        now: i64,
        random_texts: &RandomTexts,
    ) -> Phase {
        match (reason, found) {
            (Reading::Insert(ours), Some(found)) if is_ours(&ours, &found) => self.call_create(found),
            (Reading::Update(ours, call), Some(found)) if is_ours(&ours, &found) => {
                self.after_update(ours, call)
            }
            (Reading::Insert(_), found) => self.finish(found),
            (Reading::Seal(_) | Reading::Update(..) | Reading::First, found) => match (&self.task, found) {
                (Task::Pay(_, replace), found) if self.event.is_none() => {
                    self.decide(found, *replace, now, random_texts)
                }
                (_, Some(found)) => self.transition(found, now, random_texts),
                (_, None) => self.misplace(None, Phase::Done),
            },
        }
    }

    /// Returns `true` if a pause of the journal ends the task. A pause ends only a new payment. If the
    /// payment's row is possibly stored already, the driver first reads the row.
    fn stops_if_paused(&self, reason: &Reading) -> bool {
        matches!(self.task, Task::Pay(..)) && self.event.is_none() && !matches!(reason, Reading::Insert(_))
    }

    fn decide(
        &mut self,
        last: Option<Arc<Record>>,
        replace: Option<u32>,
        now: i64,
        random_texts: &RandomTexts,
    ) -> Phase {
        match transition::decide(last.as_deref(), replace, now) {
            Decision::Keep => self.finish(last),
            Decision::Insert(attempt, refusals) => self.insert((attempt, refusals), now, random_texts),
            Decision::Seal(record) => Phase::Sealing { record: Arc::new(written(*record, random_texts)) },
        }
    }

    fn insert(&mut self, attempt: (u32, u32), now: i64, random_texts: &RandomTexts) -> Phase {
        let Task::Pay(asked, _) = &self.task else { return Phase::Done };
        Phase::Inserting { record: Arc::new(new_attempt(asked, attempt, now, random_texts)) }
    }

    fn call_create(&mut self, record: Arc<Record>) -> Phase {
        self.done.changed = true;
        self.done.is_own = true;
        Phase::Checking { record }
    }

    fn transition(&mut self, record: Arc<Record>, now: i64, random_texts: &RandomTexts) -> Phase {
        let Some(event) = self.event.as_deref() else { return self.finish(Some(record)) };
        // If the attempt got another order during the call, the call's result is not about that order.
        let is_of_call = matches!(event, Event::StatusFailed(..) | Event::Answered(..));
        if is_of_call && record.order_id != self.called_order {
            return self.finish(Some(record));
        }
        let Change { record: next, call, conflict, is_orphan } = transition::apply(&record, event, now);
        if conflict {
            return self.conflict(record);
        }
        if next == *record {
            return self.call_or_finish(record, call);
        }
        let attempt = Some((record.reference.clone(), record.attempt));
        let updating =
            Phase::Updating { before: record, record: Arc::new(written(next, random_texts)), call };
        if is_orphan { self.misplace(attempt, updating) } else { updating }
    }

    fn after_update(&mut self, record: Arc<Record>, call: Option<Call>) -> Phase {
        self.done.changed = true;
        self.call_or_finish(record, call)
    }

    fn call_or_finish(&mut self, record: Arc<Record>, call: Option<Call>) -> Phase {
        match call {
            Some(call) => Phase::Calling { record, call },
            None => self.finish(Some(record)),
        }
    }

    /// Handles a message about an order that belongs to another attempt, or that is not this attempt's order.
    fn conflict(&mut self, record: Arc<Record>) -> Phase {
        let attempt = Some((record.reference.clone(), record.attempt));
        self.done.conflict = true;
        self.done.record = Some(record);
        // A report by an operator does not become an orphan: the operator gets an error instead.
        match self.event.as_deref() {
            Some(Event::Found(..)) => Phase::Done,
            _ => self.misplace(attempt, Phase::Done),
        }
    }

    fn misplace(&mut self, attempt: Option<(String, u32)>, then: Phase) -> Phase {
        match self.event.as_deref().and_then(Event::report) {
            Some(report) => Phase::Misplacing {
                misplaced: Box::new(Misplaced { report: report.clone(), attempt }),
                then: Box::new(then),
            },
            _ => then,
        }
    }

    fn finish(&mut self, record: Option<Arc<Record>>) -> Phase {
        self.done.record = record;
        Phase::Done
    }
}

/// Returns `true` if the found row is our own write. Version and standing alone prove nothing.
fn is_ours(ours: &Record, found: &Record) -> bool {
    found.writer == ours.writer
}

fn written(mut record: Record, random_texts: &RandomTexts) -> Record {
    record.version += 1;
    record.writer.clone_from(&random_texts.writer);
    record
}

/// The row that is stored before the request is sent.
fn new_attempt(
    asked: &Asked,
    (attempt, refusals): (u32, u32),
    now: i64,
    random_texts: &RandomTexts,
) -> Record {
    Record {
        reference: asked.reference.clone(),
        attempt,
        account: asked.account.clone(),
        token: random_texts.token.clone(),
        standing: Standing::Sending,
        order_id: None,
        order_id_confirmed: false,
        asynchronous: asked.asynchronous,
        request_hash: asked.hash(&random_texts.token),
        payment_method: asked.payment_method.clone(),
        sum_asked: asked.sum,
        sum_paid: None,
        status: None,
        payment: Default::default(),
        has_credentials: false,
        confirm: Intent::default(),
        cancel: Intent::default(),
        reported: Level::None,
        acknowledged: Level::None,
        attention: Vec::new(),
        seen: Vec::new(),
        newer_reasons: NewerReasons::default(),
        notes: Vec::new(),
        error: None,
        due_at: Some(now + asked.lease),
        call_until: Some(now + asked.lease),
        call_ended: false,
        refusals,
        asking_since: 0,
        tries: 0,
        not_found: NotFound::default(),
        has_webhook: false,
        created_at: now,
        updated_at: now,
        version: 1,
        writer: random_texts.writer.clone(),
        purged: false,
        forgotten: false,
        restored: false,
        unknown_fields: Default::default(),
    }
}
