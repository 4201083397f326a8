//! What the journal keeps of a merchant's request.

use std::fmt;

use merchantpay::Amount;
use ring::hmac;

#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    pub sum: Amount,
    /// The payment is requested by `/new-async`.
    pub asynchronous: bool,
    /// The fields that must be equal in a repeated request, as one text. It is never stored.
    pub fields: String,
}

impl Request {
    /// The hash that is stored instead of the fields. It is keyed with the attempt's token, so that equal
    /// requests of two customers differ.
    pub fn hash(&self, token: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes());
        let tag = hmac::sign(&key, self.fields.as_bytes());
        tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Request");
        shown.field("sum", &self.sum).field("asynchronous", &self.asynchronous).finish_non_exhaustive()
    }
}
