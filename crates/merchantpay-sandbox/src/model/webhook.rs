//! One webhook: its content, and the answer to each delivery attempt.

use axum::http::Uri;
use serde::{Deserialize, Serialize};

use crate::base::clock::{Millis, timestamp};
use crate::model::ServerKeys;
use crate::model::body::Body;
use crate::model::exchange::{Captured, Message};
use crate::model::payment::Payment;
use crate::model::state::{WebhookAction, WebhookPlan};

pub(crate) const LONGEST_REPLY: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WebhookKind {
    Credentials,
    CredentialsFailed,
    #[default]
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WebhookState {
    /// Waits for an earlier webhook, a delay, or the next delivery attempt.
    #[default]
    Waiting,
    Delivered,
    GivenUp,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSummary {
    pub(crate) id: u64,
    #[serde(with = "timestamp")]
    pub(crate) at: Millis,
    pub(crate) order_id: String,
    pub(crate) merchant_id: Option<String>,
    pub(crate) kind: WebhookKind,
    pub(crate) url: String,
    /// The last part of the URL's path: it names the payment if each has a webhook URL of its own.
    pub(crate) token: Option<String>,
    pub(crate) state: WebhookState,
    pub(crate) action: Option<WebhookAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) delay_ms: Option<u64>,
    pub(crate) copy_of: Option<u64>,
    pub(crate) attempts: usize,
    pub(crate) http_status: Option<u16>,
    pub(crate) status: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Webhook {
    #[serde(flatten)]
    pub(crate) summary: WebhookSummary,
    pub(crate) request: Message,
    pub(crate) attempt_list: Vec<Attempt>,
}

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
    pub(crate) fn signed(
        kind: WebhookKind,
        payment: &Payment,
        url: &str,
        at: Millis,
        keys: &ServerKeys,
    ) -> Webhook {
        let body = match kind {
            WebhookKind::Credentials => Body::credentials(payment),
            WebhookKind::CredentialsFailed => Body::new(false).text("orderId", &*payment.order_id),
            WebhookKind::Status => Body::status_changed(payment),
        };
        let status = (kind == WebhookKind::Status).then(|| payment.state.status_name().to_owned());
        let body = body.without_empty().json().into_bytes();
        let (key_id, signature) = (keys.key_id.clone(), keys.key.sign(&body).to_base64());
        Webhook {
            summary: WebhookSummary {
                at,
                order_id: payment.order_id.clone(),
                merchant_id: payment.order.merchant_id.clone(),
                kind,
                url: url.to_owned(),
                token: token(url),
                status,
                ..WebhookSummary::default()
            },
            request: Message {
                headers: headers(Some(&key_id), Some(&signature)),
                key_id: Some(key_id),
                signature: Some(signature),
                body: Captured::new(&body),
                ..Message::default()
            },
            attempt_list: Vec::new(),
        }
    }

    pub(crate) fn with_action(mut self, plan: Option<WebhookPlan>, keys: &ServerKeys) -> Webhook {
        let Webhook { summary, request, .. } = &mut self;
        summary.action = plan.map(|plan| plan.action);
        summary.delay_ms = plan.and_then(|plan| plan.delay_ms);
        match summary.action {
            // One more space: the same JSON, but other bytes than the signed ones.
            Some(WebhookAction::Tamper) => {
                request.body = Captured::new(&[&request.body.bytes, b" ".as_slice()].concat());
            }
            Some(WebhookAction::WrongKey) => {
                request.signature = Some(keys.wrong_key.sign(&request.body.bytes).to_base64());
            }
            Some(WebhookAction::Unsigned) => (request.key_id, request.signature) = (None, None),
            _ => {}
        }
        request.headers = headers(request.key_id.as_deref(), request.signature.as_deref());
        self
    }

    pub(crate) fn is_done(&self) -> bool {
        self.summary.state != WebhookState::Waiting
    }

    pub(crate) fn attempted(&mut self, mut attempt: Attempt, again: bool) {
        let summary = &mut self.summary;
        summary.attempts += 1;
        summary.http_status = attempt.http_status;
        summary.state = match is_accepted(attempt.http_status) {
            true => WebhookState::Delivered,
            false if again => WebhookState::Waiting,
            false => WebhookState::GivenUp,
        };
        attempt.attempt = summary.attempts;
        self.attempt_list.push(attempt);
    }
}

fn headers(key_id: Option<&str>, signature: Option<&str>) -> Vec<(String, String)> {
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

pub(crate) fn is_accepted(http_status: Option<u16>) -> bool {
    matches!(http_status, Some(200..300))
}

fn token(url: &str) -> Option<String> {
    let uri = url.parse::<Uri>().ok()?;
    uri.path().rsplit('/').find(|part| !part.is_empty()).map(str::to_owned)
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
        is_accepted(self.http_status)
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
