//! Planned faults of webhooks.

use std::time::Duration;

/// A fault of one webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WebhookFault {
    /// Sends the webhook once more, unchanged.
    Resend,
    /// Sends the webhook twice.
    Duplicate,
    Delay(u64),
    /// Sends the webhook after the payment's next webhook.
    Reorder,
    /// Changes the body after it was signed.
    Tamper,
    WrongKey,
    Unsigned,
}

/// A fault for a payment's next webhooks.
#[derive(Debug, Clone)]
pub(crate) struct WebhookPlan {
    pub(crate) id: u64,
    pub(crate) fault: WebhookFault,
    pub(crate) times: u32,
}

impl WebhookFault {
    pub(crate) const NAMES: [&str; 7] =
        ["resend", "duplicate", "delay", "reorder", "tamper", "wrongKey", "unsigned"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            WebhookFault::Resend => "resend",
            WebhookFault::Duplicate => "duplicate",
            WebhookFault::Delay(_) => "delay",
            WebhookFault::Reorder => "reorder",
            WebhookFault::Tamper => "tamper",
            WebhookFault::WrongKey => "wrongKey",
            WebhookFault::Unsigned => "unsigned",
        }
    }

    /// The fault with this name; only `delay` has a duration.
    pub(crate) fn named(name: &str, delay_ms: Option<u64>) -> Option<WebhookFault> {
        match (name, delay_ms) {
            ("delay", Some(delay_ms)) => Some(WebhookFault::Delay(delay_ms)),
            ("resend", None) => Some(WebhookFault::Resend),
            ("duplicate", None) => Some(WebhookFault::Duplicate),
            ("reorder", None) => Some(WebhookFault::Reorder),
            ("tamper", None) => Some(WebhookFault::Tamper),
            ("wrongKey", None) => Some(WebhookFault::WrongKey),
            ("unsigned", None) => Some(WebhookFault::Unsigned),
            _ => None,
        }
    }

    pub(crate) fn delay_ms(self) -> Option<u64> {
        match self {
            WebhookFault::Delay(delay_ms) => Some(delay_ms),
            _ => None,
        }
    }

    pub(crate) fn delay(self) -> Duration {
        Duration::from_millis(self.delay_ms().unwrap_or(0))
    }
}
