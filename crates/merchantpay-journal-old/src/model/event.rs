//! The events of an attempt, and the calls that follow.

use merchantpay::{Amount, Event as Webhook, Payment, Status};

use crate::model::json::{self, Fields};
use crate::model::record::{Problem, Reasons, Record};

/// The report of a verified message about a payment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Report {
    /// The order id in the message.
    pub order_id: String,
    /// The status, if the message has one.
    pub status: Option<String>,
    /// The sum.
    pub sum: Option<Amount>,
    /// The currency.
    pub currency: Option<String>,
    /// `true` if the message has credentials with which a customer could pay.
    pub has_credentials: bool,
    /// Every field of the message, unchanged.
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

/// The kind of message that contained a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The reply to `/new` or `/new-async`.
    Creation,
    /// A webhook.
    Webhook,
    /// The reply to `/status`.
    Status,
}

/// The result of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallEnd {
    /// The service accepted the call.
    Accepted,
    /// The service refused the call in a verified reply.
    Refused,
    /// The request was not sent.
    NotSent,
    /// The call may have taken effect.
    Unclear,
}

/// An instruction of the merchant to the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// Report that the customer has paid.
    Confirm,
    /// Cancel the payment.
    Cancel,
}

/// An event of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Event {
    /// The reply to the call that creates the payment.
    Created(Report),
    /// The call that creates the payment failed.
    NotCreated(CallEnd, Problem),
    /// A verified webhook with a status or credentials.
    WebhookReported(Report),
    /// A verified webhook which says that the service found no credentials.
    CredentialsFailed(Report),
    /// The attempt is due, and this process has claimed it.
    Due,
    /// A caller waits for the attempt, so the journal queries its status now.
    Awaited,
    /// The reply to `getStatus`.
    StatusReported(Report),
    /// `getStatus` failed. `true` means that the service does not know the order.
    StatusFailed(bool, Problem),
    /// The merchant has given an instruction.
    Instructed(Instruction),
    /// The result of an instruction's call; `u32` is the number of the call.
    Answered(Instruction, u32, CallEnd, Option<Problem>),
    /// An operator decided that the service made no payment.
    NoPayment(String),
    /// An operator named the order. The report is the result of `getStatus` for that order; the text is the
    /// operator's note.
    Found(Report, String),
    /// An operator has seen these reasons, and left this note.
    Seen(Reasons, String),
    /// Delete the attempt's details.
    Purged,
    /// Delete the details because the merchant forgets the reference.
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

    /// The report, if the event is a message of the service.
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

/// A call to the service that the journal makes because of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Call {
    /// `/new` or `/new-async`.
    Create,
    /// `/status`.
    Status,
    /// `/confirm` or `/cancel`. The number counts the calls for that instruction.
    Instruct(Instruction, u32),
}

/// The result of applying an event to a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Change {
    /// The new record. If it is equal to the old record, nothing is written.
    pub record: Record,
    /// The call to make after the record is written.
    pub call: Option<Call>,
    /// `true` if the message is about an order that cannot belong to this attempt.
    pub conflict: bool,
    /// `true` if the message matches no attempt although it changed the record. The message is stored as an
    /// orphan before the record is written.
    pub is_orphan: bool,
}

#[cfg(test)]
mod tests {
    use merchantpay::{Keypair, WebhookVerifier};

    use super::*;

    #[test]
    fn an_account_or_a_deeplink_lets_a_customer_pay() {
        for (fields, has_credentials) in [
            (r#""payeeAccount":"1""#, true),
            (r#""deeplink":"https://bank.example""#, true),
            (r#""payeeAccount":"","deeplink":"""#, false),
            (r#""payeeName":"Ivan""#, false),
        ] {
            let payment = Payment::carried(&format!(r#"{{"orderId":"o",{fields}}}"#)).unwrap();
            assert_eq!(Report::from(&payment).has_credentials, has_credentials, "{fields}");
        }
    }

    #[test]
    fn a_webhook_without_success_means_that_there_are_no_credentials() {
        let service = Keypair::generate().unwrap();
        let verifier = WebhookVerifier::new(service.public_key());
        let event = |body: &str| {
            let signature = service.private_key().sign(body.as_bytes()).to_base64();
            Event::of_webhook(&verifier.verify(body.as_bytes(), &signature, None).unwrap())
        };
        assert!(matches!(event(r#"{"success":false,"orderId":"o"}"#), Event::CredentialsFailed(_)));
        let reported = event(r#"{"success":true,"orderId":"o","status":"doneSuccess"}"#);
        assert!(matches!(reported, Event::WebhookReported(_)));
    }
}
