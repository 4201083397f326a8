//! An attempt as a value: the fields with a database column, and all other fields as versioned JSON.

use std::collections::BTreeMap;
use std::fmt;

use merchantpay::{Amount, Code, Error, Outcome, Paid, Payment, Status};

use crate::model::json::{self, Fields, Reader};
use crate::model::standing::{IntentState, Level, Reason, Standing};

/// The JSON version that this library writes.
const JSON_VERSION: i64 = 1;

/// A stored instruction to the service: a confirm or a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Intent {
    /// The state; `None` if there is no such instruction.
    pub state: Option<IntentState>,
    /// The number of calls that were sent or may have been sent.
    pub calls: u32,
    /// The time at which the instruction was first stored.
    pub since: i64,
}

/// The error of the last call about an attempt.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The name of the error code.
    pub code: String,
    /// The name of the outcome.
    pub outcome: String,
    /// The error text from the service.
    pub description: Option<String>,
}

/// Leaves out the service's text, which may contain the names of persons.
impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("code", &self.code)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

impl Problem {
    pub(crate) fn of(error: &Error) -> Problem {
        Problem {
            code: error.code().name().to_owned(),
            outcome: error.outcome().name().to_owned(),
            description: error.description().map(str::to_owned),
        }
    }

    /// The error of a payment that the journal did not send.
    pub(crate) fn not_sent() -> Problem {
        Problem {
            code: Code::Storage.name().to_owned(),
            outcome: Outcome::NotSent.name().to_owned(),
            description: None,
        }
    }
}

/// The reasons that an entry shows, for which an operator must decide.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Reasons {
    /// The reasons that this version knows.
    pub known: Vec<Reason>,
    /// The names of reasons that only a newer version knows.
    pub newer: Vec<String>,
}

/// The names of an attempt's reasons that only a newer version of the library knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct NewerReasons {
    /// The reasons for which an operator must decide.
    pub attention: Vec<String>,
    /// The reasons that an operator has seen.
    pub seen: Vec<String>,
}

/// Consecutive replies in which the service does not know an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NotFound {
    /// The time of the first of these replies.
    pub since: i64,
    /// The number of these replies.
    pub replies: u32,
}

/// One attempt. Times are in milliseconds by the database's clock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record {
    /// The merchant's own order number.
    pub reference: String,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The merchant's account: the base URL, or a name.
    pub account: String,
    /// The random text at the end of the attempt's callback URL.
    pub token: String,
    /// The stored standing.
    pub standing: Standing,
    /// The service's order id, if it is known.
    pub order_id: Option<String>,
    /// `true` if a reply named the order id, and not only a webhook.
    pub order_id_confirmed: bool,
    /// `true` if the payment was requested by `/new-async`.
    pub asynchronous: bool,
    /// The hash of the request, keyed by the token.
    pub request_hash: String,
    /// The payment method.
    pub payment_method: String,
    /// The sum that the merchant asked for.
    pub sum_asked: Amount,
    /// The sum in the service's last message.
    pub sum_paid: Option<Amount>,
    /// The last status from the service.
    pub status: Option<String>,
    /// The payment's fields from all messages of the service, merged.
    pub payment: Fields,
    /// `true` if there are credentials for the requested sum.
    pub has_credentials: bool,
    /// The merchant's instruction to confirm the payment.
    pub confirm: Intent,
    /// The merchant's instruction to cancel the payment.
    pub cancel: Intent,
    /// The level that the attempt has reached.
    pub reported: Level,
    /// The level that the merchant has acknowledged. It is written separately from the other fields.
    pub acknowledged: Level,
    /// The reasons for which an operator must decide, sorted.
    pub attention: Vec<Reason>,
    /// The reasons that an operator has seen, sorted.
    pub seen: Vec<Reason>,
    /// Reasons that only a newer version knows.
    pub newer_reasons: NewerReasons,
    /// The notes of operators.
    pub notes: Vec<String>,
    /// The error of the last call.
    pub error: Option<Problem>,
    /// The time at which `settle` handles the attempt next. For a `sending` attempt this is the time at which
    /// its call has certainly ended.
    pub due_at: Option<i64>,
    /// The time at which the call that creates the payment has certainly ended. It is never overwritten.
    pub call_until: Option<i64>,
    /// `true` if the end of the call that creates the payment is stored.
    pub call_ended: bool,
    /// The number of consecutive refused attempts before this attempt. If this attempt was refused and then
    /// superseded, the number includes this attempt.
    pub refusals: u32,
    /// The time at which the order id became known.
    pub asking_since: i64,
    /// The number of status queries since the status last changed.
    pub tries: u32,
    /// The replies in which the service does not know the order.
    pub not_found: NotFound,
    /// `true` if a webhook has arrived for this attempt.
    pub has_webhook: bool,
    /// The time at which the attempt was stored.
    pub created_at: i64,
    /// The time of the last write.
    pub updated_at: i64,
    /// The number of writes.
    pub version: i64,
    /// The random text of the last write.
    pub writer: String,
    /// `true` if the attempt's details were deleted.
    pub purged: bool,
    /// `true` if the attempt's details were deleted because the merchant forgot the reference.
    pub forgotten: bool,
    /// `true` if the row was imported or comes from a backup. The service's state may be newer than such a
    /// row. This flag is never cleared.
    pub restored: bool,
    /// Fields of the JSON that this version does not know.
    pub unknown_fields: Fields,
}

impl Record {
    /// The standing at a time. If the deadline of a `sending` attempt has passed, its standing is `unknown`.
    pub fn standing_at(&self, now: i64) -> Standing {
        let is_over = self.due_at.is_some_and(|due_at| due_at <= now);
        if self.standing == Standing::Sending && is_over { Standing::Unknown } else { self.standing }
    }

    /// Returns `true` if the call that creates the payment can still be running at this time.
    pub fn is_being_made(&self, now: i64) -> bool {
        !self.call_ended && self.call_until.is_some_and(|until| until > now)
    }

    /// The status, if there is one.
    pub fn status(&self) -> Option<Status> {
        self.status.clone().map(Status::from)
    }

    /// Compares the paid sum with the requested sum. `None` unless the service has reported a success and a
    /// paid sum.
    pub fn paid(&self) -> Option<Paid> {
        self.sum_paid.filter(|_| self.is_done()).map(|sum| Paid::of(sum, self.sum_asked))
    }

    /// Returns `true` if the last status from the service is final.
    pub fn has_final_status(&self) -> bool {
        self.status().is_some_and(|status| status.is_final())
    }

    /// Returns `true` if the last status is a success.
    pub(crate) fn is_done(&self) -> bool {
        self.status.as_deref() == Some(Status::DoneSuccess.as_str())
    }

    /// Returns `true` if the attempt is final with a success.
    pub(crate) fn is_success(&self) -> bool {
        self.standing == Standing::Final && self.is_done()
    }

    /// Returns `true` if the attempt is final with a success and exactly the requested sum.
    pub fn succeeded(&self) -> bool {
        self.is_success() && self.paid() == Some(Paid::Exactly)
    }

    /// Returns `true` if the customer is allowed to see the attempt's credentials and to pay.
    pub fn shows_credentials(&self) -> bool {
        let is_cancelled = self.cancel.state.is_some_and(|state| state != IntentState::Refused);
        let awaits_payment = matches!(self.status(), None | Some(Status::Free | Status::Pending));
        self.has_credentials && self.standing == Standing::Open && awaits_payment && !is_cancelled
    }

    /// Returns `true` if `purge` can delete the attempt's details: the attempt has ended, and no decision
    /// about it is open. If a later status contradicts the final status, an operator must decide.
    pub fn is_over(&self) -> bool {
        // A refused attempt without personal data keeps its details: often `pay` soon makes the next attempt.
        let is_empty = self.payment.is_empty() && self.notes.is_empty();
        self.is_forgettable() && !(self.standing == Standing::Refused && is_empty)
    }

    /// Returns `true` if the attempt's details can be erased: neither the service, nor the merchant, nor an
    /// operator needs these details.
    pub fn is_forgettable(&self) -> bool {
        let has_ended = match self.standing {
            Standing::Final => true,
            Standing::Superseded | Standing::Refused => self.due_at.is_none(),
            Standing::Sending | Standing::Unknown | Standing::Open => false,
        };
        let needs_operator = !self.attention.is_empty() || !self.newer_reasons.attention.is_empty();
        has_ended && self.acknowledged >= self.reported && !needs_operator
    }

    /// The payment, merged from all messages of the service about this payment.
    pub(crate) fn reported_payment(&self) -> Option<Payment> {
        Payment::carried(&json::write(&self.payment))
    }

    /// Writes the fields that have no column of their own as JSON.
    pub fn to_json(&self) -> String {
        let unknown = self.unknown_fields.iter().map(|(name, value)| (name.as_str(), value.clone()));
        let mut fields: BTreeMap<&str, String> = unknown.collect();
        let mut put = |name, value| drop(fields.insert(name, value));
        put("v", JSON_VERSION.to_string());
        if self.purged {
            put("purged", "true".to_owned());
            return json::write(&fields);
        }
        put("requestHash", json::quoted(&self.request_hash));
        put("paymentMethod", json::quoted(&self.payment_method));
        put("asynchronous", self.asynchronous.to_string());
        put("orderIdConfirmed", self.order_id_confirmed.to_string());
        put("payment", json::write(&self.payment));
        put("hasCredentials", self.has_credentials.to_string());
        put("confirm", intent_json(&self.confirm));
        put("cancel", intent_json(&self.cancel));
        put(
            "seen",
            json::list(
                self.seen
                    .iter()
                    .map(|reason| reason.name())
                    .chain(self.newer_reasons.seen.iter().map(String::as_str)),
            ),
        );
        put("notes", json::list(self.notes.iter().map(String::as_str)));
        if let Some(problem) = &self.error {
            let mut error = Fields::new();
            error.insert("code".to_owned(), json::quoted(&problem.code));
            error.insert("outcome".to_owned(), json::quoted(&problem.outcome));
            if let Some(description) = &problem.description {
                error.insert("description".to_owned(), json::quoted(description));
            }
            put("error", json::write(&error));
        }
        if let Some(call_until) = self.call_until {
            put("callUntil", call_until.to_string());
        }
        put("callEnded", self.call_ended.to_string());
        put("refusals", self.refusals.to_string());
        put("askingSince", self.asking_since.to_string());
        put("tries", self.tries.to_string());
        put("notFoundSince", self.not_found.since.to_string());
        put("notFoundTries", self.not_found.replies.to_string());
        put("hasWebhook", self.has_webhook.to_string());
        json::write(&fields)
    }

    /// Reads the output of [`to_json`](Record::to_json), even if another version of the library wrote it.
    /// Returns `false` if the text is not a JSON object, or if an instruction has a state that this version
    /// does not know.
    pub fn read_json(&mut self, text: &str) -> bool {
        let Some(fields) = json::read(text) else { return false };
        let mut reader = Reader(fields);
        reader.0.remove("v");
        self.purged = reader.flag("purged");
        self.request_hash = reader.text("requestHash").unwrap_or_default();
        self.payment_method = reader.text("paymentMethod").unwrap_or_default();
        self.asynchronous = reader.flag("asynchronous");
        self.order_id_confirmed = reader.flag("orderIdConfirmed");
        self.payment = reader.object("payment");
        self.has_credentials = reader.flag("hasCredentials");
        let (Some(confirm), Some(cancel)) =
            (read_intent(reader.object("confirm")), read_intent(reader.object("cancel")))
        else {
            return false;
        };
        (self.confirm, self.cancel) = (confirm, cancel);
        (self.seen, self.newer_reasons.seen) = read_reasons(reader.texts("seen"));
        self.notes = reader.texts("notes");
        let mut error = Reader(reader.object("error"));
        self.error = error.text("code").map(|code| Problem {
            code,
            outcome: error.text("outcome").unwrap_or_default(),
            description: error.text("description"),
        });
        self.call_until = reader.number("callUntil");
        self.call_ended = reader.flag("callEnded");
        self.refusals = count(reader.number("refusals"));
        self.asking_since = reader.number("askingSince").unwrap_or_default();
        self.tries = count(reader.number("tries"));
        self.not_found = NotFound {
            since: reader.number("notFoundSince").unwrap_or_default(),
            replies: count(reader.number("notFoundTries")),
        };
        self.has_webhook = reader.flag("hasWebhook");
        self.unknown_fields = reader.0;
        true
    }
}

fn count(number: Option<i64>) -> u32 {
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

fn intent_json(intent: &Intent) -> String {
    let mut fields = Fields::new();
    if let Some(state) = intent.state {
        fields.insert("state".to_owned(), json::quoted(state.name()));
        fields.insert("calls".to_owned(), intent.calls.to_string());
        fields.insert("since".to_owned(), intent.since.to_string());
    }
    json::write(&fields)
}

fn read_intent(fields: Fields) -> Option<Intent> {
    let mut reader = Reader(fields);
    let state = match reader.text("state") {
        Some(name) => Some(IntentState::from_name(&name)?),
        None => None,
    };
    Some(Intent {
        state,
        calls: count(reader.number("calls")),
        since: reader.number("since").unwrap_or_default(),
    })
}

/// Splits names into the reasons that this version knows, sorted, and the names of all other reasons.
pub(crate) fn read_reasons(names: Vec<String>) -> (Vec<Reason>, Vec<String>) {
    let (known, newer): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| Reason::from_name(name).is_some());
    let mut reasons: Vec<Reason> = known.iter().filter_map(|name| Reason::from_name(name)).collect();
    reasons.sort_unstable();
    (reasons, newer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::transition_tests::open;

    #[test]
    fn only_what_nobody_needs_any_more_is_erased() {
        let failed =
            Record { standing: Standing::Final, attention: Vec::new(), acknowledged: Level::Final, ..open() };
        assert!(failed.is_forgettable() && failed.is_over());
        let newer = NewerReasons { attention: vec!["newer".to_owned()], ..NewerReasons::default() };
        for needed in [
            Record { attention: vec![Reason::PaidDiffers], ..failed.clone() },
            Record { newer_reasons: newer, ..failed.clone() },
            Record { reported: Level::Final, acknowledged: Level::Credentials, ..failed.clone() },
            Record { standing: Standing::Refused, due_at: Some(1), ..failed.clone() },
        ] {
            assert!(!needed.is_forgettable() && !needed.is_over(), "{needed:?}");
        }
        // A refused attempt is over only if it contains personal data.
        let refused = Record { standing: Standing::Refused, due_at: None, ..failed };
        assert!(!refused.payment.is_empty() && refused.is_over());
        let noted = Record { payment: Fields::new(), notes: vec!["note".to_owned()], ..refused.clone() };
        assert!(noted.is_over());
        let empty = Record { payment: Fields::new(), ..refused };
        assert!(empty.is_forgettable() && !empty.is_over());
    }

    #[test]
    fn a_problem_is_shown_without_the_services_text() {
        let problem = Problem { description: Some("Ivan".to_owned()), ..Problem::not_sent() };
        assert_eq!(format!("{problem:?}"), r#"Problem { code: "storage", outcome: "not_sent", .. }"#);
    }
}
