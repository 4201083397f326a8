//! The merchants: their key ids, and the keys that must sign their requests.

use axum::http::HeaderMap;
use merchantpay::{Error, Explainer, Keys, PublicKey, Signature};

use crate::model::exchange::{CapturedBody, Refused};
use crate::model::merchant_keys::MerchantKeys;

pub(crate) struct Merchant {
    pub(crate) keys: MerchantKeys,
    explainer: Explainer,
}

/// All merchants of a sandbox. A payment has the number of its merchant; the first merchant has the number 0.
pub(crate) struct Merchants {
    pub(crate) first: Merchant,
    others: Vec<Merchant>,
}

impl Merchants {
    /// Makes the merchants with these keys. `others` are the sandbox's other public keys. With them the
    /// sandbox recognises a request that a merchant signed with a wrong private key by mistake.
    pub(crate) fn new(
        first: MerchantKeys,
        further: Vec<MerchantKeys>,
        server_key_id: &str,
        others: &[PublicKey],
    ) -> Result<Merchants, Error> {
        let all: Vec<PublicKey> =
            std::iter::once(&first).chain(&further).map(|keys| keys.public_key).collect();
        let merchant = |keys: MerchantKeys| {
            let own = keys.public_key;
            let explainer = Explainer::of_requests(Keys {
                trusted: vec![own],
                trusted_key_ids: vec![keys.key_id.clone()],
                own_key_id: Some(server_key_id.to_owned()),
                others: others.iter().chain(&all).copied().filter(|key| *key != own).collect(),
                ..Keys::default()
            })?;
            Ok(Merchant { keys, explainer })
        };
        let others = further.into_iter().map(merchant).collect::<Result<_, Error>>()?;
        Ok(Merchants { first: merchant(first)?, others })
    }

    /// The same merchants, but the merchant with this number has another public key.
    pub(crate) fn with_public_key(
        &self,
        number: usize,
        public_key: PublicKey,
        server_key_id: &str,
        others: &[PublicKey],
    ) -> Result<Merchants, Error> {
        let keys = self.iter().enumerate().map(|(other, merchant)| {
            if other == number {
                MerchantKeys { key_id: merchant.keys.key_id.clone(), public_key, private_key: None }
            } else {
                merchant.keys.clone()
            }
        });
        let mut further: Vec<MerchantKeys> = keys.collect();
        let first = further.remove(0);
        Merchants::new(first, further, server_key_id, others)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Merchant> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The number of the merchant who signed exactly these bytes (contract, section 5), or the cause of the
    /// refusal.
    pub(crate) fn signer(&self, headers: &HeaderMap, body: &[u8]) -> Result<usize, Refused> {
        let key_id = joined(headers, "x-keyid");
        let named =
            self.iter().enumerate().find(|(_, merchant)| Some(&merchant.keys.key_id) == key_id.as_ref());
        let (number, merchant) = named.unwrap_or((0, &self.first));
        if named.is_some() && merchant.has_signed(headers, body) {
            return Ok(number);
        }
        let signature = joined(headers, "x-signature");
        let explained =
            merchant.explainer.explain_with_signed_bytes(body, signature.as_deref(), key_id.as_deref());
        let (explanation, signed) = explained.unzip();
        let signed = signed.flatten();
        Err(Refused {
            explanation: explanation.map(|explanation| (explanation.cause().name(), explanation.hint())),
            first_difference: signed.as_ref().map(|signed| first_difference(signed, body)),
            signed: signed.map(|signed| CapturedBody::new(&signed.into())),
        })
    }
}

impl Merchant {
    fn has_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let mut signatures = headers.get_all("x-signature").iter();
        let signature = signatures.next().filter(|_| signatures.next().is_none());
        let signature = signature.and_then(|text| Signature::from_base64(text.to_str().ok()?));
        signature.is_some_and(|signature| self.keys.public_key.verifies(body, &signature))
    }
}

/// The value of a header. The values of a repeated header are joined, as proxies do, so that no single value
/// is used.
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
