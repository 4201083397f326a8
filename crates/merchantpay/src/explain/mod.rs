//! Explains why a message does not verify. The headers alone show some causes, and inspection shows a body that the
//! service cannot have sent, such as an empty one. Every other cause is named only with a proof: this module undoes it
//! in a copy of the message, and the copy verifies.
//!
//! The body of an unverified message is parsed here, within limits. No parsed data leaves this module: an explanation
//! contains only fixed texts.

mod bytes;
mod json_forms;
mod signature_text;
mod wrapping;

use std::collections::HashSet;

use crate::cause::Cause;
use crate::error::Result;
use crate::keys::{PublicKey, Signature};
use crate::verified::{Trust, without_blanks};

/// The largest number of further keys that are tried.
const OTHER_KEYS: usize = 12;

/// The largest number of signed contents that are tried, each with every trusted key.
const CONTENTS: usize = 60;

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
        self.finding.cause
    }

    /// The exact fault and its remedy, for a developer. The text contains nothing of the message. The wording
    /// can change in any version.
    pub fn hint(&self) -> String {
        let (on_webhook, on_request) = self.finding.cause.advice();
        let advice = match self.direction {
            Direction::Webhook => self.finding.remedy.unwrap_or(on_webhook),
            Direction::Request => on_request,
        };
        [self.finding.what, " ", advice].concat()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Finding {
    cause: Cause,
    what: &'static str,
    /// What the receiver of a webhook can do, if the cause's own advice does not say it.
    remedy: Option<&'static str>,
}

impl Finding {
    const fn new(cause: Cause, what: &'static str) -> Finding {
        Finding { cause, what, remedy: None }
    }

    const fn changed(what: &'static str) -> Finding {
        Finding::new(Cause::BodyChanged, what)
    }

    const fn with_remedy(self, remedy: &'static str) -> Finding {
        Finding { remedy: Some(remedy), ..self }
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
    /// `invalid_argument` without a trusted key, or if a trusted key id is the receiver's own or cannot be one.
    /// `invalid_key` if a trusted key is the merchant's own key.
    pub fn of_webhooks(keys: Keys) -> Result<Explainer> {
        Explainer::new(keys, Direction::Webhook)
    }

    /// Makes an explainer for senders of requests. This explainer also reports a missing key id.
    pub fn of_requests(keys: Keys) -> Result<Explainer> {
        Explainer::new(keys, Direction::Request)
    }

    pub(crate) fn of(trust: &Trust) -> Explainer {
        Explainer { trust: trust.clone(), others: Vec::new(), direction: Direction::Webhook }
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
    /// headers with commas. An explanation tries at most 60 contents.
    pub fn explain(&self, body: &[u8], signature: Option<&str>, key_id: Option<&str>) -> Option<Explanation> {
        self.explain_with_signed_bytes(body, signature, key_id).map(|(explanation, _)| explanation)
    }

    /// Explains a message. This also returns the bytes that a trusted key signed instead of the body, if they were
    /// found. Unlike an explanation, these bytes contain data of the message: show them only to the sender.
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
        let (finding, signed) = self.find(body, signature.unwrap_or_default(), key_id)?;
        Some((Explanation { finding, direction: self.direction }, signed))
    }

    /// The finding, and the bytes that were signed instead of the body, if these bytes are known.
    fn find(&self, body: &[u8], signature: &str, key_id: Option<&str>) -> Option<(Finding, Option<Vec<u8>>)> {
        let signature = match signature_text::read(signature) {
            Ok(signature) => signature,
            Err(finding) => return Some((finding, None)),
        };
        if let Some(what) = self.wrong_key_id(key_id) {
            return Some((Finding::new(Cause::KeyId, what), None));
        }
        let signed_by = |key: &PublicKey| key.verifies_uncounted(body, &signature);
        if self.trust.server_public_keys.iter().any(signed_by) {
            return None;
        }
        if self.trust.own_key.as_ref().is_some_and(signed_by) {
            return Some((Finding::new(Cause::OwnKey, "The merchant's own key signed the message."), None));
        }
        if self.others.iter().take(OTHER_KEYS).any(signed_by) {
            return Some((Finding::new(Cause::WrongKey, "Another known key signed the message."), None));
        }
        if body.len() > LARGEST_BODY {
            let what = "The body has more than 64 KiB and was not analysed.";
            return Some((Finding::new(Cause::NotExplained, what), None));
        }
        let mut contents = Contents::new(&self.trust.server_public_keys, &signature);
        let finding = bytes::undone(body, &mut contents)
            .or_else(|| wrapping::undone(body, &mut contents))
            .or_else(|| json_forms::undone(body, &mut contents))
            .or_else(|| wrapping::inspected(body))
            .unwrap_or(Finding::new(Cause::NotExplained, "No known change explains the signature."));
        Some((finding, contents.signed))
    }

    /// A fault that the header `X-KeyId` alone shows.
    fn wrong_key_id(&self, key_id: Option<&str>) -> Option<&'static str> {
        match key_id.map(without_blanks).filter(|id| !id.is_empty()) {
            None if self.direction == Direction::Request => Some("X-KeyId is missing."),
            None => None,
            Some(key_id) if self.trust.is_own_key_id(key_id) => {
                Some("X-KeyId is the receiver's own key id, which a sender never uses.")
            }
            Some(key_id) if !self.trust.accepts_key_id(key_id) => Some("X-KeyId is not a known key id."),
            Some(_) => None,
        }
    }
}

/// Tries which content a trusted key signed.
struct Contents<'a> {
    keys: &'a [PublicKey],
    signature: &'a Signature,
    tried: HashSet<Vec<u8>>,
    signed: Option<Vec<u8>>,
}

impl<'a> Contents<'a> {
    fn new(keys: &'a [PublicKey], signature: &'a Signature) -> Contents<'a> {
        Contents { keys, signature, tried: HashSet::new(), signed: None }
    }

    /// `false` also if too many contents were tried.
    fn signed(&mut self, content: &[u8]) -> bool {
        let is_new = !self.is_exhausted() && self.tried.insert(content.to_vec());
        let signed = is_new && self.keys.iter().any(|key| key.verifies_uncounted(content, self.signature));
        if signed {
            self.signed = Some(content.to_vec());
        }
        signed
    }

    fn is_exhausted(&self) -> bool {
        self.tried.len() >= CONTENTS
    }
}

#[cfg(test)]
mod tests;
