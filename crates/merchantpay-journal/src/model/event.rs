//! What can happen to an attempt, and what is to be done next.

use merchantpay::{Amount, Event as Webhook, Payment, Status};

use crate::model::json::{self, Fields};
use crate::model::record::{Problem, Reasons, Record};

/// What a verified message of the service reports of a payment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Report {
    /// The order that it is about.
    pub order_id: String,
    /// The status, where it has one.
    pub status: Option<String>,
    /// The sum.
    pub sum: Option<Amount>,
    /// The currency.
    pub currency: Option<String>,
    /// Whether there is anything that a customer could pay to.
    pub has_credentials: bool,
    /// Every field, as it came.
    pub fields: Fields,
}

impl Report {
    pub(crate) fn status(&self) -> Option<Status> {
        self.status.clone().map(Status::from)
    }

    pub(crate) fn is_final(&self) -> bool {
        self.status().is_some_and(|status| status.is_final())
    }

    pub(crate) fn is_success(&self) -> bool {
        self.status.as_deref() == Some(Status::DoneSuccess.as_str())
    }
}

impl From<&Payment> for Report {
    fn from(payment: &Payment) -> Report {
        let has_text = |text: Option<&str>| text.is_some_and(|text| !text.is_empty());
        Report {
            order_id: payment.order_id().to_owned(),
            status: payment.status().map(|status| status.as_str().to_owned()),
            sum: payment.sum(),
            currency: payment.currency().map(str::to_owned),
            has_credentials: has_text(payment.payee_account()) || has_text(payment.deeplink()),
            fields: json::read(payment.json()).unwrap_or_default(),
        }
    }
}

/// Which message brought a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The reply to `/new` or `/new-async`.
    Creation,
    /// A webhook.
    Webhook,
    /// The reply to `/status`.
    Status,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallEnd {
    /// The service did it.
    Accepted,
    /// The service refused, provably.
    Refused,
    /// Not one byte was sent.
    NotSent,
    /// It may have taken effect.
    Unclear,
}

/// What the merchant instructs the service to do with a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// The customer has paid.
    Confirm,
    /// The payment is to be cancelled.
    Cancel,
}

/// What can happen to an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// The reply to the call that makes the payment.
    Created(Report),
    /// That call failed.
    NotCreated(CallEnd, Problem),
    /// A verified webhook with a status or credentials.
    WebhookReported(Report),
    /// A verified webhook: no credentials were found.
    CredentialsFailed(Report),
    /// It is due, and this process has claimed it.
    Due,
    /// Somebody waits for it: it is to be asked about at once.
    Awaited,
    /// The reply to `getStatus`.
    StatusReported(Report),
    /// `getStatus` failed; with `true` because the service does not know the order.
    StatusFailed(bool, Problem),
    /// The merchant has given an instruction.
    Instructed(Instruction),
    /// How call number `u32` of an instruction ended.
    Answered(Instruction, u32, CallEnd, Option<Problem>),
    /// A person says that the service made no payment.
    NoPayment(String),
    /// A person says which payment it is, and `getStatus` reported this of it.
    Found(Report, String),
    /// An operator has looked at these reasons, and what the operator noted.
    Seen(Reasons, String),
    /// Its details are to be deleted.
    Purged,
    /// The same, because the merchant wants the reference forgotten.
    Forgotten,
}

impl Event {
    /// The event of a verified webhook.
    pub(crate) fn of_webhook(webhook: &Webhook) -> Event {
        let report = Report::from(webhook.payment());
        match webhook {
            Webhook::CredentialsFailed(_) => Event::CredentialsFailed(report),
            _ => Event::WebhookReported(report),
        }
    }

    /// What the service reports, where it is a message of the service.
    pub fn report(&self) -> Option<&Report> {
        match self {
            Event::Created(report)
            | Event::WebhookReported(report)
            | Event::CredentialsFailed(report)
            | Event::StatusReported(report)
            | Event::Found(report, _) => Some(report),
            _ => None,
        }
    }
}

/// A call of the service that a record asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// `/new` or `/new-async`.
    Create,
    /// `/status`.
    Status,
    /// `/confirm` or `/cancel`, and which call of that instruction it is.
    Instruct(Instruction, u32),
}

/// What an event makes of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Change {
    /// The record after it; equal to the one before where nothing is to be written.
    pub record: Record,
    /// The call that is to be made once the record is written.
    pub call: Option<Call>,
    /// Whether the message is about an order that cannot be this attempt's.
    pub conflict: bool,
    /// Whether the message finds no place although it changed the record: it is stored as an orphan before
    /// the record is written.
    pub is_orphan: bool,
}
