//! Verifies messages. Only this module turns bytes into a verified message. Before that, only the module
//! `explain` parses a message.

use crate::error::{Error, Result};
use crate::json::Object;
use crate::keys::{PublicKey, Signature};
use crate::setting_text::{TextRule, clean};

#[derive(Debug, Clone)]
pub(crate) struct Trust {
    pub(crate) server_public_keys: Vec<PublicKey>,
    server_key_ids: Vec<String>,
    own_key_id: Option<String>,
    /// The merchant's own key. This key is never trusted. It is only used to explain why a message that was
    /// signed with this key is refused.
    pub(crate) own_key: Option<PublicKey>,
}

/// Bytes with a verified signature. Only [`Trust::verify`] makes this type.
pub(crate) struct Verified<'a>(&'a [u8]);

pub(crate) fn is_visible_ascii(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

impl Trust {
    pub(crate) fn new(
        server_public_keys: Vec<PublicKey>,
        server_key_ids: Vec<String>,
        own_key_id: Option<String>,
    ) -> Result<Trust> {
        let id = |name, id: String| clean(name, TextRule::KeyId, &id).map(str::to_owned);
        let mut server_key_ids =
            server_key_ids.into_iter().map(|text| id("server_key_id", text)).collect::<Result<Vec<_>>>()?;
        server_key_ids.retain(|id| !id.is_empty());
        let own_key_id = own_key_id.map(|text| id("key_id", text)).transpose()?;
        if server_public_keys.is_empty() {
            return Err(Error::about("server_public_key", "is missing"));
        }
        if own_key_id.as_ref().is_some_and(|own| server_key_ids.contains(own)) {
            let fault = "is the merchant's own key id: set the service's key id";
            return Err(Error::about("server_key_id", fault));
        }
        // Any other id can never be in a header, so each reply about a payment that exists would be unverified.
        if !server_key_ids.iter().all(|id| is_visible_ascii(id)) {
            return Err(Error::about("server_key_id", "must be visible ASCII without spaces"));
        }
        Ok(Trust { server_public_keys, server_key_ids, own_key_id, own_key: None })
    }

    /// Refuses the merchant's own key as a key of the service, and keeps it for explanations.
    pub(crate) fn with_own_key(mut self, own: PublicKey) -> Result<Trust> {
        if self.server_public_keys.contains(&own) {
            let fault = "is the merchant's own public key: set the service's public key";
            return Err(Error::about("server_public_key", fault).into_invalid_key());
        }
        self.own_key = Some(own);
        Ok(self)
    }

    pub(crate) fn is_own_key_id(&self, key_id: &str) -> bool {
        self.own_key_id.as_deref() == Some(key_id)
    }

    /// If no key ids are configured, every key id is accepted. [`verify`](Trust::verify) refuses the
    /// merchant's own key id before it calls this function.
    pub(crate) fn accepts_key_id(&self, key_id: &str) -> bool {
        self.server_key_ids.is_empty() || self.server_key_ids.iter().any(|known| known == key_id)
    }

    /// Accepts signatures of one key with any key id.
    pub(crate) fn one(server_public_key: PublicKey) -> Trust {
        Trust {
            server_public_keys: vec![server_public_key],
            server_key_ids: Vec::new(),
            own_key_id: None,
            own_key: None,
        }
    }

    /// Accepts `body` if `signature` was made by one of the service's keys over exactly these bytes.
    ///
    /// `signature` and `key_id` are values of headers: spaces and tabs around them are ignored (RFC 9110,
    /// section 5.5). A key id is not signed: it can cause a refusal, but never an acceptance. If
    /// `key_id_required` is set and key ids of the service are configured, a message without a key id is
    /// refused.
    pub(crate) fn verify<'a>(
        &self,
        body: &'a [u8],
        signature: &str,
        key_id: Option<&str>,
        key_id_required: bool,
    ) -> Result<Verified<'a>> {
        match key_id.map(without_blanks).filter(|id| !id.is_empty()) {
            Some(key_id) if self.is_own_key_id(key_id) => {
                return Err(Error::unverified(
                    "X-KeyId is the merchant's own key id, not a key id of the service",
                ));
            }
            Some(key_id) if !self.accepts_key_id(key_id) => {
                return Err(Error::unverified("X-KeyId is not one of the configured server key ids"));
            }
            None if key_id_required && !self.server_key_ids.is_empty() => {
                return Err(Error::unverified("X-KeyId is missing"));
            }
            _ => {}
        }
        let signature = without_blanks(signature);
        let Some(signature) = Signature::from_base64(signature) else {
            let is_missing = signature.is_empty();
            return Err(Error::unverified(if is_missing {
                "X-Signature is missing"
            } else {
                "the signature is not the standard base64 of 64 bytes"
            }));
        };
        if self.server_public_keys.iter().any(|key| key.verifies(body, &signature)) {
            return Ok(Verified(body));
        }
        Err(Error::unverified("the signature does not verify under any configured server public key"))
    }
}

/// The value of a header without the spaces and tabs around it (RFC 9110, section 5.5).
pub(crate) fn without_blanks(value: &str) -> &str {
    value.trim_matches([' ', '\t'])
}

impl<'a> Verified<'a> {
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn object(&self) -> Result<Object<'a>> {
        Object::parse(self.0).map_err(|fault| self.malformed(&fault))
    }

    pub(crate) fn malformed(&self, fault: &str) -> Error {
        Error::malformed(format!("the message is signed by the service but violates the contract: {fault}"))
            .with_body(self.0)
    }
}
