//! What is said of a field of a request or of a payment, for other languages and the documentation.

/// A field of a payment in replies and webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentField {
    /// The contract's name.
    pub name: &'static str,
    /// The same in snake case.
    pub snake_case: &'static str,
    /// What it holds.
    pub kind: PaymentFieldKind,
    /// What it is, in one line. Operations and fields stand in it in the contract's names, between backticks.
    pub doc: &'static str,
    /// The version that it is there since.
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
    /// What it is, in one line. Operations and fields stand in it in the contract's names, between backticks.
    pub doc: &'static str,
    /// The version that it is there since.
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

/// An operation of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperationInfo {
    /// The contract's name, such as `newPayment`.
    pub name: &'static str,
    /// The same in snake case.
    pub snake_case: &'static str,
    /// The end of its endpoint's path, such as `/new`.
    pub path: &'static str,
    /// The contract's section, such as `4.2`.
    pub section: &'static str,
    /// Whether the library may repeat it.
    pub is_repeatable: bool,
    /// What it takes.
    pub takes: Takes,
    /// What a success gives.
    pub gives: Gives,
    /// What it does, in one line.
    pub doc: &'static str,
}

/// What an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// The request fields that name it.
    Fields,
    /// An order id.
    OrderId,
    /// An order id and files.
    Receipt,
}

/// What the success of an operation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// The amounts with a counter-offer.
    Amounts,
    /// A payment with more than its order id.
    Payment,
    /// A payment with its order id alone.
    OrderId,
    /// That it succeeded.
    Nothing,
}
