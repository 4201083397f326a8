//! `webhook verify`: the body on stdin, the event on stdout. Beside it, receiving and sending webhooks.

mod diagnosis;
mod forward;
#[cfg(fuzzing)]
mod fuzzing;
mod line;
mod listen;
mod members;
mod report;
mod rewriting;
mod send;
mod server;

use std::io::Read;

use merchantpay::{Code, Error};

use crate::args::Verify;
use crate::output::{Failure, error_line, print_line};
use crate::settings::KnownKeys;
use diagnosis::{Diagnosis, diagnose, fields};

pub(crate) use diagnosis::Evidence;
#[cfg(fuzzing)]
pub use fuzzing::webhook_listen;
pub(crate) use line::event_line;
pub(crate) use listen::listen;
pub(crate) use send::send;

/// More than any webhook of the contract has.
const LARGEST: usize = 1024 * 1024;

pub(crate) fn verify(arguments: &Verify) -> Result<(), Failure> {
    let (verifier, known_keys) = arguments.server.verifier()?;
    let body = read_body()?;
    let event =
        verifier.verify(&body, &arguments.signature, arguments.key_id.as_deref()).map_err(|error| {
            let evidence = Evidence {
                body: &body,
                signature: Some(&arguments.signature),
                key_id: arguments.key_id.as_deref(),
            };
            unverified(&error, Some(&known_keys), &evidence)
        })?;
    print_line(&event_line(&event))
}

/// The body on stdin. A larger one is cut, and so does not verify.
pub(crate) fn read_body() -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST as u64).read_to_end(&mut body);
    read.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    Ok(body)
}

/// The failure of a webhook that does not verify; without known keys nothing can be said of its cause.
pub(crate) fn unverified(error: &Error, known_keys: Option<&KnownKeys>, evidence: &Evidence<'_>) -> Failure {
    let diagnosis = known_keys.and_then(|known_keys| diagnosis_of(error, known_keys, evidence));
    Failure::Unverified(error_line(error, &fields(diagnosis.as_ref())))
}

/// A webhook that is the service's, but not what the contract says, has its reason in the error's message.
fn diagnosis_of(error: &Error, known_keys: &KnownKeys, evidence: &Evidence<'_>) -> Option<Diagnosis> {
    (error.code() == Code::Unverified).then(|| diagnose(known_keys, evidence))
}
