//! `pay`, `replace`, `confirm`, `cancel` and `wait`: the result of one payment as text and as exit status.

use std::time::Duration;

use merchantpay::{Code, Status};
use merchantpay_journal::{Entry, Intent, IntentState, Journal, Standing, Until};

use super::display::Display;
use super::entries::find_attempt;
use crate::args::journal::{OneAttempt, Pay, Replace, Wait};
use crate::interrupts::interrupt_on_signal;
use crate::output::{Failure, eprint_line, error_line};

/// The exit status if the payment was refused or has failed.
const FAILED: u8 = 1;
/// The exit status if the payment has neither succeeded nor failed, or if its result is unknown.
const UNDECIDED: u8 = 4;

pub(super) fn pay(arguments: &Pay) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let (client, journal) = arguments.settings.open()?;
    interrupt_on_signal(&client)?;
    let entry = match arguments.asynchronous {
        false => journal.pay(&arguments.reference, &request),
        true => journal.pay_async(&arguments.reference, &request),
    }?;
    Display::detect().entry(&entry)?;
    exit_with(payable(&entry))
}

pub(super) fn replace(arguments: &Replace) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let (client, journal) = arguments.settings.open()?;
    interrupt_on_signal(&client)?;
    let entry = journal.replace(&arguments.reference, arguments.attempt, &request)?;
    Display::detect().entry(&entry)?;
    exit_with(payable(&entry))
}

pub(super) fn confirm(arguments: &OneAttempt) -> Result<(), Failure> {
    instruct(arguments, Intent::Confirm, |journal, entry| journal.confirm(entry))
}

pub(super) fn cancel(arguments: &OneAttempt) -> Result<(), Failure> {
    instruct(arguments, Intent::Cancel, |journal, entry| journal.cancel(entry))
}

fn instruct(
    arguments: &OneAttempt,
    intent: Intent,
    instruct: impl FnOnce(&Journal, &Entry) -> merchantpay::Result<Entry>,
) -> Result<(), Failure> {
    let (client, journal) = arguments.settings.open()?;
    interrupt_on_signal(&client)?;
    let entry = instruct(&journal, &find_attempt(&journal, &arguments.attempt)?)?;
    Display::detect().entry(&entry)?;
    exit_with(accepted(entry.intent_state.filter(|_| entry.intent == Some(intent))))
}

pub(super) fn wait(arguments: &mut Wait) -> Result<(), Failure> {
    let timeout = arguments.settings.settings.take_time_limit().unwrap_or(Duration::MAX);
    let (client, journal) = arguments.settings.open()?;
    interrupt_on_signal(&client)?;
    let until = if arguments.until == "credentials" { Until::Credentials } else { Until::Final };
    let entry = match journal.wait(&arguments.reference, until, timeout) {
        Err(error) if error.code() == Code::Cancelled => {
            // A signal ended the wait, so the result of the payment is not known yet.
            eprint_line(&error_line(&error, ""));
            return Err(Failure::AlreadyReported(UNDECIDED));
        }
        waited => waited?,
    };
    Display::detect().entry(&entry)?;
    exit_with(if until == Until::Credentials { payable(&entry) } else { succeeded(&entry) })
}

/// Returns 0 only if the customer paid exactly the requested sum.
fn succeeded(entry: &Entry) -> u8 {
    let has_failed =
        entry.status.as_ref().is_some_and(|status| status.is_final() && *status != Status::DoneSuccess);
    match entry.standing {
        _ if entry.succeeded => 0,
        Standing::Refused => FAILED,
        Standing::Final if has_failed => FAILED,
        _ => UNDECIDED,
    }
}

/// Returns 0 only if there are credentials to show. A payment that has succeeded has no credentials any more.
fn payable(entry: &Entry) -> u8 {
    match succeeded(entry) {
        _ if entry.credentials.is_some() => 0,
        0 => UNDECIDED,
        status => status,
    }
}

fn accepted(state: Option<IntentState>) -> u8 {
    match state {
        Some(IntentState::Accepted) => 0,
        Some(IntentState::Refused) => FAILED,
        _ => UNDECIDED,
    }
}

/// Exits with this status. The printed line already says why.
fn exit_with(status: u8) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(Failure::AlreadyReported(status)) }
}
