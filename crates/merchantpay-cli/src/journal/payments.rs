//! `pay`, `replace`, `confirm`, `cancel`, `wait`, `receive` and `settle`: what happens to payments, as text and as exit
//! status.

use std::sync::Arc;
use std::time::Duration;

use merchantpay::{Code, Error, Status};
use merchantpay_journal::{Entry, Intent, IntentState, Journal, Received, Settled, Standing, Until};
use serde_json::json;

use super::entries::{find_attempt, print_entry};
use crate::args::journal::{OneAttempt, Pay, Receive, Replace, Settle};
use crate::dates::duration;
use crate::operator::{Health, Listening};
use crate::output::{ErrorLine, Failure, eprint_line, exit_with, print_line, print_result, stdout_is_human};
use crate::settings::JournalSettings;
use crate::signals::interrupt_on_signal;
use crate::webhook::{read_body, unverified};

const FAILED: u8 = 1;
const UNDECIDED: u8 = 4;

pub(super) fn pay(arguments: &Pay) -> Result<(), Failure> {
    let request = arguments.request.values().payment_request()?;
    let journal = opened(&arguments.settings)?;
    let entry = match arguments.asynchronous {
        false => journal.pay(&arguments.reference, &request),
        true => journal.pay_async(&arguments.reference, &request),
    }?;
    print_entry(&entry)?;
    exit_with(pay_status(&entry))
}

pub(super) fn replace(arguments: &Replace) -> Result<(), Failure> {
    let request = arguments.request.values().payment_request()?;
    let entry = opened(&arguments.settings)?.replace(&arguments.reference, arguments.attempt, &request)?;
    print_entry(&entry)?;
    exit_with(pay_status(&entry))
}

pub(super) fn instruct(arguments: &OneAttempt, intent: Intent) -> Result<(), Failure> {
    let journal = opened(&arguments.settings)?;
    let entry = find_attempt(&journal, &arguments.reference, arguments.attempt)?;
    let entry = match intent {
        Intent::Confirm => journal.confirm(&entry),
        _ => journal.cancel(&entry),
    }?;
    print_entry(&entry)?;
    exit_with(intent_status(entry.intent_state.filter(|_| entry.intent == Some(intent))))
}

fn opened(settings: &JournalSettings) -> Result<Journal, Error> {
    let (client, journal) = settings.open()?;
    interrupt_on_signal(&client)?;
    Ok(journal)
}

pub(super) fn wait(reference: &str, until: &str, settings: &mut JournalSettings) -> Result<(), Failure> {
    let timeout = settings.take_time_limit().unwrap_or(Duration::MAX);
    let journal = opened(settings)?;
    let until = if until == "credentials" { Until::Credentials } else { Until::Final };
    let entry = match journal.wait(reference, until, timeout) {
        Err(error) if error.code() == Code::Cancelled => {
            // A signal ended the wait, so the result of the payment is not known yet.
            eprint_line(&ErrorLine::of(&error).json());
            return exit_with(UNDECIDED);
        }
        waited => waited?,
    };
    print_entry(&entry)?;
    exit_with(if until == Until::Credentials { pay_status(&entry) } else { final_status(&entry) })
}

/// 0 only if exactly the requested sum was paid.
fn final_status(entry: &Entry) -> u8 {
    let has_failed =
        entry.status.as_ref().is_some_and(|status| status.is_final() && *status != Status::DoneSuccess);
    match entry.standing {
        _ if entry.succeeded => 0,
        Standing::Refused => FAILED,
        Standing::Final if has_failed => FAILED,
        _ => UNDECIDED,
    }
}

/// 0 only if there are credentials to show. A payment that has succeeded has none any more.
fn pay_status(entry: &Entry) -> u8 {
    match final_status(entry) {
        _ if entry.credentials.is_some() => 0,
        0 => UNDECIDED,
        status => status,
    }
}

fn intent_status(state: Option<IntentState>) -> u8 {
    match state {
        Some(IntentState::Accepted) => 0,
        Some(IntentState::Refused) => FAILED,
        _ => UNDECIDED,
    }
}

pub(super) fn receive(arguments: &Receive) -> Result<(), Failure> {
    // A web server tells a CGI script the length (RFC 3875, 4.1.2), and may keep the input open behind the body.
    let length = match std::env::var("CONTENT_LENGTH").ok().as_deref().map(str::trim) {
        None => None,
        Some("") => Some(0),
        Some(length) => match length.parse() {
            Ok(length) => Some(length),
            Err(_) => {
                print_status(400)?;
                return Err(Error::about("CONTENT_LENGTH", "is not a length in bytes").into());
            }
        },
    };
    let body = read_body(length)?;
    let (signature, settings) = (arguments.signature.as_str(), &arguments.settings);
    // A CGI script gives the empty text if there is no such header.
    let key_id = arguments.key_id.as_deref().filter(|id| !id.is_empty());
    let received = match settings.open() {
        Ok((_, journal)) => journal.receive(&arguments.path, &body, signature, key_id),
        Err(error) if error.code() == Code::Storage => {
            // The service shall send the webhook again.
            print_status(503)?;
            return Err(error.into());
        }
        Err(error) => return Err(error.into()),
    };
    print_status(received.http_status)?;
    let why = match received {
        Received { http_status: 200, .. } => return Ok(()),
        Received { http_status: 400, error: Some(error), .. } => {
            return Err(unverified(&error, settings.verifier().ok().as_ref(), &body, signature, key_id));
        }
        Received { error: Some(error), .. } => return Err(error.into()),
        Received { http_status: 404, .. } => "no attempt has this token",
        _ => "the webhook is about an order that does not belong to this attempt",
    };
    if stdout_is_human() {
        eprint_line(&format!("{why}; the webhook is kept for `journal attention`"));
    }
    exit_with(4)
}

fn print_status(status: u16) -> Result<(), Failure> {
    print_line(&json!({"httpStatus": status}).to_string())
}

pub(super) fn settle(arguments: &Settle) -> Result<(), Failure> {
    let every = arguments.every.as_deref().map(duration).transpose()?;
    let (client, journal) = arguments.settings.open()?;
    let health = Arc::new(Health::default());
    let listen = arguments
        .listen
        .map(|address| Listening::start(address, &arguments.allowed_hosts, journal.derive(), health.clone()));
    let listening = listen.transpose()?;
    interrupt_on_signal(&client)?;
    let is_interrupted_within = |pause: Duration| client.pause(pause).is_err();
    if let Some(listening) = &listening {
        let url = format!("http://{}/", listening.address());
        print_result(json!({"listening": url}), &format!("listening at {url}"))?;
    }
    loop {
        let result = journal.settle(arguments.limit);
        health.report(&result);
        let has_more = match result {
            Ok(settled) => {
                // A service prints no line for a run that had nothing to do.
                if every.is_none() || settled.done > 0 {
                    print_settled(&settled)?;
                }
                settled.done == arguments.limit
            }
            // An interrupt ends the service without an error, because the call that was running has stored
            // its outcome.
            Err(_) if is_interrupted_within(Duration::ZERO) => return Ok(()),
            Err(error) if every.is_some() && error.is_transient() => {
                eprint_line(&ErrorLine::of(&error).json());
                false
            }
            Err(error) => return Err(error.into()),
        };
        let Some(every) = every else { return Ok(()) };
        if is_interrupted_within(if has_more { Duration::ZERO } else { every }) {
            return Ok(());
        }
    }
}

fn print_settled(settled: &Settled) -> Result<(), Failure> {
    let due = match settled.next_due {
        None => "nothing is due".to_owned(),
        Some(Duration::ZERO) => "more is due now".to_owned(),
        Some(next) => format!("the next is due in {} s", next.as_secs()),
    };
    let next_due_ms = settled.next_due.and_then(|next| u64::try_from(next.as_millis()).ok());
    let json = json!({"done": settled.done, "nextDueMs": next_due_ms});
    print_result(json, &format!("{} settled; {due}", settled.done))
}
