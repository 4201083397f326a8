//! One webhook whose delivery has succeeded or finally failed.

/// A webhook and its delivery.
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
    pub attempts: u32,
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
        self.http_status.is_some_and(|status| (200..300).contains(&status))
    }
}
