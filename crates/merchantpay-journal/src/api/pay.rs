//! `pay` and `replace`: at most one payable payment for each reference.

use std::time::{Duration, Instant};

use merchantpay::{Error, Outcome, PaymentRequest, Result};
use serde_json::json;

use crate::api::driver::{Applied, Case, lost_row};
use crate::api::effort::Effort;
use crate::api::entry::Entry;
use crate::api::journal::Journal;
use crate::api::random::text_digest;
use crate::api::read::{Read, Time, no_entry};
use crate::api::request::{self, check_reference};
use crate::model::attempt::{Attempt, State};
use crate::model::call::{self, CallEnd};
use crate::model::decision::{Decision, Write};
use crate::model::hint::{self, Webhook};
use crate::model::payment::{self, NotReplaceable, Pay};
use crate::model::report::MessageKind;
use crate::model::request::Request;
use crate::store::{Failure, Message, Written};

/// The pauses between two looks at another caller's running call.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_millis(250);

/// What a verified message says.
pub(crate) struct Said<'a> {
    pub(crate) order_id: &'a str,
    pub(crate) kind: MessageKind,
    pub(crate) status: Option<&'a str>,
    pub(crate) body: &'a str,
    /// Store no names and no accounts: the attempt's were purged.
    pub(crate) is_reduced: bool,
}

impl Said<'_> {
    /// What a person needs to find the order, and to see whether it was paid.
    fn reduced(&self) -> String {
        match self.status {
            Some(status) => json!({"orderId": self.order_id, "status": status}),
            None => json!({"orderId": self.order_id}),
        }
        .to_string()
    }
}

impl Journal {
    /// Makes a payment by `/new`, or returns the reference's present one. Call it as often as you like.
    ///
    /// The entry may have any standing. Show its credentials if it has some. `refused` means that nobody can
    /// pay: the next call tries again. `unknown` ends by a webhook, by `settle`, or by a person's
    /// [`resolve`](Journal::resolve) or [`replace`](Journal::replace). After a final failure only `replace`
    /// makes another payment.
    ///
    /// While another call for the same reference runs, `pay` waits for it, at most for the setting
    /// `pay_wait`. After three refused attempts in a row it makes the next one only after a pause, of 2 s and
    /// then twice as long up to 5 min.
    ///
    /// # Errors
    ///
    /// `invalid_argument` for an unusable reference or request, or if the reference belongs to another
    /// request. `storage` if the journal failed or is paused: with the outcome `not_sent` nothing was sent;
    /// with `unknown` the error has the order id if there was a reply. An error of the service or the network
    /// is the entry's `error`.
    pub fn pay(&self, reference: &str, request: &PaymentRequest) -> Result<Entry> {
        self.take(reference, request, false)
    }

    /// Like [`pay`](Journal::pay), by `/new-async`: the credentials come by webhook, with
    /// [`wait`](Journal::wait) and [`news`](Journal::news). Prefer it where replies get lost, as under
    /// php-fpm.
    ///
    /// # Errors
    ///
    /// The errors of [`pay`](Journal::pay), and `invalid_argument` without the setting `callback_url`.
    pub fn pay_async(&self, reference: &str, request: &PaymentRequest) -> Result<Entry> {
        self.take(reference, request, true)
    }

    fn take(&self, reference: &str, request: &PaymentRequest, asynchronous: bool) -> Result<Entry> {
        let deadline = self.deadline();
        check_reference(reference)?;
        let asked = request::checked(&self.config, request, asynchronous)?;
        let mut lost = 0;
        loop {
            let (read, pause) = self.look(reference)?;
            let moment = read.time.moment()?;
            let decision = match payment::pay(reference, &read.all, &asked, &moment) {
                Pay::Send(decision) => decision,
                Pay::Return(number) => return entry_in(&read, number),
                Pay::Later(_) => return last_entry(&read),
                Pay::Wait(number) => return self.await_call(read, number, &asked),
                Pay::OtherRequest => return Err(other_request(read.all.last())),
                Pay::Raise(_) => {
                    let row = read.all.last().cloned().ok_or_else(no_entry)?;
                    let decide =
                        |case: &Case<'_>| match payment::pay(reference, &all_of(case), &asked, case.moment) {
                            Pay::Raise(decision) => decision,
                            _ => Decision::default(),
                        };
                    let applied = self.apply(row, read, Effort::before_call(deadline), decide)?;
                    return self.entry_of(&applied.row, applied.time);
                }
            };
            if let Some(note) = pause {
                return Err(paused(&note));
            }
            match self.begin(decision, read.time, deadline)? {
                Some(row) => return self.send(row, read.time, request, deadline),
                None => {
                    lost += 1;
                    self.pause_after_lost(lost, Effort::before_call(deadline))?;
                }
            }
        }
    }

    /// The attempts of a reference, and the note of a pause.
    fn look(&self, reference: &str) -> Result<(Read, Option<String>)> {
        let look = self.database.look(reference).map_err(|failure| self.failed(&failure))?;
        let time = Time::new(look.now, &self.config);
        let read = match look.attempt {
            None => Read { time, all: Vec::new() },
            Some(first) if first.attempt == 1 => Read { time, all: vec![first] },
            Some(_) => self.read(reference)?,
        };
        Ok((read, look.pause))
    }

    /// Stores an attempt and returns it: its request may be sent. `None` if another process was first, or if
    /// nobody knows whether the attempt is stored: look again.
    fn begin(&self, decision: Decision, time: Time, deadline: Instant) -> Result<Option<Attempt>> {
        let (row, written) = match decision.write {
            Some(Write::Insert(row)) => {
                let written = self.database.insert(&row);
                (*row, written)
            }
            Some(Write::Update(update)) if update.starts_payment => {
                let written = self.database.reuse(&update.row, &update.read);
                (update.row, written)
            }
            Some(Write::Replace(update, next)) => {
                let written = self.database.replace(&update.row, &update.read, &next);
                (*next, written)
            }
            _ => return Err(Error::internal(Outcome::NotSent, "there is nothing to send")),
        };
        match written {
            Ok(Written::Reported) => Ok(Some(row)),
            Ok(Written::Not) | Err(Failure::Duplicate) => Ok(None),
            Ok(Written::ReadBack) | Err(Failure::Unclear(_)) => {
                // A request is sent only for a row that the database has reported. This one may be there: say
                // that it was not sent, so that it is used again and needs no person.
                let _ = self.end(row, time, &CallEnd::NotSent(not_reported()), Effort::patient(deadline));
                Ok(None)
            }
            Err(failure) => Err(self.failed(&failure)),
        }
    }

    fn send(&self, row: Attempt, time: Time, request: &PaymentRequest, deadline: Instant) -> Result<Entry> {
        let (number, token) = (row.attempt, row.token.clone());
        let own = request::of_attempt(&self.config, &row, request);
        let made = self.make(&row, &own, deadline);
        let order_id = match &made.end {
            CallEnd::Accepted(report) => Some(report.order_id.clone()),
            _ => made.malformed.clone(),
        };
        let named = |error: Error| error.with_order_id(order_id.as_deref());
        let effort = Effort::after_call(deadline);
        let Applied { mut row, mut time, .. } = self.end(row, time, &made.end, effort).map_err(named)?;
        if let Some(order_id) = &made.malformed {
            (row, time) = self.take_malformed(row, time, order_id, deadline).map_err(named)?;
        }
        // After the reply was stored: meanwhile another attempt may have succeeded.
        let read = self.read_beside(&row, time, effort).map_err(named)?;
        let mut entry = entry_in(&read, number).map_err(|_| named(lost_row(Outcome::Unknown)))?;
        let is_own = |order_id: &str| {
            read.attempt(number).is_some_and(|row| call::shows_reply(row, &token, order_id, &read.all))
        };
        if !order_id.as_deref().is_some_and(is_own) {
            entry.credentials = None;
        }
        Ok(entry)
    }

    /// Stores the end of a call that makes a payment.
    fn end(&self, row: Attempt, time: Time, end: &CallEnd, effort: Effort) -> Result<Applied> {
        let token = row.token.clone();
        let read = Read { time, all: vec![row.clone()] };
        let decide = |case: &Case<'_>| call::ended(case.row, &token, end, case.is_duplicate, case.moment);
        let applied = self.apply(row, read, effort, decide);
        let is_kept = applied.as_ref().map_or(true, |applied| applied.keep_reply);
        if let (CallEnd::Accepted(report), true) = (end, is_kept) {
            // Whatever happens to the row, the order must not be forgotten.
            let said = Said {
                order_id: &report.order_id,
                kind: MessageKind::Reply,
                status: report.status.as_deref(),
                body: &report.details,
                is_reduced: applied.as_ref().is_ok_and(|applied| applied.row.is_purged()),
            };
            let kept = self.keep(&token, &said, effort);
            return applied.and_then(|applied| kept.map(|_| applied));
        }
        applied
    }

    /// Returns whether the message is new.
    pub(crate) fn keep(&self, token: &str, said: &Said<'_>, effort: Effort) -> Result<bool> {
        let Said { order_id, kind, body, .. } = *said;
        let message = Message {
            token: token.to_owned(),
            // Of the body as it came, so that two messages stay two when they are reduced.
            digest: text_digest(format!("{order_id}\n{body}")),
            order_id: order_id.to_owned(),
            kind: kind.name().to_owned(),
            body: if said.is_reduced { said.reduced() } else { body.to_owned() },
            received_at: 0,
            seen: false,
        };
        self.patiently(effort, || self.database.insert_message(&message))
    }

    /// A reply that is signed and names an order, but is not as the contract says, is a hint like a webhook.
    fn take_malformed(
        &self,
        row: Attempt,
        time: Time,
        order_id: &str,
        deadline: Instant,
    ) -> Result<(Attempt, Time)> {
        let (kind, effort) = (MessageKind::Reply, Effort::after_call(deadline));
        let said = Said { order_id, kind, status: None, body: "", is_reduced: true };
        let is_new = self.keep(&row.token, &said, effort)?;
        let webhook = Webhook { order_id: order_id.to_owned(), kind, status: None, sum: None, is_new };
        let read = self.read_beside(&row, time, effort)?;
        let decide = |case: &Case<'_>| hint::received(case.row, &webhook, case.moment);
        let Applied { row, time, .. } = self.apply(row, read, effort, decide)?;
        // The hint is stored, and `settle` asks again.
        let asked = self.question(row.clone(), time, deadline);
        Ok(asked.map_or((row, time), |asked| (asked.row, asked.time)))
    }

    /// Waits for the end of another caller's call. If the wait is interrupted, the entry is the one that was
    /// read last.
    fn await_call(&self, mut read: Read, number: u32, asked: &Request) -> Result<Entry> {
        let end = Instant::now() + self.config.pay_wait;
        let mut pause = FIRST_LOOK;
        while let Some(row) = read.attempt(number).filter(|row| row.call_runs(read.time.clock())) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.client.pause(pause.min(left)).is_err() {
                break;
            }
            pause = (pause * 3 / 2).min(LONGEST_LOOK);
            let reference = row.reference.clone();
            read = self.read(&reference)?;
        }
        // The row may have been used again meanwhile, for another request.
        let is_other = |row: &Attempt| row.asked.as_ref().is_some_and(|hash| *hash != asked.hash(&row.token));
        match read.attempt(number) {
            Some(row) if row.state != State::Refused && is_other(row) => Err(other_request(Some(row))),
            _ => entry_in(&read, number),
        }
    }

    /// Makes a payment in place of this attempt, by the same operation. A person decides it, who knows that
    /// the customer will not pay the old one: it must be unknown, refused, cancelled by an accepted cancel,
    /// or final without success. If the attempt has an order, the service is asked about it first; a success
    /// is stored, and nothing is replaced. An attempt that cannot be replaced, as after a double click, stays
    /// as it is, and the reference's present entry is returned.
    ///
    /// # Errors
    ///
    /// The errors of [`pay`](Journal::pay); `invalid_argument` if there is no such attempt, or if it comes
    /// from a backup and nobody has decided about it; the error of `getStatus`.
    pub fn replace(&self, reference: &str, attempt: u32, request: &PaymentRequest) -> Result<Entry> {
        let deadline = self.deadline();
        check_reference(reference)?;
        let mut lost = 0;
        loop {
            let (read, pause) = self.look(reference)?;
            let row = read.attempt(attempt).ok_or_else(no_entry)?;
            let asked = request::checked(&self.config, request, row.asynchronous)?;
            if let Err(why) = payment::may_replace(&read.all, attempt, read.time.clock()) {
                return not_replaced(why, &read);
            }
            if let Some(note) = pause {
                return Err(paused(&note));
            }
            let answer = row.order_id.as_deref().map(|order_id| self.ask(order_id, deadline));
            let (answer, error) = answer.map_or((None, None), |(answer, error)| (Some(answer), error));
            let moment = read.time.moment()?;
            let decision = match payment::replace(&read.all, attempt, answer.as_ref(), &asked, &moment) {
                Ok(decision) => decision,
                Err(NotReplaceable::NotAsked) => return Err(not_asked(error)),
                Err(why) => return not_replaced(why, &read),
            };
            if !matches!(decision.write, Some(Write::Replace(..))) {
                // It was paid after all: the next look finds the success.
                self.claim_and_ask(row, read.time, deadline)?;
                lost += 1;
                self.pause_after_lost(lost, Effort::before_call(deadline))?;
                continue;
            }
            match self.begin(decision, read.time, deadline)? {
                Some(next) => return self.send(next, read.time, request, deadline),
                None => {
                    lost += 1;
                    self.pause_after_lost(lost, Effort::before_call(deadline))?;
                }
            }
        }
    }
}

fn all_of(case: &Case<'_>) -> Vec<Attempt> {
    case.others.iter().chain([case.row]).cloned().collect()
}

fn entry_in(read: &Read, number: u32) -> Result<Entry> {
    read.attempt(number).map(|row| Entry::new(row, &read.all, read.time.clock())).ok_or_else(no_entry)
}

fn last_entry(read: &Read) -> Result<Entry> {
    entry_in(read, read.all.last().map_or(0, |row| row.attempt))
}

fn not_replaced(why: NotReplaceable, read: &Read) -> Result<Entry> {
    let paid = read.all.iter().find(|row| row.succeeded()).or(read.all.iter().find(|row| row.is_success()));
    match why {
        NotReplaceable::Restored => Err(Error::invalid_argument(
            "the attempt comes from a backup, and later attempts may be missing: ask support about the reference, then resolve it",
        )),
        NotReplaceable::Paid => paid.map_or_else(|| last_entry(read), |row| entry_in(read, row.attempt)),
        NotReplaceable::NotLast | NotReplaceable::Payable | NotReplaceable::NotAsked => last_entry(read),
    }
}

fn not_asked(error: Option<Error>) -> Error {
    let about_another = || Error::internal(Outcome::NotSent, "the service answered about another order");
    error.map(|error| error.with_outcome(Outcome::NotSent)).unwrap_or_else(about_another)
}

fn other_request(row: Option<&Attempt>) -> Error {
    Error::invalid_argument("this reference already belongs to a different request")
        .with_order_id(row.and_then(|row| row.order_id.as_deref()))
}

pub(crate) fn paused(note: &str) -> Error {
    Error::storage(Outcome::NotSent, format!("the journal is paused, and nothing was sent: {note}"))
}

fn not_reported() -> crate::model::report::Problem {
    crate::api::service::problem(&Error::storage(
        Outcome::NotSent,
        "the database's answer was lost before the request was sent",
    ))
}
