//! Describes the fields of requests and of payments. Code of the other languages and parts of the
//! documentation are generated from these descriptions.

/// A field of a payment in replies and webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentField {
    /// The contract's name.
    pub name: &'static str,
    /// The name in snake case.
    pub snake_case: &'static str,
    /// The kind of the field's value.
    pub kind: PaymentFieldKind,
    /// A description in one line. In it, operations and fields have their contract names, in backticks.
    pub doc: &'static str,
    /// The version that introduced the field.
    pub since: &'static str,
}

/// The kind of a payment field's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentFieldKind {
    /// The order id. It is never absent.
    OrderId,
    /// An exact decimal.
    Amount,
    /// A text.
    Text,
    /// A text with personal data: an account, a holder's name, or a link to such data.
    Personal,
    /// A status.
    Status,
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
