//! What can be done to a webhook on purpose.

use std::time::Duration;

/// One thing to do to one webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mischief {
    /// As it was, once more.
    Resend,
    /// Twice.
    Duplicate,
    Delay(u64),
    /// After the payment's next one.
    Reorder,
    /// Changed after it was signed.
    Tamper,
    WrongKey,
    Unsigned,
}

impl Mischief {
    pub(crate) const NAMES: [&str; 7] = ["resend", "duplicate", "delay", "reorder", "tamper", "wrongKey", "unsigned"];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mischief::Resend => "resend",
            Mischief::Duplicate => "duplicate",
            Mischief::Delay(_) => "delay",
            Mischief::Reorder => "reorder",
            Mischief::Tamper => "tamper",
            Mischief::WrongKey => "wrongKey",
            Mischief::Unsigned => "unsigned",
        }
    }

    /// The one of that name; a delay has its length, and nothing else has one.
    pub(crate) fn named(name: &str, delay_ms: Option<u64>) -> Option<Mischief> {
        match (name, delay_ms) {
            ("delay", Some(delay_ms)) => Some(Mischief::Delay(delay_ms)),
            ("resend", None) => Some(Mischief::Resend),
            ("duplicate", None) => Some(Mischief::Duplicate),
            ("reorder", None) => Some(Mischief::Reorder),
            ("tamper", None) => Some(Mischief::Tamper),
            ("wrongKey", None) => Some(Mischief::WrongKey),
            ("unsigned", None) => Some(Mischief::Unsigned),
            _ => None,
        }
    }

    pub(crate) fn delay_ms(self) -> Option<u64> {
        match self {
            Mischief::Delay(delay_ms) => Some(delay_ms),
            _ => None,
        }
    }

    pub(crate) fn delay(self) -> Duration {
        Duration::from_millis(self.delay_ms().unwrap_or(0))
    }
}
