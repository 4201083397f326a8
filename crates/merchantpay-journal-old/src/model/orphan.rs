//! Orphans. A message that matches no attempt is an orphan. All such messages about one order are merged.

use merchantpay::Status;

use crate::model::event::Report;
use crate::model::json::{self, Fields};

/// An orphan: the verified messages about one order that match no attempt, merged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphan {
    /// The order id of the messages.
    pub order_id: String,
    /// The time at which the first message arrived, in milliseconds since 1970.
    pub received_at: i64,
    /// The reported status.
    pub status: Option<String>,
    /// The reported sum.
    pub sum: Option<String>,
    /// The attempt to whose URL the message came, if there is such an attempt. In this case the message is
    /// about another order than the attempt's own order.
    pub attempt: Option<(String, u32)>,
}

impl Orphan {
    /// The orphan as one line of JSON.
    pub fn to_json(&self) -> String {
        let status = self.status.as_deref().map_or("null".to_owned(), json::quoted);
        let (reference, attempt) = match &self.attempt {
            Some((reference, attempt)) => (json::quoted(reference), attempt.to_string()),
            None => ("null".to_owned(), "null".to_owned()),
        };
        format!(
            "{{\"orphan\":{{\"orderId\":{},\"receivedAt\":{},\"status\":{status},\"sum\":{},\"reference\":{reference},\"attempt\":{attempt}}}}}",
            json::quoted(&self.order_id),
            self.received_at,
            self.sum.as_deref().unwrap_or("null"),
        )
    }
}

/// The state of an orphan's order, as its row stores it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OrphanState {
    /// The service's status.
    pub status: Option<String>,
    /// The sum that the service reported.
    pub sum: Option<String>,
    /// The payment's fields from all messages, merged.
    pub fields: Fields,
}

impl From<&Report> for OrphanState {
    fn from(report: &Report) -> OrphanState {
        OrphanState {
            status: report.status.clone(),
            sum: report.sum.map(|sum| sum.to_string()),
            fields: report.fields.clone(),
        }
    }
}

impl OrphanState {
    /// The orphan after another message about its order. A field that is absent in the message stays as it
    /// was. A late message does not replace a final status. A success stays: a late failure must not hide
    /// that somebody has paid.
    #[must_use]
    pub fn updated(&self, report: &Report) -> OrphanState {
        let message = OrphanState::from(report);
        let is_late = message.finality() < self.finality();
        let (older, newer) = if is_late { (&message, self) } else { (self, &message) };
        let mut fields = older.fields.clone();
        fields.extend(newer.fields.clone());
        OrphanState {
            status: newer.status.clone().or_else(|| older.status.clone()),
            sum: newer.sum.clone().or_else(|| older.sum.clone()),
            fields,
        }
    }

    fn finality(&self) -> u8 {
        match self.status.clone().map(Status::from) {
            Some(Status::DoneSuccess) => 2,
            Some(status) if status.is_final() => 1,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(status: Option<&str>, sum: Option<&str>, field: Option<&str>) -> Report {
        Report {
            order_id: "o".to_owned(),
            status: status.map(str::to_owned),
            sum: sum.map(|sum| sum.parse().unwrap()),
            currency: None,
            has_credentials: false,
            fields: field.map(|name| (name.to_owned(), "1".to_owned())).into_iter().collect(),
        }
    }

    #[test]
    fn an_orphan_ends_the_same_in_whatever_order_its_messages_come() {
        let credentials = report(None, Some("10"), Some("payeeName"));
        let success = report(Some("doneSuccess"), Some("9"), Some("status"));
        let forward = OrphanState::from(&credentials).updated(&success);
        assert_eq!(OrphanState::from(&success).updated(&credentials), forward);
        assert_eq!((forward.status.as_deref(), forward.sum.as_deref()), (Some("doneSuccess"), Some("9")));
        assert_eq!(forward.fields.len(), 2);
        assert_eq!(forward.updated(&report(Some("receiptRequired"), None, None)), forward);
        let failure = report(Some("doneFail"), None, None);
        assert_eq!(forward.updated(&failure), forward);
        let paid_after_all = OrphanState::from(&failure).updated(&success);
        assert_eq!(paid_after_all.status.as_deref(), Some("doneSuccess"));
        let failed = OrphanState::from(&failure).updated(&report(Some("receiptRequired"), None, None));
        assert_eq!(failed.status.as_deref(), Some("doneFail"));
        let corrected = forward.updated(&report(Some("doneSuccess"), Some("8"), None));
        assert_eq!(corrected.sum.as_deref(), Some("8"));
    }

    #[test]
    fn an_orphan_is_written_as_one_line_of_json() {
        let mut orphan = Orphan {
            order_id: "o".to_owned(),
            received_at: 7,
            status: Some("doneSuccess".to_owned()),
            sum: Some("9.50".to_owned()),
            attempt: Some(("order \"1\"".to_owned(), 2)),
        };
        let whole = r#"{"orphan":{"orderId":"o","receivedAt":7,"status":"doneSuccess","sum":9.50,"reference":"order \"1\"","attempt":2}}"#;
        assert_eq!(orphan.to_json(), whole);
        (orphan.status, orphan.sum, orphan.attempt) = (None, None, None);
        let bare = r#"{"orphan":{"orderId":"o","receivedAt":7,"status":null,"sum":null,"reference":null,"attempt":null}}"#;
        assert_eq!(orphan.to_json(), bare);
    }
}
