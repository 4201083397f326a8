//! The one place where bytes become the service's word: nothing is parsed before it went through here.

use std::fmt;

use crate::error::{Error, Result};
use crate::json::Object;
use crate::keys::{PublicKey, Signature, TrustedKey};
use crate::operation::ReadObject;

/// Whose signatures are believed.
#[derive(Clone)]
pub(crate) struct Trust {
    server_public_keys: Vec<TrustedKey>,
    server_key_ids: Vec<String>,
    own_key_id: Option<String>,
}

/// Bytes whose signature holds. Only [`Trust::verify`] makes them.
pub(crate) struct Verified<'a>(&'a [u8]);

impl Trust {
    /// # Errors
    ///
    /// `invalid_argument` without a key, or if an id is empty or the merchant's own.
    pub(crate) fn new(
        server_public_keys: Vec<PublicKey>,
        server_key_ids: Vec<String>,
        own_key_id: Option<String>,
    ) -> Result<Trust> {
        if server_public_keys.is_empty() {
            return Err(Error::invalid_argument("the service's public key is missing"));
        }
        if own_key_id.as_ref().is_some_and(|own| server_key_ids.contains(own)) {
            return Err(Error::invalid_argument(
                "the service's key id is the merchant's own: they always differ",
            ));
        }
        if server_key_ids.iter().any(String::is_empty) {
            return Err(Error::invalid_argument("the service's key id must not be empty"));
        }
        let server_public_keys = server_public_keys.into_iter().map(TrustedKey::from).collect();
        Ok(Trust { server_public_keys, server_key_ids, own_key_id })
    }

    /// # Errors
    ///
    /// `invalid_key` if the merchant's own key stands for the service's.
    pub(crate) fn refuse_key(&self, own: PublicKey) -> Result<()> {
        if self.server_public_keys.iter().any(|trusted| trusted.key() == own) {
            return Err(Error::invalid_key(
                "the service's public key is the merchant's own: they always differ",
            ));
        }
        Ok(())
    }

    /// Believes one key, whatever its id.
    pub(crate) fn one(server_public_key: PublicKey) -> Trust {
        Trust {
            server_public_keys: vec![server_public_key.into()],
            server_key_ids: Vec::new(),
            own_key_id: None,
        }
    }

    /// Believes `body` if `signature` is one of the service's keys' over exactly these bytes.
    ///
    /// Both texts are values of headers: blanks and tabs around them are not theirs (RFC 9110, section 5.5).
    /// A key id is not signed: it can only make a message be refused, never be believed. A missing one is
    /// refused where `key_id_required` and the service's ids are configured.
    pub(crate) fn verify<'a>(
        &self,
        body: &'a [u8],
        signature: &str,
        key_id: Option<&str>,
        key_id_required: bool,
    ) -> Result<Verified<'a>> {
        match key_id.map(without_blanks) {
            Some(key_id) if self.own_key_id.as_deref() == Some(key_id) => {
                return Err(Error::unverified("it carries the merchant's own key id, not the service's"));
            }
            Some(key_id)
                if !self.server_key_ids.is_empty()
                    && !self.server_key_ids.iter().any(|known| known == key_id) =>
            {
                return Err(Error::unverified("its key id is not one of the service's that are configured"));
            }
            None if key_id_required && !self.server_key_ids.is_empty() => {
                return Err(Error::unverified("it carries no X-KeyId"));
            }
            _ => {}
        }
        let signature = Signature::from_base64(without_blanks(signature))
            .ok_or_else(|| Error::unverified("its signature is not the standard base64 of 64 bytes"))?;
        if self.server_public_keys.iter().any(|key| key.verifies(body, &signature)) {
            return Ok(Verified(body));
        }
        Err(Error::unverified("its signature does not verify under the service's public key"))
    }
}

fn without_blanks(value: &str) -> &str {
    value.trim_matches([' ', '\t'])
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust").field("server_public_keys", &self.server_public_keys).finish_non_exhaustive()
    }
}

impl<'a> Verified<'a> {
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Reads the bytes as one JSON object.
    pub(crate) fn object(&self) -> Result<ReadObject<'a>> {
        let object = Object::parse(self.0).map_err(|fault| self.malformed(&fault))?;
        // `parse` has checked that it is UTF-8.
        let json = std::str::from_utf8(self.0).map_err(|_| self.malformed("it is not UTF-8"))?;
        Ok(ReadObject { object, json })
    }

    /// The bytes are the service's, but not what the contract says.
    pub(crate) fn malformed(&self, fault: &str) -> Error {
        Error::malformed(format!("it is signed by the service but not what the contract says: {fault}"))
            .with_body(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keypair;

    #[test]
    fn debug_shows_the_trusted_keys() {
        let key = Keypair::generate().unwrap().public_key();
        assert_eq!(
            format!("{:?}", Trust::one(key)),
            format!("Trust {{ server_public_keys: [{key:?}], .. }}")
        );
    }
}
