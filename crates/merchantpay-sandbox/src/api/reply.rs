//! Replies of the merchant API: signed with the service's key, and changed by faults.

use axum::body::{Body as HttpBody, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use merchantpay::Reason;

use crate::base::assumptions;
use crate::model::ServerKeys;
use crate::model::body::Body;
use crate::model::exchange::{Captured, Message};
use crate::model::fault::{Fault, PlannedFault};

pub(crate) struct Reply {
    pub(crate) status: u16,
    body: String,
    pub(crate) order_id: Option<String>,
}

pub(crate) struct Outgoing {
    pub(crate) status: u16,
    headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn new(status: u16, body: &Body<'_>) -> Reply {
        Reply { status, body: body.json(), order_id: None }
    }

    pub(crate) fn success(order_id: &str, body: &Body<'_>) -> Reply {
        Reply { order_id: Some(order_id.to_owned()), ..Reply::new(200, body) }
    }

    /// The common error body (contract, section 4).
    pub(crate) fn refusal(status: u16, description: &str) -> Reply {
        Reply::new(status, &Body::new(false).text("errorDescription", description))
    }

    pub(crate) fn reason(status: u16, reason: Reason) -> Reply {
        Reply::refusal(status, reason.text())
    }

    pub(crate) fn invalid(field: &str) -> Reply {
        Reply::refusal(assumptions::BAD_REQUEST, &format!("invalid {field}"))
    }

    /// The error of `/cancel`, which names the order (contract, section 4.5).
    pub(crate) fn not_cancelled(status: u16, reason: Reason, order_id: &str) -> Reply {
        let body = Body::new(false).text("orderId", order_id).text("errorDescription", reason.text());
        Reply::new(status, &body)
    }
}

impl ServerKeys {
    pub(crate) fn sign(&self, reply: Reply) -> Outgoing {
        let signature = self.key.sign(reply.body.as_bytes()).to_base64();
        Outgoing::new(reply.status, Some((&self.key_id, &signature)), reply.body)
    }

    /// `None` if the connection closes without a reply.
    pub(crate) fn sign_with_fault(
        &self,
        fault: &PlannedFault,
        request: &HeaderMap,
        reply: Reply,
    ) -> Option<Outgoing> {
        let signature = self.key.sign(reply.body.as_bytes()).to_base64();
        let signed = Some((self.key_id.as_str(), signature.as_str()));
        let header = |name: &str| request.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let Reply { status, body, .. } = reply;
        let again = |status, body| self.sign(Reply { status, body, order_id: None });
        Some(match fault.kind {
            Fault::Unsigned => Outgoing::new(status, None, body),
            Fault::MalformedSignature => Outgoing::new(status, Some((&self.key_id, "not-a-signature")), body),
            Fault::WrongKey => {
                let forged = self.wrong_key.sign(body.as_bytes()).to_base64();
                Outgoing::new(status, Some((&self.key_id, &forged)), body)
            }
            // One more space: the same JSON, but other bytes than the signed ones.
            Fault::Tampered => Outgoing::new(status, signed, format!("{body} ")),
            Fault::Reflected => Outgoing::new(status, Some((header("x-keyid"), header("x-signature"))), body),
            Fault::HtmlBadGateway => bad_gateway(),
            Fault::WrongOrder => again(200, Body::about("sb-another").json()),
            Fault::DuplicateKeys => again(status, body.replacen('{', "{\"success\":true,", 1)),
            Fault::Redirect => {
                let mut redirect = again(307, body);
                redirect.headers.insert(header::LOCATION, HeaderValue::from_static("/elsewhere"));
                redirect
            }
            Fault::Oversized => {
                let missing = fault.bytes.unwrap_or_default().saturating_sub(body.len());
                again(status, body + &" ".repeat(missing))
            }
            Fault::DropBeforeCommit | Fault::DropAfterCommit => return None,
            Fault::Latency | Fault::StallBeforeCommit | Fault::StallAfterCommit => again(status, body),
        })
    }
}

fn bad_gateway() -> Outgoing {
    let page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
    let mut reply = Outgoing::new(502, None, page.to_owned());
    reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    reply
}

impl Outgoing {
    /// `signature`: `X-KeyId` and `X-Signature`.
    fn new(status: u16, signature: Option<(&str, &str)>, body: String) -> Outgoing {
        let mut headers = HeaderMap::with_capacity(3);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some((key_id, signature)) = signature {
            for (name, value) in [("x-keyid", key_id), ("x-signature", signature)] {
                // Without a key id that no header can contain, the merchant rejects the reply.
                if let Ok(value) = HeaderValue::from_str(value) {
                    headers.insert(name, value);
                }
            }
        }
        Outgoing { status, headers, body: Bytes::from(body) }
    }

    pub(crate) fn captured(&self) -> Message {
        let http_status = Some(self.status);
        Message { http_status, ..Message::new(&self.headers, Captured::new(&self.body)) }
    }

    pub(crate) fn into_response(self) -> Response<HttpBody> {
        let mut response = Response::new(HttpBody::from(self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        response
    }
}
