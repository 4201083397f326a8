//! What `getStatus` says about a bound order.

use merchantpay::Status;

use crate::model::attempt::{Attempt, Intent, IntentState, Reason, State, has_success};
use crate::model::clock::Moment;
use crate::model::decision::{Call, Decision, Edit, IfChanged};
use crate::model::plan;
use crate::model::report::{Answer, Report, merged};

/// What is read beside an attempt once the answer is there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    pub others: &'a [Attempt],
    /// A genuine `no_credentials` webhook about the bound order has come to the attempt's URL.
    pub no_credentials: bool,
}

impl<'a> Beside<'a> {
    /// Without such a webhook.
    pub fn of(others: &'a [Attempt]) -> Beside<'a> {
        Beside { others, no_credentials: false }
    }
}

/// Stores the answer to a question about the bound order. `row` is the row that was claimed before the
/// question.
pub fn answered(row: &Attempt, answer: &Answer, beside: Beside<'_>, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    match answer {
        Answer::Report(report) if row.order_id.as_ref() == Some(&report.order_id) => {
            edit.row.error = None;
            reported(&mut edit, report, beside);
            edit.call = next_instruction(&mut edit, beside.others);
        }
        Answer::Report(_) => {}
        Answer::NotFound(problem) => {
            edit.failed(problem);
            match row.is_failure() || row.is_success() {
                true => plan::watch(&mut edit, false),
                false => plan::ask_again_not_found(&mut edit),
            }
        }
        Answer::Failed(problem) => {
            edit.failed(problem);
            plan::ask_again(&mut edit);
        }
    }
    edit.finish(IfChanged::Drop)
}

pub(crate) fn reported(edit: &mut Edit<'_>, report: &Report, beside: Beside<'_>) {
    let status = report.status();
    match edit.row.state {
        _ if status.as_ref().is_some_and(Status::is_final) => ended(edit, report, beside.others),
        State::Open => going_on(edit, report, beside.no_credentials),
        // Not ended, but it can no longer be shown: only the status is of interest.
        State::Refused => {
            store_status(edit, report);
            plan::ask_again(edit);
        }
        // A failure in arbitration is watched from now on again.
        State::Final => plan::watch(edit, true),
        State::Sent => {}
    }
}

/// The merchant has attached a receipt: what the service requires after that is news, also if it is a receipt
/// again and nobody has seen the status in between.
pub fn receipt_attached(row: &Attempt, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    if row.state == State::Open && row.status() == Some(Status::ReceiptRequired) {
        edit.row.receipt_given = true;
        plan::restart(&mut edit);
    }
    edit.finish(IfChanged::DecideAgain)
}

/// A webhook requires a receipt that the merchant has acknowledged as required. Another program may have attached
/// one, so this may be the next one: what the service answers now is news. A webhook that only came twice repeats
/// news, which is harmless.
pub(super) fn required_again(row: &Attempt, moment: &Moment) -> Decision {
    let mut edit = Edit::new(row, moment);
    edit.row.receipt_given = true;
    plan::restart(&mut edit);
    edit.row.due_at = Some(moment.clock.now);
    edit.write(IfChanged::DecideAgain)
}

fn going_on(edit: &mut Edit<'_>, report: &Report, no_credentials: bool) {
    let requires_receipt = report.status() == Some(Status::ReceiptRequired);
    let is_next_receipt = requires_receipt && edit.row.receipt_given;
    let is_new_status = edit.row.status != report.status && report.status.is_some() || is_next_receipt;
    if is_new_status && requires_receipt {
        edit.news();
    }
    let had_credentials = edit.row.has_credentials();
    store_status(edit, report);
    if edit.row.restored && !had_credentials && report.has_credentials() {
        // The attempt may have been refused since the backup, for want of credentials: a later one may be alive.
        edit.hold(Reason::Unknown);
    } else if report.has_credentials_for(edit.row.sum_asked) {
        store_details(edit, report);
        if edit.row.has_credentials() && !had_credentials {
            edit.news();
        }
    } else if !report.has_credentials() {
        store_details(edit, report);
    } else if !had_credentials {
        edit.hold(Reason::SumDiffers);
    }
    if no_credentials && !edit.row.may_be_shown() {
        edit.row.state = State::Refused;
        edit.news();
    }
    match is_new_status {
        true => plan::restart(edit),
        false => plan::ask_again(edit),
    }
}

fn ended(edit: &mut Edit<'_>, report: &Report, others: &[Attempt]) {
    let was = edit.row.clone();
    let is_success = report.status() == Some(Status::DoneSuccess);
    // The service may report a success again with another sum. Nothing else of a repeated status is new.
    let is_same = was.status == report.status;
    if is_same && (!is_success || was.sum_paid == report.sum) && was.state != State::Open {
        plan::watch(edit, false);
        return;
    }
    store_status(edit, report);
    edit.row.state = match was.state {
        _ if is_success => State::Final,
        State::Refused => State::Refused,
        State::Open if !was.may_be_shown() => State::Refused,
        _ => State::Final,
    };
    if edit.row.state == State::Final {
        store_details(edit, report);
    }
    end_intent(edit, is_success);
    match is_success {
        true => succeeded(edit, &was, others, is_same),
        false => edit.row.success_of = None,
    }
    if was.state == State::Final {
        edit.raise(Reason::StatusChanged);
    }
    if was.state != State::Refused || is_success {
        edit.news();
    }
    plan::watch(edit, true);
}

/// A reference has one success: the first that is stored. If two processes store one at the same time, the
/// unique column refuses the second, and it is decided again with what the first has stored. Nothing is
/// promoted later: a person may have returned the money.
fn succeeded(edit: &mut Edit<'_>, was: &Attempt, others: &[Attempt], is_same: bool) {
    let is_exact = edit.row.sum_paid == Some(edit.row.sum_asked);
    let is_first = others.iter().all(|other| other.success_of.is_none());
    edit.row.success_of = match was.success_of {
        _ if !is_exact => None,
        None if is_first && !is_same => Some(edit.row.reference.clone()),
        ref kept => kept.clone(),
    };
    if !is_exact {
        edit.raise(Reason::SumDiffers);
    }
    if was.state == State::Refused || was.replaced || !is_first {
        edit.raise(Reason::PaidUnasked);
    }
}

/// The status is the truth: an instruction without an answer ends with it.
fn end_intent(edit: &mut Edit<'_>, is_success: bool) {
    if edit.row.intent_state == Some(IntentState::Stored) {
        let is_done = (edit.row.intent == Some(Intent::Confirm)) == is_success;
        edit.row.intent_state = Some(if is_done { IntentState::Accepted } else { IntentState::Refused });
    }
}

/// The instruction that follows a question about an order that is not final. An attempt that is replaced, or
/// that stands beside a success, is cancelled until the service accepts it, also after a refusal: it refuses
/// while it looks for credentials.
fn next_instruction(edit: &mut Edit<'_>, others: &[Attempt]) -> Option<Call> {
    if edit.row.state != State::Open || edit.row.is_cancelled() {
        return None;
    }
    let intent = match edit.row.intent {
        _ if edit.row.replaced || has_success(others) => Intent::Cancel,
        Some(intent) if edit.row.intent_state == Some(IntentState::Stored) => intent,
        _ => return None,
    };
    (edit.row.intent, edit.row.intent_state) = (Some(intent), Some(IntentState::Stored));
    edit.row.intent_calls = edit.row.intent_calls.saturating_add(1);
    Some(Call::Instruct(intent))
}

fn store_status(edit: &mut Edit<'_>, report: &Report) {
    if report.status.is_some() {
        (edit.row.status, edit.row.receipt_given) = (report.status.clone(), false);
    }
    edit.row.sum_paid = report.sum;
}

pub(crate) fn store_details(edit: &mut Edit<'_>, report: &Report) {
    if !edit.row.is_purged() {
        edit.row.details = merged(edit.row.details.as_deref(), &report.details).or(edit.row.details.take());
    }
}
