//! Signs replies with the service's key, and causes the planned faults.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::app::merchant::ServerKeys;
use crate::base::json::{Value, object};
use crate::model::fault::Fault;
use crate::replies::outgoing::OutgoingReply;
use crate::replies::unsigned::Reply;

pub(crate) struct ReplySigner {
    pub(crate) keys: ServerKeys,
}

impl ReplySigner {
    pub(crate) fn sign(&self, reply: Reply) -> OutgoingReply {
        let signature = self.keys.key.sign(reply.body.as_bytes()).to_base64();
        OutgoingReply::new(reply.status, Some((&self.keys.key_id, &signature)), reply.body)
    }

    /// The reply with a fault; `None` if the connection closes without a reply.
    pub(crate) fn sign_with_fault(
        &self,
        fault: Fault,
        request: &HeaderMap,
        reply: Reply,
    ) -> Option<OutgoingReply> {
        let signature = self.keys.key.sign(reply.body.as_bytes()).to_base64();
        let signed = Some((self.keys.key_id.as_str(), signature.as_str()));
        let header = |name: &str| request.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Some(match fault {
            Fault::Unsigned => OutgoingReply::new(reply.status, None, reply.body),
            Fault::MalformedSignature => {
                OutgoingReply::new(reply.status, Some((&self.keys.key_id, "not-a-signature")), reply.body)
            }
            Fault::WrongKey => {
                let forged = self.keys.wrong_key.sign(reply.body.as_bytes()).to_base64();
                OutgoingReply::new(reply.status, Some((&self.keys.key_id, &forged)), reply.body)
            }
            // With one more space, the JSON has the same meaning, but the bytes are not the signed bytes.
            Fault::Tampered => OutgoingReply::new(reply.status, signed, format!("{} ", reply.body)),
            Fault::Reflected => {
                OutgoingReply::new(reply.status, Some((header("x-keyid"), header("x-signature"))), reply.body)
            }
            Fault::HtmlBadGateway => bad_gateway(),
            Fault::WrongOrder => self.sign(Reply {
                status: 200,
                body: object(&[("success", Value::Flag(true)), ("orderId", Value::text("sb-another"))]),
            }),
            Fault::DuplicateKeys => {
                let body = reply.body.replacen('{', "{\"success\":true,", 1);
                self.sign(Reply { status: reply.status, body })
            }
            Fault::Redirect => {
                let mut redirect = self.sign(Reply { status: 307, body: reply.body });
                redirect.headers.insert(header::LOCATION, HeaderValue::from_static("/elsewhere"));
                redirect
            }
            Fault::Oversized(size) => {
                let body = format!("{}{}", reply.body, " ".repeat(size.saturating_sub(reply.body.len())));
                self.sign(Reply { status: reply.status, body })
            }
            Fault::DropBeforeCommit | Fault::DropAfterCommit => return None,
            Fault::Latency(_)
            | Fault::StallUnread
            | Fault::StallBeforeCommit
            | Fault::StallAfterCommit
            | Fault::StallMidReply => self.sign(reply),
        })
    }
}

/// A proxy's page in place of the reply.
fn bad_gateway() -> OutgoingReply {
    let page = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>";
    let mut reply = OutgoingReply::new(502, None, page.to_owned());
    reply.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    reply
}
