//! `pay`, `confirm`, `cancel` and `wait`: the result of one payment as text and as exit status.

use std::time::Duration;

use merchantpay::{Code, Status};
use merchantpay_journal::{Entry, IntentState, Standing, Until};

use super::display::Display;
use super::open::{find_attempt, open};
use crate::args::journal::{OneAttempt, Pay, Wait};
use crate::dates::duration;
use crate::interrupts::interrupt_on_signal;
use crate::output::{Failure, eprint_line, error_line};

/// The exit status if the payment was refused or has failed.
const FAILED: u8 = 1;
/// The exit status if the payment has neither succeeded nor failed, or if its result is unknown.
const UNDECIDED: u8 = 4;

pub(super) fn pay(arguments: &Pay) -> Result<(), Failure> {
    let request = arguments.request.fields.payment_request()?;
    let (client, journal) = open(&arguments.settings)?;
    interrupt_on_signal(&client)?;
    let reference = &arguments.reference;
    let entry = match (arguments.asynchronous, arguments.replace) {
        (false, None) => journal.pay(reference, &request),
        (true, None) => journal.pay_async(reference, &request),
        (false, Some(attempt)) => journal.replace(reference, &request, attempt),
        (true, Some(attempt)) => journal.replace_async(reference, &request, attempt),
    }?;
    Display::detect().entry(&entry)?;
    exit_with(payable(&entry))
}

pub(super) fn confirm(arguments: &OneAttempt) -> Result<(), Failure> {
    let (client, journal) = open(&arguments.settings)?;
    interrupt_on_signal(&client)?;
    let entry = journal.confirm(&find_attempt(&journal, &arguments.attempt)?)?;
    Display::detect().entry(&entry)?;
    exit_with(accepted(entry.confirm()))
}

pub(super) fn cancel(arguments: &OneAttempt) -> Result<(), Failure> {
    let (client, journal) = open(&arguments.settings)?;
    interrupt_on_signal(&client)?;
    let entry = journal.cancel(&find_attempt(&journal, &arguments.attempt)?)?;
    Display::detect().entry(&entry)?;
    exit_with(accepted(entry.cancel()))
}

pub(super) fn wait(arguments: &Wait) -> Result<(), Failure> {
    let timeout = arguments.timeout.as_deref().map(duration).transpose()?.unwrap_or(Duration::MAX);
    let (client, journal) = open(&arguments.settings)?;
    interrupt_on_signal(&client)?;
    let until = if arguments.until == "credentials" { Until::Credentials } else { Until::Final };
    let entry = match journal.wait(&arguments.reference, timeout, until) {
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
    let has_failed = entry.status().is_some_and(|status| status.is_final() && status != Status::DoneSuccess);
    match entry.standing() {
        _ if entry.succeeded() => 0,
        Standing::Refused => FAILED,
        Standing::Final if has_failed => FAILED,
        _ => UNDECIDED,
    }
}

/// Returns 0 only if there are credentials to show. A payment that has succeeded has no credentials any more.
fn payable(entry: &Entry) -> u8 {
    match succeeded(entry) {
        _ if entry.credentials().is_some() => 0,
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
