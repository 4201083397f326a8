//! `receive`: processes a webhook that a web server of the merchant has received, for example in a CGI
//! script.

use merchantpay::{Code, Error};
use merchantpay_journal::Received;

use super::display::Display;
use crate::args::journal::Receive;
use crate::output::{Failure, print_line};
use crate::webhook::{self, read_body};

/// The HTTP status that asks the service to send the webhook again.
const UNAVAILABLE: u16 = 503;

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
    let received = match arguments.settings.open() {
        Ok((_, journal)) => journal.receive(&arguments.path, &body, &arguments.signature, key_id(arguments)),
        Err(error) if error.code() == Code::Storage => return unavailable(error),
        Err(error) => return Err(error.into()),
    };
    print_status(received.http_status)?;
    match received {
        Received { http_status: 200, .. } => Ok(()),
        Received { http_status: 400, error: Some(error), .. } => Err(unverified(arguments, &body, &error)),
        Received { error: Some(error), .. } => Err(error.into()),
        Received { http_status, .. } => {
            Display::detect().remark(match http_status {
                404 => "no attempt has this token; the webhook is kept for `journal attention`",
                _ => {
                    "the webhook is about an order that does not belong to this attempt; the webhook is \
                     kept for `journal attention`"
                }
            });
            Err(Failure::AlreadyReported(4))
        }
    }
}

/// A CGI script gives the empty text if there is no such header.
fn key_id(arguments: &Receive) -> Option<&str> {
    arguments.key_id.as_deref().filter(|id| !id.is_empty())
}

fn unavailable(error: Error) -> Result<(), Failure> {
    print_status(UNAVAILABLE)?;
    Err(error.into())
}

fn print_status(status: u16) -> Result<(), Failure> {
    print_line(&format!("{{\"httpStatus\":{status}}}"))
}

fn unverified(arguments: &Receive, body: &[u8], error: &Error) -> Failure {
    let verifier = arguments.settings.settings.server.verifier().ok();
    webhook::unverified(error, verifier.as_ref(), body, &arguments.signature, key_id(arguments))
}
