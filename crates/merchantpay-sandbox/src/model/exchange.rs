//! One signed exchange with the merchant: the bytes of a request and its reply.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

use crate::base::clock::Millis;
use crate::base::json::Object;

/// The number of bytes that are kept of a body.
const LONGEST_BODY: usize = 64 * 1024;

/// The beginning of a body, and its size.
#[derive(Clone)]
pub(crate) struct CapturedBody {
    pub(crate) bytes: Bytes,
    pub(crate) size: usize,
}

impl CapturedBody {
    pub(crate) fn new(bytes: &Bytes) -> CapturedBody {
        // A slice would keep the whole buffer of its connection in memory.
        let kept = Bytes::copy_from_slice(&bytes[..bytes.len().min(LONGEST_BODY)]);
        CapturedBody { bytes: kept, size: bytes.len() }
    }
}

/// A copy of the headers, which does not keep the connection's buffer in memory.
pub(crate) fn captured_headers(headers: &HeaderMap) -> HeaderMap {
    let copied = |(name, value): (&HeaderName, &HeaderValue)| {
        // A value that was received is always valid.
        let value = HeaderValue::from_bytes(value.as_bytes()).ok()?;
        Some((name.clone(), value))
    };
    let mut captured = HeaderMap::new();
    for (name, value) in headers.iter().filter_map(copied) {
        captured.append(name, value);
    }
    captured
}

/// One request of the merchant, and the reply to it.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) id: u64,
    pub(crate) at: Millis,
    pub(crate) duration: Duration,
    pub(crate) method: Method,
    pub(crate) endpoint: Endpoint,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
    /// `true` if the sandbox acted as the merchant.
    pub(crate) played: bool,
    pub(crate) signature: SignatureCheck,
    /// `None` if the connection closed without a reply.
    pub(crate) reply: Option<CapturedReply>,
    pub(crate) fault: Option<&'static str>,
}

/// The endpoint of a request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Operation(&'static str),
    /// The beginning of an unknown path.
    Other(String),
}

impl Endpoint {
    pub(crate) fn operation(&self) -> Option<&'static str> {
        match self {
            Endpoint::Operation(operation) => Some(operation),
            Endpoint::Other(_) => None,
        }
    }
}

/// The check of the merchant's signature.
#[derive(Clone)]
pub(crate) enum SignatureCheck {
    Verified,
    Refused(Refused),
    /// The service read only a part of the request, so it checked no signature and made no reply.
    NotMade,
}

/// The details of a refused signature.
#[derive(Clone, Default)]
pub(crate) struct Refused {
    /// The name of the cause, and the hint.
    pub(crate) explanation: Option<(&'static str, String)>,
    /// The bytes that the merchant signed, if the cause is a changed body.
    pub(crate) signed: Option<CapturedBody>,
    /// The position of the first byte that differs between the signed bytes and the body.
    pub(crate) first_difference: Option<usize>,
}

/// A reply as it was sent.
#[derive(Clone)]
pub(crate) struct CapturedReply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
}

impl Exchange {
    /// The payment's order id. It is parsed only on demand, to keep `/status` fast.
    pub(crate) fn order_id(&self) -> Option<String> {
        let named = |body: &[u8]| Object::parse(body)?.string("orderId").ok()?;
        if self.endpoint == Endpoint::Operation("attachReceipt") {
            return order_id_of_form(&self.body.bytes);
        }
        named(&self.body.bytes).or_else(|| named(&self.reply.as_ref()?.body.bytes))
    }

    /// Returns `true` if the merchant got no reply, or a reply that is not a success.
    pub(crate) fn is_refused(&self) -> bool {
        !matches!(self.signature, SignatureCheck::Verified)
            || self.reply.as_ref().is_none_or(|reply| !(200..300).contains(&reply.status))
    }

    pub(crate) fn captured_bytes(&self) -> usize {
        let signed = match &self.signature {
            SignatureCheck::Refused(refused) => {
                refused.signed.as_ref().map_or(0, |signed| signed.bytes.len())
            }
            _ => 0,
        };
        signed + self.body.bytes.len() + self.reply.as_ref().map_or(0, |reply| reply.body.bytes.len())
    }
}

/// The `orderId` of a form, if it is near the beginning.
fn order_id_of_form(form: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&form[..form.len().min(2048)]).into_owned();
    let value = text.split("name=\"orderId\"").nth(1)?.split("\r\n\r\n").nth(1)?;
    value.split("\r\n").next().map(str::to_owned)
}
