//! `webhook verify`: reads the body from stdin and prints the event. The other modules in this folder receive
//! and send webhooks.

mod forward;
mod fuzzing;
mod line;
mod listen;
mod report;
mod send;

use std::io::Read;

use merchantpay::{Code, Error, WebhookVerifier};

use crate::args::Verify;
use crate::output::{Failure, error_line};
use crate::server::LARGEST;
use crate::terminal::reply;
use report::Problem;

pub use fuzzing::webhook_listen;
pub(crate) use line::event_line;
pub(crate) use listen::listen;
pub(crate) use send::send;

pub(crate) fn verify(arguments: &Verify) -> Result<(), Failure> {
    let verifier = arguments.server.verifier()?;
    let body = read_body(None)?;
    let (signature, key_id) = (arguments.signature.as_str(), arguments.key_id.as_deref());
    let event = verifier
        .verify(&body, signature, key_id)
        .map_err(|error| unverified(&error, Some(&verifier), &body, signature, key_id))?;
    reply::print(&event_line(&event))
}

/// Reads the body from stdin: this many bytes, or all. A body that is too long is cut, so it does not verify.
pub(crate) fn read_body(length: Option<u64>) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    let most = length.unwrap_or(u64::MAX).min(LARGEST as u64);
    let read = std::io::stdin().lock().take(most).read_to_end(&mut body);
    read.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    Ok(body)
}

/// The failure of a webhook that does not verify. If a verifier is given, the failure explains the cause.
pub(crate) fn unverified(
    error: &Error,
    verifier: Option<&WebhookVerifier>,
    body: &[u8],
    signature: &str,
    key_id: Option<&str>,
) -> Failure {
    let problem = verifier.and_then(|verifier| explained(error, verifier, body, signature, key_id));
    let line = error_line(error, &problem.as_ref().map_or_else(String::new, Problem::fields));
    let (text, advice) = match problem {
        Some(problem) => (format!("{}: {}", error.message(), problem.cause), problem.hint),
        None => (
            error.message().to_owned(),
            "do not use the content of this webhook; answer the sender with 400".to_owned(),
        ),
    };
    Failure::Unverified { line, text, advice }
}

/// The cause and the advice. `None` if the signature is right but the webhook differs from the contract: then
/// the error contains the reason.
fn explained(
    error: &Error,
    verifier: &WebhookVerifier,
    body: &[u8],
    signature: &str,
    key_id: Option<&str>,
) -> Option<Problem> {
    let explanation =
        (error.code() == Code::Unverified).then(|| verifier.explain(body, signature, key_id)).flatten()?;
    Some(Problem { cause: explanation.cause().name(), hint: explanation.hint() })
}
