//! The fields of a request and the rules for their values: currency and method (contract, section 1), and the rest
//! (section 4).

use std::fmt;
use std::str::FromStr;

use crate::amount::Amount;
use crate::error::{Error, Result};
use crate::url::absolute_url;

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
            _ => Err(Error::about("currency", "must be RUB")),
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
        method.copied().ok_or_else(|| Error::about("paymentMethod", "must be card or sbp"))
    }
}

/// A field of the requests of `/available`, `/new` and `/new-async`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestField {
    /// The contract's name.
    pub name: &'static str,
    /// The name in snake case.
    pub snake_case: &'static str,
    /// The kind of the field's value.
    pub kind: RequestFieldKind,
    /// The contract names of the operations that have this field.
    pub operations: &'static [&'static str],
    /// The operations that require the field.
    pub required_by: &'static [&'static str],
    /// A description in one line. In it, operations and fields have their contract names, in backticks.
    pub doc: &'static str,
    /// The version that introduced the field.
    pub since: &'static str,
}

/// The kind of a request field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFieldKind {
    /// An exact decimal, greater than 0.
    Sum,
    /// An exact decimal, not negative.
    Drift,
    /// `RUB`. An absent value means `RUB` too.
    Currency,
    /// `card` or `sbp`.
    PaymentMethod,
    /// The account of a person: a text that is not empty.
    Account,
    /// A text that is not empty.
    Text,
    /// An absolute http or https URL.
    Url,
}

impl RequestField {
    /// The value as it is written into the body.
    pub(crate) fn read(&self, text: &str) -> Result<String> {
        match self.kind {
            RequestFieldKind::Sum | RequestFieldKind::Drift => {
                self.amount(text).map(|amount| amount.to_string())
            }
            RequestFieldKind::Currency => Ok(text.parse::<Currency>()?.as_str().to_owned()),
            RequestFieldKind::PaymentMethod => Ok(text.parse::<PaymentMethod>()?.as_str().to_owned()),
            _ => Ok(text.to_owned()),
        }
    }

    pub(crate) fn amount(&self, text: &str) -> Result<Amount> {
        Amount::from_argument(self.name, text)
    }

    /// Checks a value by the rules that are the same for every operation.
    pub(crate) fn check(&self, value: &str) -> Result<()> {
        let name = self.name;
        match self.kind {
            RequestFieldKind::Sum if !self.amount(value)?.is_positive() => {
                Err(Error::about(name, "must be greater than 0"))
            }
            RequestFieldKind::Drift if self.amount(value)?.is_negative() => {
                Err(Error::about(name, "must not be negative"))
            }
            RequestFieldKind::Account | RequestFieldKind::Text => check_present(name, value),
            RequestFieldKind::Url => absolute_url(value).map(drop).map_err(|fault| Error::about(name, fault)),
            _ => Ok(()),
        }
    }

    /// Checks that the operation has the field if it is present, and does not require it if it is absent.
    pub(crate) fn check_place(&self, operation: &'static str, is_present: bool) -> Result<()> {
        let name = self.name;
        if is_present && !self.operations.contains(&operation) {
            let operations = self.operations.join(" and ");
            let error = Error::about(name, format!("is a field of {operations} only, not of {operation}"));
            return Err(error.naming(self.operations.iter().copied().chain([operation])));
        }
        if !is_present && self.required_by.contains(&operation) {
            return Err(Error::about(name, format!("is required by {operation}")).naming([operation]));
        }
        Ok(())
    }
}

pub(crate) fn check_present(name: &str, value: &str) -> Result<()> {
    if value.trim().is_empty() {
        return Err(Error::about(name, "must not be empty"));
    }
    // C would cut the text at a NUL. So the text is refused in every language.
    if value.contains('\0') {
        return Err(Error::about(name, "must not contain a NUL"));
    }
    Ok(())
}
