//! What a verified message of the service says about an order.

use std::collections::BTreeMap;
use std::fmt;

use merchantpay::{Amount, Payment, Status, words};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Fields that a reply of `getStatus` never replaces: it has the payee's name in Latin letters, and no
/// currency.
const NOT_FROM_STATUS: [&str; 3] = ["payeeName", "currency", "dealCurrency"];

words! {
    /// The kinds of stored messages.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum MessageKind {
        /// A webhook with credentials.
        Credentials = "credentials", 1;
        /// A webhook which says that no credentials were found.
        NoCredentials = "no_credentials", 2;
        /// A webhook with a status.
        Status = "status", 3;
        /// A reply that could not be stored in its attempt.
        Reply = "reply", 4;
    }
}

/// A reply about an order: to the call that makes a payment, or to `getStatus`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Report {
    pub order_id: String,
    /// The status; the reply to `/new` has none.
    pub status: Option<String>,
    pub sum: Option<Amount>,
    pub currency: Option<String>,
    /// The fields of the message as a JSON object.
    pub details: String,
}

impl Report {
    pub(crate) fn status(&self) -> Option<Status> {
        self.status.clone().map(Status::from)
    }

    pub(crate) fn has_credentials_for(&self, asked: Amount) -> bool {
        let is_rouble = self.currency.as_deref().is_none_or(|currency| currency == "RUB");
        self.has_credentials() && self.sum == Some(asked) && is_rouble
    }

    pub(crate) fn has_credentials(&self) -> bool {
        has_credentials(&self.details)
    }
}

impl From<&Payment> for Report {
    fn from(payment: &Payment) -> Report {
        Report {
            order_id: payment.order_id().to_owned(),
            status: payment.status().map(|status| status.as_str().to_owned()),
            sum: payment.sum(),
            currency: payment.currency().map(str::to_owned),
            details: payment.json().to_owned(),
        }
    }
}

/// Shows nothing of the payee.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Report");
        shown.field("order_id", &self.order_id).field("status", &self.status).field("sum", &self.sum);
        shown.finish_non_exhaustive()
    }
}

/// An error as it is stored in a row.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Problem {
    /// The code's name.
    pub code: String,
    /// The outcome's name.
    pub outcome: String,
    /// The service's text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
}

impl Problem {
    pub(crate) fn json(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }
}

/// Leaves out the service's text, which may name a customer.
impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("code", &self.code)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Answer {
    Report(Report),
    /// The service does not know it (yet).
    NotFound(Problem),
    Failed(Problem),
}

/// A customer could pay with these fields.
pub(crate) fn has_credentials(details: &str) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Credentials {
        payee_account: Option<String>,
        deeplink: Option<String>,
    }
    let is_given = |text: Option<String>| text.is_some_and(|text| !text.is_empty());
    serde_json::from_str::<Credentials>(details)
        .is_ok_and(|found| is_given(found.payee_account) || is_given(found.deeplink))
}

type Fields = BTreeMap<String, Box<RawValue>>;

/// The stored fields with those of a newer message. Every value keeps its text, so no digit of a number is
/// lost.
pub(crate) fn merged(stored: Option<&str>, newer: &str) -> Option<String> {
    let read = |text: &str| serde_json::from_str::<Fields>(text).ok();
    let mut fields = stored.and_then(read).unwrap_or_default();
    for (name, value) in read(newer)? {
        if name != "success" && !(NOT_FROM_STATUS.contains(&name.as_str()) && fields.contains_key(&name)) {
            fields.insert(name, value);
        }
    }
    serde_json::to_string(&fields).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_digits_and_the_payees_name() {
        let stored = r#"{"orderId":"o","payeeName":"Иван","dealRate":1.10,"sum":100.00}"#;
        let newer = r#"{"success":true,"payeeName":"Ivan","sum":100.50,"status":"pending"}"#;
        let expected =
            r#"{"dealRate":1.10,"orderId":"o","payeeName":"Иван","status":"pending","sum":100.50}"#;
        assert_eq!(merged(Some(stored), newer).as_deref(), Some(expected));
        assert_eq!(merged(None, "no JSON"), None);
    }

    #[test]
    fn an_account_or_a_link_is_a_credential() {
        for (details, is_credential) in [
            (r#"{"payeeAccount":"79001234567"}"#, true),
            (r#"{"deeplink":"https://pay.example/1"}"#, true),
            (r#"{"payeeAccount":"","deeplink":""}"#, false),
            (r#"{"payeeName":"Ivan"}"#, false),
            ("", false),
        ] {
            assert_eq!(has_credentials(details), is_credential, "{details}");
        }
    }

    #[test]
    fn a_problem_is_shown_without_the_services_text() {
        let description = Some("Ivan".to_owned());
        let problem = Problem { code: "rejected".to_owned(), outcome: "rejected".to_owned(), description };
        let shown = format!("{problem:?}");
        assert!(shown.contains("rejected") && !shown.contains("Ivan"), "{shown}");
        assert!(problem.json().is_some_and(|json| json.contains("Ivan")));
    }
}
