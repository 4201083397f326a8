//! Making a payment: `pay` and `replace`.

use crate::model::attempt::{Attempt, State, has_success};
use crate::model::attempt::{Reason, Standing};
use crate::model::clock::{Clock, MINUTE, Moment};
use crate::model::decision::{Call, Decision, Edit, IfChanged, Update, Write};
use crate::model::order::{Beside, reported};
use crate::model::plan::{self, FIRST_PAUSE};
use crate::model::report::{Answer, Report};
use crate::model::request::Request;

/// After this many refused attempts in a row, `pay` waits before the next one.
const AT_ONCE: u32 = 3;
const LONGEST_PAUSE: i64 = 5 * MINUTE;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pay {
    Return(u32),
    /// The call of another process runs: wait for its end, up to `pay_wait`, and return the entry.
    Wait(u32),
    Send(Decision),
    /// Make the write, and return the entry: a restored reference may lack its later attempts.
    Raise(Decision),
    /// The last attempts were refused: the next one is made from this time on.
    Later(i64),
    /// The request is another one than the attempt's.
    OtherRequest,
}

/// Decides what `pay` does. `all` are the attempts of the reference in order; if the last one is the first,
/// one look has read all.
pub fn pay(reference: &str, all: &[Attempt], request: &Request, moment: &Moment) -> Pay {
    let clock = moment.clock;
    let Some(last) = all.last() else { return Pay::Send(insert(attempt(reference, 1, request, moment))) };
    let is_other = last.asked.as_ref().is_some_and(|asked| *asked != request.hash(&last.token));
    if let Some(paid) = all.iter().find(|row| row.succeeded()).or(all.iter().find(|row| row.is_success())) {
        return if is_other { Pay::OtherRequest } else { Pay::Return(paid.attempt) };
    }
    let is_refused = last.state == State::Refused;
    if is_other && !is_refused {
        return Pay::OtherRequest;
    }
    if last.restored && (is_refused || last.is_unknown(clock)) {
        let mut edit = Edit::new(last, moment);
        edit.hold(Reason::Unknown);
        return Pay::Raise(edit.finish(IfChanged::DecideAgain));
    }
    match last.state {
        State::Sent if last.call_runs(clock) => Pay::Wait(last.attempt),
        State::Refused if last.not_sent && last.order_id.is_none() && !last.replaced => {
            Pay::Send(reuse(last, request, moment))
        }
        State::Refused => match pause_until(last, clock) {
            Some(until) => Pay::Later(until),
            None => Pay::Send(insert(next_attempt(last, request, moment))),
        },
        State::Sent | State::Open | State::Final => Pay::Return(last.attempt),
    }
}

/// The end of the pause after several refusals: 2 s after the third, and twice as long after each further
/// one.
fn pause_until(last: &Attempt, clock: Clock) -> Option<i64> {
    let more = last.refusals.saturating_add(1).checked_sub(AT_ONCE)?;
    let until = last.updated_at.saturating_add((FIRST_PAUSE << more.min(8)).min(LONGEST_PAUSE));
    (!clock.has_passed(until, LONGEST_PAUSE)).then_some(until)
}

fn insert(row: Attempt) -> Decision {
    Decision { write: Some(Write::Insert(Box::new(row))), call: Some(Call::Pay), keep_reply: false }
}

/// Uses a row again whose request was never sent. The new token keeps away whatever may still come for the
/// old one.
fn reuse(last: &Attempt, request: &Request, moment: &Moment) -> Decision {
    let fresh = attempt(&last.reference, last.attempt, request, moment);
    let row = Attempt {
        token: fresh.token,
        asked: fresh.asked,
        sum_asked: fresh.sum_asked,
        asynchronous: fresh.asynchronous,
        state: State::Sent,
        call_until: fresh.call_until,
        due_at: None,
        not_sent: false,
        error: None,
        ..last.clone()
    };
    let mut edit = Edit::new(last, moment);
    edit.row = row;
    let update = Update { starts_payment: true, ..edit.update(IfChanged::DecideAgain) };
    Decision { write: Some(Write::Update(Box::new(update))), call: Some(Call::Pay), keep_reply: false }
}

fn next_attempt(last: &Attempt, request: &Request, moment: &Moment) -> Attempt {
    let refusals = if last.state == State::Refused { last.refusals.saturating_add(1) } else { 0 };
    Attempt { refusals, ..attempt(&last.reference, last.attempt.saturating_add(1), request, moment) }
}

fn attempt(reference: &str, number: u32, request: &Request, moment: &Moment) -> Attempt {
    let now = moment.clock.now;
    Attempt {
        reference: reference.to_owned(),
        attempt: number,
        token: moment.token.clone(),
        stamp: moment.stamp.clone(),
        state: State::Sent,
        call_until: Some(now.saturating_add(moment.own_call)),
        order_id: None,
        status: None,
        receipt_given: false,
        sum_asked: request.sum,
        sum_paid: None,
        details: None,
        asked: Some(request.hash(&moment.token)),
        due_at: None,
        tries: 0,
        asking_since: None,
        news: 0,
        acked: 0,
        news_due: None,
        success_of: None,
        error: None,
        intent: None,
        intent_state: None,
        intent_calls: 0,
        attention: 0,
        seen: 0,
        replaced: false,
        restored: false,
        not_sent: false,
        refusals: 0,
        asynchronous: request.asynchronous,
        created_at: now,
        updated_at: now,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReplaceable {
    /// It is not the last attempt of the reference.
    NotLast,
    /// It comes from a backup: a person must decide about it first.
    Restored,
    Paid,
    /// Its call runs, or its order is open without an accepted cancel.
    Payable,
    /// The service could not be asked about its order.
    NotAsked,
}

/// Checks that a person may replace an attempt. If it has an order, the order is asked about before
/// [`replace`].
pub fn may_replace(all: &[Attempt], number: u32, clock: Clock) -> Result<&Attempt, NotReplaceable> {
    let last = all.last().filter(|last| last.attempt == number && !last.replaced);
    let last = last.ok_or(NotReplaceable::NotLast)?;
    let is_over = match last.standing(clock) {
        Standing::Unknown | Standing::Refused => true,
        Standing::Open => last.is_cancelled(),
        Standing::Final => !last.is_success(),
        Standing::Sending | Standing::Superseded => false,
    };
    match is_over {
        _ if has_success(all) => Err(NotReplaceable::Paid),
        _ if last.restored => Err(NotReplaceable::Restored),
        true => Ok(last),
        false => Err(NotReplaceable::Payable),
    }
}

/// Replaces the last attempt by a new one, in one transaction. `answer` is what `getStatus` said about its
/// order; if that is a success, it is stored, and nothing is replaced. `all` was read before the question.
pub fn replace(
    all: &[Attempt],
    number: u32,
    answer: Option<&Answer>,
    request: &Request,
    moment: &Moment,
) -> Result<Decision, NotReplaceable> {
    let last = may_replace(all, number, moment.clock)?;
    let mut edit = Edit::new(last, moment);
    if let Some(order_id) = &last.order_id {
        let is_same = |report: &&Report| report.order_id == *order_id;
        let Some(Answer::Report(report)) = answer else { return Err(NotReplaceable::NotAsked) };
        let report = Some(report).filter(is_same).ok_or(NotReplaceable::NotAsked)?;
        let others = all.split_last().map_or(&[] as &[Attempt], |(_, others)| others);
        reported(&mut edit, report, Beside::of(others));
        if edit.row.is_success() {
            return Ok(edit.finish(IfChanged::Drop));
        }
    }
    edit.row.replaced = true;
    if edit.row.state == State::Open {
        plan::restart(&mut edit);
    }
    let next = next_attempt(&edit.row, request, moment);
    let update = Update { starts_payment: true, ..edit.update(IfChanged::Drop) };
    let write = Some(Write::Replace(Box::new(update), Box::new(next)));
    Ok(Decision { write, call: Some(Call::Pay), keep_reply: false })
}
