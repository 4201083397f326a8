//! `webhook send`: signs a webhook as the service does, sends it, and prints the receiver's answer. `listen` forwards
//! webhooks by the same client.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{self, HeaderName};
use axum::http::{Request, StatusCode, Uri};
use axum::response::Response;
use merchantpay::{Error, Keypair, Outcome};
use merchantpay_sandbox::webhook_agent;

use crate::args::{Kind, Send};
use crate::keys::read_private_key;
use crate::output::{Failure, exit_with, print_result};
use crate::server::{LARGEST, Webhook};
use crate::settings::ReceiverSettings;

const TIMEOUT: Duration = Duration::from_secs(30);

/// The sandbox's own.
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
    let trusted =
        (url.scheme_str() == Some("https")).then(|| arguments.settings.certificates()).transpose()?;
    let key_id = arguments.settings.server_key_id().unwrap_or_else(|| KEY_ID.to_owned());
    let mut request = webhook_agent(TIMEOUT, trusted)
        .post(url)
        .header("Content-Type", "application/json")
        .header("X-KeyId", key_id);
    if !arguments.no_signature {
        request = request.header("X-Signature", signature);
    }
    let started = Instant::now();
    let status = request.send(body).map_err(|error| unsent(&error))?.status();
    let (code, ms) = (status.as_u16(), started.elapsed().as_millis());
    print_result(
        format!("{{\"httpStatus\":{code},\"durationMs\":{ms}}}"),
        &format!("the receiver answered {code} after {ms} ms"),
    )?;
    exit_with(u8::from(!status.is_success()))
}

fn receiver_url(text: &str) -> Result<Uri, Error> {
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

/// With the fields that it must have (contract, section 6).
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

/// Headers that belong to one connection, and headers that the new request sets itself.
const NOT_FORWARDED: [HeaderName; 12] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONNECTION,
    header::EXPECT,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

pub(super) struct Forward {
    to: Uri,
    agent: ureq::Agent,
}

impl Forward {
    pub(super) fn new(url: &str, settings: &ReceiverSettings) -> Result<Forward, Error> {
        let to = receiver_url(url)?;
        let trusted = (to.scheme_str() == Some("https")).then(|| settings.certificates()).transpose()?;
        Ok(Forward { to, agent: webhook_agent(TIMEOUT, trusted) })
    }

    pub(super) fn send(&self, webhook: &Webhook) -> Result<Response, String> {
        let mut request = Request::post(self.url_for(&webhook.uri));
        for (name, value) in &webhook.headers {
            if !NOT_FORWARDED.contains(name) {
                request = request.header(name, value);
            }
        }
        let request = request.body(&*webhook.body).map_err(|error| error.to_string())?;
        let mut response = self.agent.run(request).map_err(|error| error.to_string())?;
        let body = response
            .body_mut()
            .with_config()
            .limit(LARGEST as u64)
            .read_to_vec()
            .map_err(|error| error.to_string())?;
        let mut answer = Response::new(Body::from(body));
        *answer.status_mut() =
            StatusCode::from_u16(response.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
        let content_type = response.headers().get(header::CONTENT_TYPE).cloned();
        answer.headers_mut().extend(content_type.map(|value| (header::CONTENT_TYPE, value)));
        Ok(answer)
    }

    /// If the configured URL has no path, the path that the webhook came to is added.
    fn url_for(&self, came_to: &Uri) -> Uri {
        let Some(path) =
            came_to.path_and_query().filter(|_| self.to.path() == "/" && self.to.query().is_none())
        else {
            return self.to.clone();
        };
        let mut parts = self.to.clone().into_parts();
        parts.path_and_query = Some(path.clone());
        Uri::from_parts(parts).unwrap_or_else(|_| self.to.clone())
    }
}
