//! `webhook verify`: the body on stdin, the event on stdout.

use std::io::Read;

use merchantpay::{Error, Event};

use crate::args::Verify;
use crate::output::{Failure, one_line, print_line, quoted};
use crate::settings::variable;

/// More than any webhook of the contract has. A larger one is cut, and so does not verify.
const LARGEST: u64 = 1024 * 1024;

pub(crate) fn verify(arguments: &Verify) -> Result<(), Failure> {
    let own_key_id = variable("KEY_ID");
    let verifier = arguments.server.verifier(own_key_id.as_deref())?;
    let mut body = Vec::new();
    std::io::stdin()
        .lock()
        .take(LARGEST)
        .read_to_end(&mut body)
        .map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    let event = verifier.verify(&body, &arguments.signature, arguments.key_id.as_deref()).map_err(Failure::Webhook)?;
    print_line(&event_line(&event))
}

/// The event's kind, and the webhook's own fields as they came.
pub(crate) fn event_line(event: &Event) -> String {
    let body = one_line(event.payment().json());
    format!("{{\"kind\":{},{}", quoted(event.kind()), body.get(1..).unwrap_or("}"))
}
