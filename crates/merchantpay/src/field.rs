//! The description of a field of a request or of a payment, for other languages and the documentation.

/// A field of a payment in replies and webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentField {
    /// The contract's name.
    pub name: &'static str,
    /// The same in snake case.
    pub snake_case: &'static str,
    /// What it holds.
    pub kind: PaymentFieldKind,
    /// What it is, in one line. Operations and fields are in backticks, by the contract's names.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
}

/// What a payment's field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentFieldKind {
    /// The order id, which is never absent.
    OrderId,
    /// An exact decimal.
    Amount,
    /// A text.
    Text,
    /// A text about a person: an account, a holder's name, or a link to them.
    Personal,
    /// A status.
    Status,
}

/// A field of the requests of `/available`, `/new` and `/new-async`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestField {
    /// The contract's name.
    pub name: &'static str,
    /// The same in snake case.
    pub snake_case: &'static str,
    /// What it holds.
    pub kind: RequestFieldKind,
    /// The operations that have it, by the contract's names.
    pub operations: &'static [&'static str],
    /// Those of them that need it.
    pub required_by: &'static [&'static str],
    /// What it is, in one line. Operations and fields are in backticks, by the contract's names.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
}

/// What a request's field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFieldKind {
    /// An exact decimal, greater than 0.
    Sum,
    /// An exact decimal, not negative.
    Drift,
    /// `RUB`, also if it is absent.
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
