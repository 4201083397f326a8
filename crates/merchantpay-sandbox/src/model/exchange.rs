//! One signed exchange with the merchant: a request and its reply, byte by byte.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;

use crate::base::clock::Millis;
use crate::base::json::Object;

/// How much of a body is kept.
const LONGEST_BODY: usize = 64 * 1024;

/// The beginning of a body, and its size.
#[derive(Clone)]
pub(crate) struct CapturedBody {
    pub(crate) bytes: Bytes,
    pub(crate) size: usize,
}

impl CapturedBody {
    pub(crate) fn new(bytes: &Bytes) -> CapturedBody {
        // A slice would keep the whole of a large body alive.
        let kept = if bytes.len() > LONGEST_BODY {
            Bytes::copy_from_slice(&bytes[..LONGEST_BODY])
        } else {
            bytes.clone()
        };
        CapturedBody { bytes: kept, size: bytes.len() }
    }
}

/// One request of the merchant, and the reply to it.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) id: u64,
    pub(crate) at: Millis,
    pub(crate) duration: Duration,
    pub(crate) operation: &'static str,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
    /// Whether the sandbox played the merchant.
    pub(crate) played: bool,
    /// Whether the merchant's signature was verified.
    pub(crate) verified: bool,
    /// `None` where the connection was closed.
    pub(crate) reply: Option<CapturedReply>,
    pub(crate) fault: Option<&'static str>,
}

/// A reply as it was sent.
#[derive(Clone)]
pub(crate) struct CapturedReply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: CapturedBody,
}

impl Exchange {
    /// The payment that it is about. Parsed on demand, so that `/status` does not pay for it.
    pub(crate) fn order_id(&self) -> Option<String> {
        let named = |body: &[u8]| Object::parse(body)?.string("orderId").ok()?;
        if self.operation == "attachReceipt" {
            return order_id_of_form(&self.body.bytes);
        }
        named(&self.body.bytes).or_else(|| named(&self.reply.as_ref()?.body.bytes))
    }

    /// Whether the merchant got no reply, or another one than success.
    pub(crate) fn is_refused(&self) -> bool {
        !self.verified || self.reply.as_ref().is_none_or(|reply| !(200..300).contains(&reply.status))
    }

    pub(crate) fn captured_bytes(&self) -> usize {
        self.body.bytes.len() + self.reply.as_ref().map_or(0, |reply| reply.body.bytes.len())
    }
}

/// The `orderId` of a form, if it is near the beginning.
fn order_id_of_form(form: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&form[..form.len().min(2048)]).into_owned();
    let value = text.split("name=\"orderId\"").nth(1)?.split("\r\n\r\n").nth(1)?;
    value.split("\r\n").next().map(str::to_owned)
}
