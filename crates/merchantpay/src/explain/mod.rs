//! Explains why a message does not verify. If the headers do not show the cause, a cause is named only with a
//! proof: this module undoes the cause in a copy of the message, and the copy verifies.
//!
//! The body of an unverified message is parsed here, within limits. No parsed data leaves this module: an
//! explanation contains only fixed texts.

mod body;
mod budget;
mod json_forms;
mod signature_text;

use crate::cause::{Cause, Finding};
use crate::error::Result;
use crate::keys::{PublicKey, Signature};
use crate::verified::{Trust, without_blanks};
use budget::Budget;
use signature_text::{SignatureText, read};

/// The largest number of further keys that are tried.
const OTHER_KEYS: usize = 12;

/// The size in bytes of the largest body that is analysed.
const LARGEST_BODY: usize = 64 * 1024;

/// The reason why a message does not verify, and the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    finding: Finding,
    direction: Direction,
}

/// The reader of the explanation: the receiver of a webhook, or the sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Webhook,
    Request,
}

impl Explanation {
    /// The cause. Its name is stable.
    pub fn cause(&self) -> Cause {
        self.finding.cause()
    }

    /// The exact fault and its remedy, for a developer. The text contains nothing of the message. The wording
    /// can change in any version.
    pub fn hint(&self) -> String {
        let cause = self.cause();
        let advice = match self.direction {
            Direction::Webhook => cause.advice_on_webhook(),
            Direction::Request => cause.advice_on_request(),
        };
        [self.finding.sentence(), " ", advice].concat()
    }
}

/// The keys of a receiver.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    /// The keys that are accepted for signatures.
    pub trusted: Vec<PublicKey>,
    /// The key ids of the trusted keys. If the list is not empty, no other key id is accepted.
    pub trusted_key_ids: Vec<String>,
    /// The merchant's own public key, for webhooks.
    pub own: Option<PublicKey>,
    /// The key id with which the receiver itself signs.
    pub own_key_id: Option<String>,
    /// Further public keys with which a sender may have signed by mistake. Only the first twelve keys are
    /// tried.
    pub others: Vec<PublicKey>,
}

/// Explains why a message does not verify. The explanation is for the developer of the message's receiver or
/// sender.
///
/// ```
/// # let own = merchantpay::Keypair::generate()?;
/// # let merchant = merchantpay::Keypair::generate()?;
/// use merchantpay::{Cause, Explainer, Keys};
/// let explainer = Explainer::of_requests(Keys {
///     trusted: vec![merchant.public_key()],
///     trusted_key_ids: vec!["key-1".to_owned()],
///     ..Keys::default()
/// })?;
/// let body = br#"{"orderId":"o-1"}"#;
/// let signature = merchant.private_key().sign(body).to_base64();
/// assert_eq!(explainer.explain(body, Some(&signature), Some("key-1")), None);
/// let explanation = explainer.explain(b"{\"orderId\": \"o-1\"}", Some(&signature), Some("key-1"));
/// assert_eq!(explanation.map(|explanation| explanation.cause()), Some(Cause::BodyChanged));
/// # Ok::<(), merchantpay::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Explainer {
    trust: Trust,
    others: Vec<PublicKey>,
    direction: Direction,
}

impl Explainer {
    /// Makes an explainer for receivers of webhooks.
    ///
    /// # Errors
    ///
    /// `invalid_argument` without a trusted key, or if a trusted key id is empty or is the receiver's own key
    /// id. `invalid_key` if a trusted key is the merchant's own key.
    pub fn of_webhooks(keys: Keys) -> Result<Explainer> {
        Explainer::new(keys, Direction::Webhook)
    }

    /// Makes an explainer for senders of requests. This explainer also reports a missing key id.
    ///
    /// # Errors
    ///
    /// The same errors as [`of_webhooks`](Explainer::of_webhooks).
    pub fn of_requests(keys: Keys) -> Result<Explainer> {
        Explainer::new(keys, Direction::Request)
    }

    fn new(keys: Keys, direction: Direction) -> Result<Explainer> {
        let mut trust = Trust::new(keys.trusted, keys.trusted_key_ids, keys.own_key_id)?;
        if let Some(own) = keys.own {
            trust = trust.with_own_key(own)?;
        }
        Ok(Explainer { trust, others: keys.others, direction })
    }

    /// Explains why a message does not verify; `None` if its signature and its key id are accepted.
    ///
    /// `signature` is the value of the signature header, `None` if there is no such header. Join repeated
    /// headers with commas. An explanation verifies at most 40 signatures.
    pub fn explain(&self, body: &[u8], signature: Option<&str>, key_id: Option<&str>) -> Option<Explanation> {
        self.explain_with_signed_bytes(body, signature, key_id).map(|(explanation, _)| explanation)
    }

    /// Explains a message. If the cause is `body_changed` or `digest_signed`, this also returns the bytes
    /// that a trusted key signed instead of the body. Unlike an explanation, these bytes contain data of the
    /// message: show them only to the sender.
    ///
    /// ```
    /// # let merchant = merchantpay::Keypair::generate()?;
    /// # use merchantpay::{Cause, Explainer, Keys};
    /// # let explainer = Explainer::of_requests(Keys { trusted: vec![merchant.public_key()], ..Keys::default() })?;
    /// let signature = merchant.private_key().sign(b"{}").to_base64();
    /// let explained = explainer.explain_with_signed_bytes(b"{}\n", Some(&signature), Some("key-1"));
    /// let (explanation, signed) = explained.ok_or("it verifies")?;
    /// assert_eq!(explanation.cause(), Cause::BodyChanged);
    /// assert_eq!(signed.as_deref(), Some(&b"{}"[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain_with_signed_bytes(
        &self,
        body: &[u8],
        signature: Option<&str>,
        key_id: Option<&str>,
    ) -> Option<(Explanation, Option<Vec<u8>>)> {
        let message = Message { body, signature: signature.unwrap_or_default(), key_id };
        let mut budget = Budget::new(body);
        let (finding, signed) = explain(&self.trust, &self.others, self.direction, &message, &mut budget)?;
        Some((Explanation { finding, direction: self.direction }, signed))
    }
}

/// Explains a webhook with the keys that a verifier has.
pub(crate) fn explain_webhook(
    trust: &Trust,
    body: &[u8],
    signature: &str,
    key_id: Option<&str>,
) -> Option<Explanation> {
    let direction = Direction::Webhook;
    let message = Message { body, signature, key_id };
    let (finding, _) = explain(trust, &[], direction, &message, &mut Budget::new(body))?;
    Some(Explanation { finding, direction })
}

struct Message<'a> {
    body: &'a [u8],
    signature: &'a str,
    key_id: Option<&'a str>,
}

/// A finding, and the bytes that were signed instead of the body, if these bytes are known.
type Explained = (Finding, Option<Vec<u8>>);

fn explain(
    trust: &Trust,
    others: &[PublicKey],
    direction: Direction,
    message: &Message<'_>,
    budget: &mut Budget,
) -> Option<Explained> {
    let text = match read(message.signature) {
        Ok(text) => text,
        Err(finding) => return Some((finding, None)),
    };
    if let Some(finding) = wrong_key_id(trust, direction, message.key_id) {
        return Some((finding, None));
    }
    match text {
        SignatureText::Standard(signature) => content(trust, others, message.body, &signature, budget),
        SignatureText::Other(finding, candidates) => {
            let made = |signature| budget.trusted(trust, message.body, signature);
            let finding = if candidates.iter().any(made) { finding } else { Finding::NotBase64 };
            Some((finding, None))
        }
    }
}

/// A fault that the header `X-KeyId` alone shows.
fn wrong_key_id(trust: &Trust, direction: Direction, key_id: Option<&str>) -> Option<Finding> {
    match key_id.map(without_blanks).filter(|id| !id.is_empty()) {
        None if direction == Direction::Request => Some(Finding::KeyIdMissing),
        None => None,
        Some(key_id) if trust.is_own_key_id(key_id) => Some(Finding::KeyIdOwn),
        Some(key_id) if !trust.accepts_key_id(key_id) => Some(Finding::KeyIdUnknown),
        Some(_) => None,
    }
}

/// Finds the key that signed, or the content that was signed. `None` if a trusted key signed the body.
fn content(
    trust: &Trust,
    others: &[PublicKey],
    body: &[u8],
    signature: &Signature,
    budget: &mut Budget,
) -> Option<Explained> {
    if budget.trusted(trust, body, signature) {
        return None;
    }
    if body.len() > LARGEST_BODY {
        return Some((Finding::TooLarge, None));
    }
    if trust.own_key().is_some_and(|own| budget.verifies(own, body, signature)) {
        return Some((Finding::Own, None));
    }
    if others.iter().take(OTHER_KEYS).any(|other| budget.verifies(other, body, signature)) {
        return Some((Finding::Other, None));
    }
    let mut contents = budget.contents(trust, signature);
    let finding = body::finding(body, &mut contents).unwrap_or(Finding::Unexplained);
    Some((finding, contents.into_signed()))
}

#[cfg(test)]
mod mutations;
#[cfg(test)]
mod tests;
