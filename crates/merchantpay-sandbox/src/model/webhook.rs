//! One webhook: its content, and the answer to each delivery attempt.

use serde::{Deserialize, Serialize};

use crate::base::clock::{Millis, timestamp};
use crate::model::exchange::{Captured, Message};

/// The number of bytes that are kept of an answer.
pub(crate) const LONGEST_REPLY: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookKind {
    Credentials,
    CredentialsFailed,
    Status,
}

impl WebhookKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            WebhookKind::Credentials => "credentials",
            WebhookKind::CredentialsFailed => "credentials_failed",
            WebhookKind::Status => "status",
        }
    }
}

/// The state of a webhook's delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WebhookState {
    /// Waits for an earlier webhook, a delay, or the next delivery attempt.
    Waiting,
    Delivered,
    GivenUp,
}

/// What is done to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum WebhookAction {
    /// Sends a past webhook once more, unchanged.
    Resend,
    /// Sends the webhook twice.
    Duplicate,
    /// Sends the webhook later.
    Delay,
    /// Sends the webhook after the payment's next webhook.
    Reorder,
    /// Changes the body after it was signed.
    Tamper,
    /// Signs with a key that is not the service's.
    WrongKey,
    /// Leaves the signature out.
    Unsigned,
}

impl WebhookAction {
    /// Every action.
    pub const ALL: [WebhookAction; 7] = [
        WebhookAction::Resend,
        WebhookAction::Duplicate,
        WebhookAction::Delay,
        WebhookAction::Reorder,
        WebhookAction::Tamper,
        WebhookAction::WrongKey,
        WebhookAction::Unsigned,
    ];
}

/// An action on a past webhook, or on a payment's next webhooks.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebhookPlan {
    #[serde(skip_deserializing)]
    pub(crate) id: u64,
    pub(crate) action: WebhookAction,
    pub(crate) delay_ms: Option<u64>,
    /// The number of next webhooks.
    #[serde(default = "once")]
    pub(crate) times: u32,
}

fn once() -> u32 {
    1
}

impl WebhookPlan {
    pub(crate) fn new(action: WebhookAction, delay_ms: Option<u64>) -> WebhookPlan {
        WebhookPlan { id: 0, action, delay_ms, times: 1 }
    }
}

/// A webhook in a list.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSummary {
    pub(crate) id: u64,
    #[serde(with = "timestamp")]
    pub(crate) at: Millis,
    pub(crate) order_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order_exists: Option<bool>,
    /// The payment's `merchantId`.
    pub(crate) merchant_id: Option<String>,
    pub(crate) kind: WebhookKind,
    pub(crate) url: String,
    /// The last part of the URL's path, which identifies the payment if each payment has its own webhook URL.
    pub(crate) token: Option<String>,
    pub(crate) state: WebhookState,
    pub(crate) action: Option<WebhookAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) delay_ms: Option<u64>,
    pub(crate) copy_of: Option<u64>,
    pub(crate) attempts: usize,
    /// The status of the last answer.
    pub(crate) http_status: Option<u16>,
    /// The payment's status in the body.
    pub(crate) status: Option<String>,
}

/// One webhook.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    #[serde(flatten)]
    pub(crate) summary: WebhookSummary,
    pub(crate) request: Message,
    pub(crate) attempt_list: Vec<Attempt>,
}

/// One delivery attempt.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    pub(crate) attempt: usize,
    #[serde(with = "timestamp")]
    pub(crate) at: Millis,
    pub(crate) duration_ms: u64,
    pub(crate) http_status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Captured,
    pub(crate) error: Option<String>,
}

impl Webhook {
    /// Adds an attempt. The webhook waits if another one follows.
    pub(crate) fn attempted(&mut self, mut attempt: Attempt, again: bool) {
        let summary = &mut self.summary;
        summary.attempts += 1;
        summary.http_status = attempt.http_status;
        summary.state = match attempt.http_status {
            Some(200..300) => WebhookState::Delivered,
            _ if again => WebhookState::Waiting,
            _ => WebhookState::GivenUp,
        };
        attempt.attempt = summary.attempts;
        self.attempt_list.push(attempt);
    }
}

/// The headers of a webhook's request.
pub(crate) fn headers(key_id: Option<&str>, signature: Option<&str>) -> Vec<(String, String)> {
    let user_agent = concat!("merchantpay-sandbox/", env!("CARGO_PKG_VERSION"));
    let headers = [
        ("content-type", Some("application/json")),
        ("accept", Some("*/*")),
        ("user-agent", Some(user_agent)),
        ("x-keyid", key_id),
        ("x-signature", signature),
    ];
    headers.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

/// The last part of a URL's path.
pub(crate) fn token(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?.split_once("://")?.1.split_once('/')?.1;
    let token = path.trim_end_matches('/').rsplit('/').next()?;
    (!token.is_empty()).then(|| token.to_owned())
}

/// A webhook whose delivery has succeeded or finally failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// `credentials`, `credentials_failed` or `status`.
    pub kind: &'static str,
    /// The order id of the webhook's payment.
    pub order_id: String,
    /// The URL to which the webhook was sent.
    pub url: String,
    /// The number of delivery attempts.
    pub attempts: usize,
    /// The HTTP status of the last answer; `None` without an answer.
    pub http_status: Option<u16>,
    /// The signed bytes of the body.
    pub body: Vec<u8>,
    /// The value of `X-Signature`.
    pub signature: String,
}

impl Delivery {
    /// Returns `true` if the merchant accepted the webhook.
    pub fn is_delivered(&self) -> bool {
        matches!(self.http_status, Some(200..300))
    }
}

impl From<&Webhook> for Delivery {
    fn from(webhook: &Webhook) -> Delivery {
        let Webhook { summary, request, .. } = webhook;
        Delivery {
            kind: summary.kind.as_str(),
            order_id: summary.order_id.clone(),
            url: summary.url.clone(),
            attempts: summary.attempts,
            http_status: summary.http_status,
            body: request.body.bytes.to_vec(),
            signature: request.signature.clone().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn token_is_last_part_of_path() {
        for (url, token) in [
            ("https://shop.example/hooks/4f1c", Some("4f1c")),
            ("https://shop.example/hooks/4f1c/?a=/b#/c", Some("4f1c")),
            ("http://127.0.0.1:1/4f1c", Some("4f1c")),
            ("http://127.0.0.1:1/", None),
            ("http://127.0.0.1:1", None),
            ("http://127.0.0.1:1?a=/b", None),
        ] {
            assert_eq!(super::token(url).as_deref(), token, "{url}");
        }
    }
}
