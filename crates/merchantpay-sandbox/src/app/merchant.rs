//! The merchant: its key id, and the key that must sign its requests.

use std::io;

use axum::http::HeaderMap;
use merchantpay::{Error, Explainer, Keypair, Keys, PrivateKey, PublicKey, Signature};

use crate::base::options::Options;
use crate::model::exchange::{Captured, Explanation};
use crate::model::keys::ServerKeys;
use crate::stores::database::Database;

/// The key id of a merchant whose keys the sandbox made.
const KEY_ID: &str = "sandbox-merchant";

pub(crate) struct Merchant {
    pub(crate) key_id: String,
    pub(crate) public_key: PublicKey,
    /// `None` if the merchant gave its public key.
    pub(crate) private_key: Option<PrivateKey>,
    explainer: Explainer,
}

/// The service's keys: of the options, of the database, or new ones.
pub(crate) fn server_keys(options: &Options, database: &Database) -> io::Result<ServerKeys> {
    let key = match &options.server_private_key {
        Some(key) => key.clone(),
        None => saved_key(database, "serverPrivateKey")?,
    };
    Ok(ServerKeys { key_id: options.server_key_id.clone(), key, wrong_key: new_key()? })
}

impl Merchant {
    /// The merchant of the options, of the database, or a new one.
    pub(crate) fn load(options: &Options, database: &Database, server: &ServerKeys) -> io::Result<Merchant> {
        let merchant = match (&options.merchant, database.setting("merchantPublicKey")) {
            (Some((key_id, public_key)), _) => Merchant::new(key_id.clone(), *public_key, None, server),
            (None, Some(text)) => {
                let public_key = PublicKey::from_base64(&text).map_err(io::Error::other)?;
                Merchant::new(KEY_ID.to_owned(), public_key, None, server)
            }
            (None, None) => {
                let key = saved_key(database, "merchantPrivateKey")?;
                Merchant::new(KEY_ID.to_owned(), key.public_key(), Some(key), server)
            }
        };
        let merchant = merchant.map_err(io::Error::other)?;
        if merchant.key_id == server.key_id || merchant.public_key == server.key.public_key() {
            let why = "the merchant's key and key id must differ from the service's";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(merchant)
    }

    fn new(
        key_id: String,
        public_key: PublicKey,
        private_key: Option<PrivateKey>,
        server: &ServerKeys,
    ) -> Result<Merchant, Error> {
        let explainer = Explainer::of_requests(Keys {
            trusted: vec![public_key],
            trusted_key_ids: vec![key_id.clone()],
            own_key_id: Some(server.key_id.clone()),
            // By these the sandbox recognises a request that was signed with a wrong key by mistake.
            others: [&server.key, &server.wrong_key].map(PrivateKey::public_key).to_vec(),
            ..Keys::default()
        })?;
        Ok(Merchant { key_id, public_key, private_key, explainer })
    }

    /// The same merchant with another public key, which the next run also uses. The sandbox gets no private
    /// key.
    pub(crate) fn with_public_key(
        &self,
        public_key: PublicKey,
        database: &Database,
        server: &ServerKeys,
    ) -> Result<Merchant, &'static str> {
        if [&server.key, &server.wrong_key].map(PrivateKey::public_key).contains(&public_key) {
            return Err("this is the public key of the service");
        }
        let merchant = Merchant::new(self.key_id.clone(), public_key, None, server)
            .map_err(|_| "the sandbox cannot verify with this public key")?;
        database.save_setting("merchantPublicKey", &public_key.to_base64());
        Ok(merchant)
    }

    /// Checks that the merchant signed exactly these bytes (contract, section 5). The error is the cause of the
    /// refusal.
    pub(crate) fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<(), Option<Explanation>> {
        let key_id = joined(headers, "x-keyid");
        if key_id.as_ref() == Some(&self.key_id) && self.has_signed(headers, body) {
            return Ok(());
        }
        let signature = joined(headers, "x-signature");
        let explained =
            self.explainer.explain_with_signed_bytes(body, signature.as_deref(), key_id.as_deref());
        Err(explained.map(|(explanation, signed)| Explanation {
            cause: explanation.cause().name(),
            hint: explanation.hint(),
            first_difference: signed.as_ref().map(|signed| first_difference(signed, body)),
            signed: signed.map(|signed| Captured::new(&signed)),
        }))
    }

    fn has_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let mut signatures = headers.get_all("x-signature").iter();
        let signature = signatures.next().filter(|_| signatures.next().is_none());
        let signature = signature.and_then(|text| Signature::from_base64(text.to_str().ok()?));
        signature.is_some_and(|signature| self.public_key.verifies(body, &signature))
    }
}

/// The values of a repeated header are joined, as proxies do, so that no single value is used.
fn joined(headers: &HeaderMap, name: &str) -> Option<String> {
    let texts: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The position of the first byte that differs between two bodies.
fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let same = one.iter().zip(other).position(|(one, other)| one != other);
    same.unwrap_or(one.len().min(other.len()))
}

/// The saved private key with this name, or a new private key that is then saved under this name.
fn saved_key(database: &Database, name: &str) -> io::Result<PrivateKey> {
    if let Some(text) = database.setting(name) {
        return PrivateKey::from_base64(&text).map_err(io::Error::other);
    }
    let key = new_key()?;
    database.save_setting(name, &key.to_base64());
    Ok(key)
}

fn new_key() -> io::Result<PrivateKey> {
    Ok(Keypair::generate().map_err(io::Error::other)?.private_key().clone())
}
