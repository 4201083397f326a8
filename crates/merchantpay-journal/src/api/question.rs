//! Asking the service about one attempt, as `settle`, `wait` and `receive` do.

use std::time::Instant;

use merchantpay::{Error, Result};

use crate::api::driver::{Applied, Case};
use crate::api::effort::Effort;
use crate::api::journal::Journal;
use crate::api::read::Time;
use crate::model::attempt::{Attempt, Intent, State};
use crate::model::call::CallEnd;
use crate::model::clock::LEASE;
use crate::model::decision::Call;
use crate::model::hint;
use crate::model::instruction;
use crate::model::order::{self, Beside};
use crate::model::report::{Answer, MessageKind};

pub(crate) struct Asked {
    pub(crate) row: Attempt,
    /// The clock by which the row was decided.
    pub(crate) time: Time,
    /// The error of the last call.
    pub(crate) error: Option<Error>,
    /// The number of calls to the service.
    pub(crate) calls: u32,
}

impl Journal {
    /// Claims a row, so that no other worker asks at the same time, and asks about it. `None` if another one
    /// was first, or if another attempt of the reference cannot be read: it could be a success, beside which this
    /// one is cancelled. The claim keeps such a row out of the others' way.
    pub(crate) fn claim_and_ask(
        &self,
        row: &Attempt,
        time: Time,
        deadline: Instant,
    ) -> Result<Option<Asked>> {
        let moment = time.moment()?;
        let is_claimed = self.database.claim(row, &moment.stamp).map_err(|failure| self.failed(&failure))?
            && (row.is_alone() || self.can_read_siblings(row)?);
        let due_at = Some(moment.clock.now + LEASE);
        let claimed = Attempt { stamp: moment.stamp, due_at, ..row.clone() };
        is_claimed.then(|| self.question(claimed, time, deadline)).transpose()
    }

    fn can_read_siblings(&self, row: &Attempt) -> Result<bool> {
        let found = self.database.siblings(&row.reference).map_err(|failure| self.failed(&failure))?;
        Ok(found.unreadable.is_empty())
    }

    /// Asks about a row whose stamp was renewed before: an answer is thrown away if the row has changed
    /// since, because it may be older than what changed it.
    pub(crate) fn question(&self, row: Attempt, time: Time, deadline: Instant) -> Result<Asked> {
        let Some(order_id) = row.order_id.clone() else { return self.question_hints(row, time, deadline) };
        let (answer, error) = self.ask(&order_id, deadline);
        let effort = Effort::after_call(deadline);
        let no_credentials =
            matches!(answer, Answer::Report(_)) && self.has_no_credentials(&row, &order_id, effort)?;
        let read = self.read_beside(&row, time, effort)?;
        let decide = |case: &Case<'_>| {
            order::answered(case.row, &answer, Beside { others: case.others, no_credentials }, case.moment)
        };
        let Applied { row, time, call, is_dropped, .. } = self.apply(row, read, effort, decide)?;
        match call {
            Some(Call::Instruct(intent)) if !is_dropped => {
                let asked = self.send_instruction(row, time, intent, deadline)?;
                Ok(Asked { calls: asked.calls + 1, ..asked })
            }
            _ => Ok(Asked { row, time, error, calls: 1 }),
        }
    }

    /// A genuine webhook about the bound order has said at the attempt's own URL that there are no
    /// credentials.
    fn has_no_credentials(&self, row: &Attempt, order_id: &str, effort: Effort) -> Result<bool> {
        if row.state != State::Open || row.has_credentials() {
            return Ok(false);
        }
        let messages = self.patiently(effort, || self.database.messages_of_order(order_id))?;
        let kind = MessageKind::NoCredentials.name();
        Ok(messages.iter().any(|message| message.token == row.token && message.kind == kind))
    }

    fn question_hints(&self, row: Attempt, time: Time, deadline: Instant) -> Result<Asked> {
        let effort = Effort::after_call(deadline);
        let hints = self.patiently(effort, || self.database.hints(&row.token))?;
        let asked = hint::questions(&row, &hints);
        let (mut answers, mut last) = (Vec::new(), None);
        for hint in hints.iter().filter(|hint| asked.contains(&hint.order_id.as_str())) {
            let (answer, error) = self.ask(&hint.order_id, deadline);
            last = error;
            answers.push((hint.clone(), answer));
        }
        let read = self.read_beside(&row, time, effort)?;
        let decide = |case: &Case<'_>| {
            let mut answers = answers.clone();
            for (hint, _) in answers.iter_mut().filter(|_| case.is_duplicate) {
                let owner = self.database.by_order(&hint.order_id);
                hint.is_taken |= !owner.is_ok_and(|found| found.attempts.is_empty());
            }
            hint::hinted(case.row, &answers, Beside::of(case.others), case.moment)
        };
        let calls = u32::try_from(asked.len()).unwrap_or(u32::MAX);
        let Applied { row, time, .. } = self.apply(row, read, effort, decide)?;
        Ok(Asked { row, time, error: last, calls })
    }

    /// Makes the call of an instruction that is stored in the row, and stores the answer.
    pub(crate) fn send_instruction(
        &self,
        row: Attempt,
        time: Time,
        intent: Intent,
        deadline: Instant,
    ) -> Result<Asked> {
        let order_id = row.order_id.clone().unwrap_or_default();
        let (end, error) = self.instruct(&order_id, intent, deadline);
        let is_refused = matches!(end, CallEnd::Refused(_));
        let asked =
            (is_refused && instruction::refusal_needs_status(&row)).then(|| self.ask(&order_id, deadline).0);
        let effort = Effort::after_call(deadline);
        let read = self.read_beside(&row, time, effort)?;
        let decide = |case: &Case<'_>| {
            let beside = Beside::of(case.others);
            instruction::answered(case.row, intent, &end, asked.as_ref(), beside, case.moment)
        };
        let calls = 1 + u32::from(asked.is_some());
        let Applied { row, time, .. } = self.apply(row, read, effort, decide)?;
        Ok(Asked { row, time, error, calls })
    }
}
