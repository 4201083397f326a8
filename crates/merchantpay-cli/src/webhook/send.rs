//! `webhook send`: signs a webhook as the service does, sends it, and prints the receiver's answer.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use merchantpay::{Error, Keypair, Outcome};
use merchantpay_sandbox::webhook_agent;
use ureq::http::Uri;

use crate::args::{Kind, Send};
use crate::output::{Failure, print_result};
use crate::settings::read_private_key;

/// The time limit for the receiver's answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The key id that the sandbox uses for its own key.
const KEY_ID: &str = "sandbox-server";

pub(crate) fn send(arguments: &Send) -> Result<(), Failure> {
    let key = match arguments.wrong_key {
        true => Keypair::generate()?.private_key().clone(),
        false => read_private_key(&arguments.server_private_key_file)?,
    };
    let url = receiver_url(&arguments.url)?;
    let mut body = match (arguments.kind, &arguments.body) {
        (Some(kind), _) => example(kind).as_bytes().to_vec(),
        (None, Some(path)) if path.as_os_str() != "-" => {
            std::fs::read(path).map_err(|error| unreadable(path, &error))?
        }
        (None, _) => stdin()?,
    };
    let signature = key.sign(&body).to_base64();
    if arguments.tamper {
        tamper(&mut body);
    }
    let trusted = (url.scheme_str() == Some("https")).then(|| arguments.trust.certificates()).transpose()?;
    let key_id = arguments.server.key_id().unwrap_or_else(|| KEY_ID.to_owned());
    let mut request = webhook_agent(TIMEOUT, trusted)
        .post(url)
        .header("Content-Type", "application/json")
        .header("X-KeyId", key_id);
    if !arguments.no_signature {
        request = request.header("X-Signature", signature);
    }
    let started = Instant::now();
    let status = request.send(body).map_err(|error| unsent(&error))?.status();
    let ms = started.elapsed().as_millis();
    print_result(
        &format!("{{\"httpStatus\":{},\"durationMs\":{ms}}}", status.as_u16()),
        &format!("the receiver answered {} after {ms} ms", status.as_u16()),
    )?;
    if status.is_success() { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}

/// A URL of the merchant, to which a command sends webhooks.
pub(super) fn receiver_url(text: &str) -> Result<Uri, Error> {
    let wrong = || Error::invalid_argument("the URL must begin with http:// or https:// and have a host");
    let url: Uri = text.parse().map_err(|_| wrong())?;
    let known =
        matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some_and(|host| !host.is_empty());
    known.then_some(url).ok_or_else(wrong)
}

fn stdin() -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut body);
    read.map_err(|error| unreadable(Path::new("stdin"), &error))?;
    match body.is_empty() {
        true => {
            Err(Error::invalid_argument("give the kind of the webhook, or its body by --body or on stdin"))
        }
        false => Ok(body),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid_argument(format!("the body {} cannot be read: {error}", path.display()))
}

/// A webhook of this kind with the fields that it must have (contract, section 6).
fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Credentials => {
            r#"{"success":true,"orderId":"order-1","sum":1500.50,"payeeAccount":"2200000000000004","currency":"RUB"}"#
        }
        Kind::CredentialsFailed => r#"{"success":false,"orderId":"order-1"}"#,
        Kind::Status => r#"{"success":true,"orderId":"order-1","status":"doneSuccess"}"#,
    }
}

/// Replaces the last letter or digit, so that the body is still JSON but has another meaning.
fn tamper(body: &mut Vec<u8>) {
    let last = body.iter_mut().rev().find(|byte| byte.is_ascii_alphanumeric());
    match last {
        Some(byte) => *byte = if matches!(byte, b'9' | b'z' | b'Z') { *byte - 1 } else { *byte + 1 },
        None => body.push(b' '),
    }
}

fn unsent(error: &ureq::Error) -> Error {
    use ureq::{Error as E, Timeout};

    let refused = matches!(error, E::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused);
    let early = matches!(
        error,
        E::HostNotFound | E::ConnectionFailed | E::Timeout(Timeout::Resolve | Timeout::Connect)
    );
    let outcome = if refused || early { Outcome::NotSent } else { Outcome::Unknown };
    Error::transport(format!("the receiver gave no answer: {error}; start it, or check the URL"))
        .with_outcome(outcome)
}
