//! Webhooks: converts bytes and a signature to an event (contract, section 6).

use crate::error::Result;
use crate::explain::{Explainer, Explanation};
use crate::keys::PublicKey;
use crate::payment::Payment;
use crate::status::Status;
use crate::verified::{Trust, Verified};
use crate::words;

words! {
    /// The kind of a verified webhook.
    #[non_exhaustive]
    pub enum EventKind {
        /// Credentials were found for a payment made by `newPaymentAsync` (contract, section 6.1).
        Credentials = "credentials", 1;
        /// No credentials were found (contract, section 6.1): the payment has only its order id.
        CredentialsFailed = "credentials_failed", 2;
        /// The payment has a new status (contract, section 6.2). The status is never `free` or `pending`.
        Status = "status", 3;
    }
}

/// A verified webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// Credentials were found for a payment made by `/new-async` (contract, section 6.1).
    CredentialsIssued(Payment),
    /// No credentials were found (contract, section 6.1). The payment has only its order id.
    CredentialsFailed(Payment),
    /// The payment has a new status (contract, section 6.2). The status is never `free` or `pending`.
    StatusChanged(Payment),
}

impl Event {
    /// The name of the event's kind: `credentials`, `credentials_failed` or `status`.
    pub fn kind(&self) -> &'static str {
        self.event_kind().name()
    }

    /// The kind of the event.
    pub fn event_kind(&self) -> EventKind {
        match self {
            Event::CredentialsIssued(_) => EventKind::Credentials,
            Event::CredentialsFailed(_) => EventKind::CredentialsFailed,
            Event::StatusChanged(_) => EventKind::Status,
        }
    }

    /// The payment that the event is about.
    pub fn payment(&self) -> &Payment {
        match self {
            Event::CredentialsIssued(payment)
            | Event::CredentialsFailed(payment)
            | Event::StatusChanged(payment) => payment,
        }
    }
}

/// Verifies webhooks. Threads can share a verifier. It needs no private key.
///
/// Pass the received body unchanged: if a body was parsed and serialised again, it does not verify.
///
/// ```
/// # let pair = merchantpay::Keypair::generate()?;
/// # let (server_public_key, body) = (pair.public_key(), br#"{"success":false,"orderId":"o-1"}"#);
/// # let signature = pair.private_key().sign(body).to_base64();
/// use merchantpay::{Event, WebhookVerifier};
/// let verifier = WebhookVerifier::new(server_public_key);
/// match verifier.verify(body, &signature, None)? {
///     Event::CredentialsIssued(payment) => println!("show {:?} to the customer", payment.deeplink()),
///     Event::CredentialsFailed(payment) => println!("{}: nobody to pay to", payment.order_id()),
///     Event::StatusChanged(payment) => println!("{}: {:?}", payment.order_id(), payment.status()),
///     _ => {}
/// }
/// # Ok::<(), merchantpay::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WebhookVerifier(Trust);

impl WebhookVerifier {
    /// Makes a verifier that accepts one public key of the service.
    pub fn new(server_public_key: PublicKey) -> WebhookVerifier {
        WebhookVerifier(Trust::one(server_public_key))
    }

    /// Makes a verifier that accepts several public keys of the service. If key ids are given, the verifier
    /// accepts only these key ids. `own_key_id` is the merchant's own key id: a webhook with this key id is
    /// refused.
    ///
    /// # Errors
    ///
    /// `invalid_argument` without a key, or if a key id is empty or is the merchant's own key id.
    pub fn with_keys(
        server_public_keys: &[PublicKey],
        server_key_ids: &[String],
        own_key_id: Option<&str>,
    ) -> Result<WebhookVerifier> {
        Trust::new(server_public_keys.to_vec(), server_key_ids.to_vec(), own_key_id.map(str::to_owned))
            .map(WebhookVerifier)
    }

    pub(crate) fn of(trust: &Trust) -> WebhookVerifier {
        WebhookVerifier(trust.clone())
    }

    /// Refuses the merchant's own public key as a key of the service. Otherwise the merchant's own signatures
    /// would be accepted. [`explain`](WebhookVerifier::explain) can then recognise a webhook that was signed
    /// with this key.
    ///
    /// # Errors
    ///
    /// `invalid_key` if the merchant's own key was given as a key of the service.
    pub fn refuse_key(self, own: PublicKey) -> Result<WebhookVerifier> {
        self.0.with_own_key(own).map(WebhookVerifier)
    }

    /// Verifies the unchanged `body` with the value of the signature header. The contract does not name the
    /// headers of webhooks; `key_id` is the value of the key id header, if there is one.
    ///
    /// A webhook has no date: an old webhook can be delivered again, even after a final status. Do not
    /// replace a final status by another status.
    ///
    /// # Errors
    ///
    /// `unverified` if there is no proof that the service sent the webhook. `malformed` if the body is
    /// verified but is not a webhook of the contract. For example, it has a status that is never sent, or
    /// credentials without an account or link, or it is a replayed reply.
    pub fn verify(&self, body: &[u8], signature: &str, key_id: Option<&str>) -> Result<Event> {
        event(&self.0.verify(body, signature, key_id, false)?)
    }

    /// Explains why a webhook does not verify; `None` if its signature and its key id are accepted. The
    /// arguments are those of [`verify`](WebhookVerifier::verify). If there is no signature header, pass an
    /// empty `signature`. Join repeated headers with commas.
    ///
    /// The headers show some causes, and the form of the body shows others, such as an empty one. Any other cause
    /// is named only with a proof: the library undoes it in a copy of the message, and the copy verifies. Write
    /// the explanation to the log. Do not return it to the sender, who may be an attacker. Do not use the webhook.
    #[must_use]
    pub fn explain(&self, body: &[u8], signature: &str, key_id: Option<&str>) -> Option<Explanation> {
        Explainer::of(&self.0).explain(body, Some(signature), key_id)
    }
}

/// Reads the event. The replies to operations are signed with the same key, so an attacker could replay a
/// reply to a webhook's URL. Most replies can be distinguished from webhooks. The replies to `/confirm` and
/// `/cancel` have no credentials. A refusal has a description. The status of a webhook is never `free` or
/// `pending`. If a reply to `/new` or `/status` is replayed and accepted, it has the same content as the
/// webhook, so it does no harm.
fn event(verified: &Verified<'_>) -> Result<Event> {
    let object = verified.object()?;
    let malformed = |fault: &str| verified.malformed(fault);
    let payment = Payment::read(&object).map_err(|fault| malformed(&fault))?;
    let with_order = |fault: &str| malformed(fault).with_order_id(Some(payment.order_id()));
    match (object.boolean("success").map_err(|fault| with_order(&fault))?, payment.status()) {
        (Some(true), Some(Status::Free | Status::Pending)) => {
            Err(with_order("the service never sends a webhook with this status"))
        }
        (Some(true), Some(_)) => Ok(Event::StatusChanged(payment)),
        (Some(true), None) if !payment.has_credentials() => {
            Err(with_order("it has neither a status nor credentials"))
        }
        (Some(true), None) => Ok(Event::CredentialsIssued(payment)),
        (Some(false), None) if !object.has("errorDescription") && !object.has("error") => {
            Ok(Event::CredentialsFailed(payment))
        }
        (Some(false), _) => Err(with_order("it is the refusal of a request, not a webhook")),
        (None, _) => Err(with_order("it has no field success")),
    }
}
