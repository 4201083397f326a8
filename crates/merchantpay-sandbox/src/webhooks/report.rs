//! One webhook that was delivered or given up.

/// One webhook and its deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// `credentials`, `credentials_failed` or `status`.
    pub kind: &'static str,
    /// The payment it is about.
    pub order_id: String,
    /// Where it was sent.
    pub url: String,
    /// How often it was sent.
    pub attempts: u32,
    /// The HTTP status of the last reply; `None` if there was none.
    pub http_status: Option<u16>,
    /// The signed bytes.
    pub body: Vec<u8>,
    /// The text of `X-Signature`.
    pub signature: String,
}

impl Delivery {
    /// Whether the merchant accepted it.
    pub fn is_delivered(&self) -> bool {
        self.http_status.is_some_and(|status| (200..300).contains(&status))
    }
}
