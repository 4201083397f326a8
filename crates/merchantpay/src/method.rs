//! How a payment is asked for: its currency and the customer's way to pay (contract, section 1).

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// The currency of a payment in a request (contract, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Currency {
    /// Rubles, the only currency that the service accepts.
    #[default]
    Rub,
}

impl Currency {
    /// The contract's text: `RUB`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Currency::Rub => "RUB",
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Currency {
    type Err = Error;

    fn from_str(text: &str) -> Result<Currency> {
        match text {
            "RUB" => Ok(Currency::Rub),
            _ => Err(Error::invalid_argument("the currency must be RUB")),
        }
    }
}

/// The customer's way to pay (contract, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PaymentMethod {
    /// `card`: bank cards.
    Card,
    /// `sbp`: the Russian system for fast bank payments (SBP).
    Sbp,
}

impl PaymentMethod {
    /// Every method.
    pub const ALL: &'static [PaymentMethod] = &[PaymentMethod::Card, PaymentMethod::Sbp];

    /// The contract's text.
    pub const fn as_str(self) -> &'static str {
        match self {
            PaymentMethod::Card => "card",
            PaymentMethod::Sbp => "sbp",
        }
    }
}

impl FromStr for PaymentMethod {
    type Err = Error;

    fn from_str(text: &str) -> Result<PaymentMethod> {
        let method = PaymentMethod::ALL.iter().find(|method| method.as_str() == text);
        method.copied().ok_or_else(|| Error::invalid_argument("the payment method must be card or sbp"))
    }
}
