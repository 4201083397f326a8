//! `webhook verify` reads the body from stdin and prints the event; `listen` receives webhooks, and `send` sends them.

mod listen;
mod send;

use std::io::Read;

use merchantpay::{Code, Error, Event, WebhookVerifier};
use serde_json::json;

use crate::args::Verify;
use crate::document::{Members, one_line, print_document};
use crate::output::{ErrorLine, Failure};
use crate::server::LARGEST;

pub(crate) use listen::listen;
pub use listen::webhook_listen;
pub(crate) use send::send;

pub(crate) fn verify(arguments: &Verify) -> Result<(), Failure> {
    let verifier = arguments.settings.verifier()?;
    let body = read_body(None)?;
    let (signature, key_id) = (arguments.signature.as_str(), arguments.key_id.as_deref());
    let event = verifier
        .verify(&body, signature, key_id)
        .map_err(|error| unverified(&error, Some(&verifier), &body, signature, key_id))?;
    print_document(&event_line(&event))
}

/// Reads the body from stdin: this many bytes, or all. A body that is too long is cut, so it does not verify.
pub(crate) fn read_body(length: Option<u64>) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    let most = length.unwrap_or(u64::MAX).min(LARGEST as u64);
    let read = std::io::stdin().lock().take(most).read_to_end(&mut body);
    read.map_err(|error| Error::invalid_argument(format!("stdin cannot be read: {error}")))?;
    Ok(body)
}

/// `cause` is a stable name, `hint` a text for a person.
struct Problem {
    cause: &'static str,
    hint: String,
}

/// Explains the cause if there is a verifier.
pub(crate) fn unverified(
    error: &Error,
    verifier: Option<&WebhookVerifier>,
    body: &[u8],
    signature: &str,
    key_id: Option<&str>,
) -> Failure {
    let problem = verifier.and_then(|verifier| explained(error, verifier, body, signature, key_id));
    let line = ErrorLine {
        cause: problem.as_ref().map(|problem| problem.cause),
        hint: problem.as_ref().map(|problem| problem.hint.as_str()),
        ..ErrorLine::of(error)
    };
    let line = line.json();
    let (text, advice) = match problem {
        Some(problem) => (format!("{}: {}", error.message(), problem.cause), problem.hint),
        None => (
            error.message().to_owned(),
            "do not use the content of this webhook; answer the sender with 400".to_owned(),
        ),
    };
    Failure::Unverified { line, text, advice }
}

/// `None` if the signature is right but the webhook differs from the contract: then the error says why.
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

/// The kind, then the webhook's fields unchanged, but without its own `kind`, which a reader could mistake for ours.
fn event_line(event: &Event) -> String {
    let fields =
        serde_json::from_str(event.payment().json()).map_or_else(|_| Vec::new(), |Members(fields)| fields);
    let others = fields.iter().filter(|(name, _)| name != "kind");
    let others = others.map(|(name, value)| format!(",{}:{}", json!(name), one_line(value.get())));
    format!("{{\"kind\":{}{}}}", json!(event.kind()), others.collect::<String>())
}

#[cfg(test)]
mod tests {
    use merchantpay::{Keypair, WebhookVerifier};

    use super::*;

    #[test]
    fn body_cannot_change_event_kind() {
        let service = Keypair::generate().unwrap();
        for (body, line) in [
            (
                r#"{"success":true,"orderId":"o","status":"doneFail","kind":"credentials"}"#,
                r#""success":true,"orderId":"o","status":"doneFail"}"#,
            ),
            (
                r#"{ "\u006bind":1, "success":true, "orderId":"o", "status":"doneFail", "x":[1.50, {"kind":2}] }"#,
                r#""success":true,"orderId":"o","status":"doneFail","x":[1.50,{"kind":2}]}"#,
            ),
            (
                r#"{"success":true, "orderId":"o","status":"doneFail","sum":1500.50}"#,
                r#""success":true,"orderId":"o","status":"doneFail","sum":1500.50}"#,
            ),
        ] {
            let signature = service.private_key().sign(body.as_bytes()).to_base64();
            let event =
                WebhookVerifier::new(service.public_key()).verify(body.as_bytes(), &signature, None).unwrap();
            assert_eq!(event_line(&event), format!("{{\"kind\":\"status\",{line}"));
        }
    }
}
