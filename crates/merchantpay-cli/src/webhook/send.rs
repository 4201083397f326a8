//! `webhook send`: signs an event as the service does, sends it, and prints the receiver's answer.

use std::io::Read as _;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use merchantpay::{Amount, Code, Error, Keypair, Outcome, PrivateKey};
use ureq::http::Uri;

use super::forward::agent;
use crate::args::{Kind, Send};
use crate::json::quoted;
use crate::output::{Failure, print_line};
use crate::settings;

/// The time limit for the receiver's answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The key id that the sandbox uses for its own key.
const KEY_ID: &str = "sandbox-server";

pub(crate) fn send(arguments: &Send) -> Result<(), Failure> {
    let key = settings::private_key(arguments.private_key.clone(), arguments.private_key_file.as_deref());
    let key = key.unwrap_or_else(|| Err(Error::invalid_argument("the service's private key is missing")))?;
    let url = url(&arguments.url)?;
    let body = match (&arguments.body, arguments.kind) {
        (Some(path), _) => read(path)?,
        (None, Some(kind)) => event(arguments, kind)?.into_bytes(),
        (None, None) => return Err(Error::invalid_argument("give the kind of the webhook, or --body").into()),
    };
    let (body, signature) = sign(arguments, &key, body)?;
    let key_id =
        arguments.key_id.clone().or_else(settings::server_key_id).unwrap_or_else(|| KEY_ID.to_owned());
    let mut request =
        agent(TIMEOUT).post(url).header("Content-Type", "application/json").header("X-KeyId", key_id);
    if let Some(signature) = signature {
        request = request.header("X-Signature", signature);
    }
    let started = Instant::now();
    let response = request.send(body).map_err(|error| unsent(&error))?;
    let status = response.status();
    print_line(&format!(
        "{{\"httpStatus\":{},\"durationMs\":{}}}",
        status.as_u16(),
        started.elapsed().as_millis()
    ))?;
    if status.is_success() { Ok(()) } else { Err(Failure::AlreadyReported(1)) }
}

fn url(text: &str) -> Result<Uri, Error> {
    let wrong = || Error::invalid_argument("the URL must begin with http:// or https:// and have a host");
    let url: Uri = text.parse().map_err(|_| wrong())?;
    let known =
        matches!(url.scheme_str(), Some("http" | "https")) && url.host().is_some_and(|host| !host.is_empty());
    known.then_some(url).ok_or_else(wrong)
}

fn read(path: &std::path::Path) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut body).map(drop)
    } else {
        std::fs::read(path).map(|bytes| body = bytes)
    };
    read.map_err(|error| {
        Error::invalid_argument(format!("the body {} cannot be read: {error}", path.display()))
    })?;
    Ok(body)
}

/// The body of the webhook: the given fields in the contract's order, and defaults for the fields that a
/// webhook of this kind must have.
fn event(arguments: &Send, kind: Kind) -> Result<String, Error> {
    let mut fields = vec![format!("\"success\":{}", kind != Kind::CredentialsFailed)];
    for field in arguments.fields.all() {
        let Some(value) = field.given.or_else(|| example(kind, field.name)) else { continue };
        if !belongs(kind, field.name) {
            return Err(Error::invalid_argument(format!(
                "a webhook of this kind has no field {}",
                field.name
            )));
        }
        let value = if field.is_number { value.parse::<Amount>()?.to_string() } else { quoted(value) };
        fields.push(format!("\"{}\":{value}", field.name));
    }
    Ok(format!("{{{}}}", fields.join(",")))
}

fn belongs(kind: Kind, field: &str) -> bool {
    match (kind, field) {
        (Kind::CredentialsFailed, field) => field == "orderId",
        (Kind::Credentials, "status") | (Kind::Status, "currency") => false,
        _ => true,
    }
}

fn example(kind: Kind, field: &str) -> Option<&'static str> {
    match (kind, field) {
        (_, "orderId") => Some("order-1"),
        (Kind::Status, "status") => Some("doneSuccess"),
        (Kind::Credentials, "sum") => Some("1500.50"),
        (Kind::Credentials, "payeeAccount") => Some("2200000000000004"),
        (Kind::Credentials, "currency") => Some("RUB"),
        _ => None,
    }
}

/// The body and the text of the signature's header, with the damage that the flags ask for.
fn sign(arguments: &Send, key: &PrivateKey, mut body: Vec<u8>) -> Result<(Vec<u8>, Option<String>), Error> {
    let damage = &arguments.damage;
    let signature =
        if damage.wrong_key { Keypair::generate()?.private_key().sign(&body) } else { key.sign(&body) };
    let mut signature = signature.to_base64();
    if damage.base64url {
        // Decoding cannot fail, because this text was just encoded.
        signature = BASE64_URL_SAFE_NO_PAD.encode(BASE64_STANDARD.decode(&signature).unwrap_or_default());
    }
    if damage.tamper {
        tamper(&mut body);
    }
    if damage.bom {
        body.splice(..0, *b"\xEF\xBB\xBF");
    }
    Ok((body, (!damage.no_signature).then_some(signature)))
}

/// Replaces the last letter or digit, so that the body is still JSON but has another meaning.
fn tamper(body: &mut Vec<u8>) {
    let last = body.iter_mut().rev().find(|byte| byte.is_ascii_alphanumeric());
    match last {
        Some(byte) => *byte = if matches!(byte, b'9' | b'z' | b'Z') { *byte - 1 } else { *byte + 1 },
        None => body.push(b' '),
    }
}

fn unsent(error: &ureq::Error) -> Failure {
    use ureq::{Error as E, Timeout};

    let code = if matches!(error, E::Timeout(_)) { Code::Timeout } else { Code::Transport };
    let refused = matches!(error, E::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused);
    let early = matches!(
        error,
        E::HostNotFound | E::ConnectionFailed | E::Timeout(Timeout::Resolve | Timeout::Connect)
    );
    let outcome = if refused || early { Outcome::NotSent } else { Outcome::Unknown };
    Failure::Sending { code, outcome, message: format!("the webhook has no answer: {error}") }
}
