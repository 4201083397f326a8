//! One webhook: its content, and the answer to each delivery attempt.

use crate::base::clock::Millis;
use crate::model::webhook_fault::WebhookFault;

/// The number of bytes that are kept of an answer.
pub(crate) const LONGEST_REPLY: usize = 16 * 1024;

/// The state of a webhook's delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WebhookState {
    /// Waits for an earlier webhook, a delay, or the next delivery attempt.
    Waiting,
    Delivered,
    GivenUp,
}

impl WebhookState {
    pub(crate) const ALL: [WebhookState; 3] =
        [WebhookState::Waiting, WebhookState::Delivered, WebhookState::GivenUp];

    pub(crate) fn name(self) -> &'static str {
        match self {
            WebhookState::Waiting => "waiting",
            WebhookState::Delivered => "delivered",
            WebhookState::GivenUp => "givenUp",
        }
    }
}

/// One webhook.
#[derive(Clone)]
pub(crate) struct Webhook {
    pub(crate) id: u64,
    pub(crate) at: Millis,
    pub(crate) order_id: String,
    /// The payment's `merchantId`.
    pub(crate) merchant_id: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) url: String,
    /// The values of `X-KeyId` and `X-Signature`, if they are sent.
    pub(crate) key_id: Option<String>,
    pub(crate) signature: Option<String>,
    /// The bytes that are sent.
    pub(crate) body: Vec<u8>,
    /// The payment's status in the body.
    pub(crate) status: Option<String>,
    pub(crate) fault: Option<WebhookFault>,
    pub(crate) copy_of: Option<u64>,
    pub(crate) state: WebhookState,
    pub(crate) attempts: Vec<Attempt>,
}

/// One delivery attempt.
#[derive(Clone)]
pub(crate) struct Attempt {
    pub(crate) at: Millis,
    pub(crate) duration_ms: u64,
    pub(crate) http_status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    /// The beginning of the answer's body, and the size of the whole body.
    pub(crate) body: Vec<u8>,
    pub(crate) size: usize,
    pub(crate) error: Option<String>,
}

impl Webhook {
    pub(crate) fn http_status(&self) -> Option<u16> {
        self.attempts.last().and_then(|attempt| attempt.http_status)
    }

    /// The last part of the URL's path, which identifies the payment if each payment has its own webhook URL.
    pub(crate) fn token(&self) -> Option<&str> {
        let path = self.url.split(['?', '#']).next()?.split_once("://")?.1.split_once('/')?.1;
        path.trim_end_matches('/').rsplit('/').next().filter(|token| !token.is_empty())
    }

    /// The headers of the webhook's request.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "*/*".to_owned()),
            ("user-agent", concat!("merchantpay-sandbox/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        headers.extend(self.key_id.clone().map(|key_id| ("x-keyid", key_id)));
        headers.extend(self.signature.clone().map(|signature| ("x-signature", signature)));
        headers
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn webhook(state: WebhookState) -> Webhook {
        Webhook {
            id: 0,
            at: 0,
            order_id: "sb-1".to_owned(),
            merchant_id: None,
            kind: "status",
            url: "http://127.0.0.1:1/".to_owned(),
            key_id: None,
            signature: None,
            body: Vec::new(),
            status: None,
            fault: None,
            copy_of: None,
            state,
            attempts: Vec::new(),
        }
    }

    #[test]
    fn the_token_is_the_last_part_of_the_urls_path() {
        for (url, token) in [
            ("https://shop.example/hooks/4f1c", Some("4f1c")),
            ("https://shop.example/hooks/4f1c/?a=/b#/c", Some("4f1c")),
            ("http://127.0.0.1:1/4f1c", Some("4f1c")),
            ("http://127.0.0.1:1/", None),
            ("http://127.0.0.1:1", None),
            ("http://127.0.0.1:1?a=/b", None),
        ] {
            let webhook = Webhook { url: url.to_owned(), ..webhook(WebhookState::Waiting) };
            assert_eq!(webhook.token(), token, "{url}");
        }
    }
}
