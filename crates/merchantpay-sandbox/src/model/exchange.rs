//! One signed exchange with the merchant: the bytes of a request and of its reply.

use axum::body::Bytes;
use axum::http::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::base::clock::{Millis, timestamp};
use crate::model::fault::Fault;
use crate::model::state::By;

const LONGEST_BODY: usize = 64 * 1024;

/// The beginning of a body, and its size.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Readable", into = "Readable")]
pub(crate) struct Captured {
    pub(crate) bytes: Bytes,
    pub(crate) size: usize,
}

/// Bytes in JSON: as text if they are UTF-8, and always in base64.
#[derive(Serialize, Deserialize)]
struct Readable {
    size: usize,
    truncated: bool,
    text: Option<String>,
    base64: String,
}

impl Captured {
    pub(crate) fn new(bytes: &[u8]) -> Captured {
        // A slice of `Bytes` would keep the whole buffer of its connection in memory.
        let kept = Bytes::copy_from_slice(&bytes[..bytes.len().min(LONGEST_BODY)]);
        Captured { bytes: kept, size: bytes.len() }
    }
}

impl From<Captured> for Readable {
    fn from(captured: Captured) -> Readable {
        Readable {
            size: captured.size,
            truncated: captured.bytes.len() < captured.size,
            text: std::str::from_utf8(&captured.bytes).ok().map(str::to_owned),
            base64: STANDARD.encode(&captured.bytes),
        }
    }
}

impl TryFrom<Readable> for Captured {
    type Error = base64::DecodeError;

    fn try_from(readable: Readable) -> Result<Captured, base64::DecodeError> {
        Ok(Captured { bytes: STANDARD.decode(readable.base64)?.into(), size: readable.size })
    }
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Message {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) http_status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) key_id: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) body: Captured,
}

impl Message {
    pub(crate) fn new(headers: &HeaderMap, body: Captured) -> Message {
        let first = |name: &str| headers.get(name).map(|value| text(value.as_bytes()));
        let (key_id, signature) = (first("x-keyid"), first("x-signature"));
        Message { headers: header_list(headers), key_id, signature, body, ..Message::default() }
    }
}

pub(crate) fn header_list(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation {
    pub(crate) cause: &'static str,
    pub(crate) hint: String,
    /// What the merchant signed, if the body was changed afterwards.
    pub(crate) signed: Option<Captured>,
    pub(crate) first_difference: Option<usize>,
}

#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExchangeSummary {
    pub(crate) id: u64,
    #[serde(with = "timestamp")]
    pub(crate) at: Millis,
    pub(crate) duration_ms: u64,
    pub(crate) method: String,
    pub(crate) path: String,
    /// `None` for a path that is not an endpoint.
    pub(crate) operation: Option<&'static str>,
    pub(crate) by: By,
    pub(crate) order_id: Option<String>,
    /// `None` if the sandbox read only a part of the request.
    pub(crate) verified: Option<bool>,
    pub(crate) cause: Option<&'static str>,
    /// `None` if the connection closed without a reply.
    pub(crate) http_status: Option<u16>,
    pub(crate) fault: Option<Fault>,
}

#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exchange {
    #[serde(flatten)]
    pub(crate) summary: ExchangeSummary,
    pub(crate) explanation: Option<Explanation>,
    pub(crate) request: Message,
    pub(crate) reply: Option<Message>,
}

impl ExchangeSummary {
    pub(crate) fn is_refused(&self) -> bool {
        self.verified != Some(true) || self.http_status.is_none_or(|status| !(200..300).contains(&status))
    }
}

impl Exchange {
    pub(crate) fn captured_bytes(&self) -> usize {
        let signed = self.explanation.as_ref().and_then(|explanation| explanation.signed.as_ref());
        let bodies = [signed, Some(&self.request.body), self.reply.as_ref().map(|reply| &reply.body)];
        bodies.into_iter().flatten().map(|body| body.bytes.len()).sum()
    }
}

/// The `orderId` in a body of JSON, or near the beginning of a form.
pub(crate) fn order_id_in(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        order_id: String,
    }
    if let Ok(Named { order_id }) = serde_json::from_slice(body) {
        return Some(order_id);
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(2048)]);
    let value = text.split("name=\"orderId\"").nth(1)?.split("\r\n\r\n").nth(1)?;
    value.split("\r\n").next().map(str::to_owned)
}
