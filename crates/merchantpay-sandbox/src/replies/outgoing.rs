//! A reply of the merchant API as sent, signed or not.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use crate::faults::stalled_requests::{HalfBody, StalledRequests};
use crate::model::fault::Fault;

#[derive(Clone)]
pub(crate) struct OutgoingReply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// The values of `X-KeyId` and `X-Signature`.
pub(crate) type SignatureHeaders<'a> = (&'a str, &'a str);

impl OutgoingReply {
    pub(crate) fn new(status: u16, signature: Option<SignatureHeaders<'_>>, body: String) -> OutgoingReply {
        let mut headers = HeaderMap::with_capacity(3);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in signature
            .into_iter()
            .flat_map(|(key_id, signature)| [("x-keyid", key_id), ("x-signature", signature)])
        {
            // A key id that no header can contain is left out, and the merchant rejects the reply.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        }
        OutgoingReply { status, headers, body: Bytes::from(body) }
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        response
    }

    /// A response with the whole head, which announces the whole body, but with only half of the body.
    pub(crate) fn into_half_response(mut self, stalled: &StalledRequests) -> Response<Body> {
        self.headers.insert(header::CONTENT_LENGTH, self.body.len().into());
        let half = self.body.split_to(self.body.len() / 2);
        let stall = stalled.enter(&Fault::StallMidReply);
        self.into_response().map(|_| HalfBody::body(half, stall))
    }
}
