//! An entry: what the journal knows about a payment, as a merchant sees it.

use std::fmt;

use merchantpay::{Amount, Paid, Payment, Status};

use crate::model::json::{self, Fields};
use crate::model::record::{Intent, Problem, Reasons, Record};
use crate::model::standing::{IntentState, Level, Reason, Standing};
use merchantpay::Word;

/// One attempt of a payment, with the earlier attempts. The entry of a reference is the reference's last
/// attempt.
///
/// `Debug` leaves out the payee.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    record: Record,
    standing: Standing,
    credentials: Option<Payment>,
    payment: Option<Payment>,
    earlier: Vec<Entry>,
}

impl Entry {
    /// All fields, with the names that they have in the other languages.
    pub const FIELDS: &'static [Word] = &[
        Word { name: "reference", number: 1, doc: "The merchant's own order number.", since: "0.2.0" },
        Word { name: "attempt", number: 2, doc: "The number of the attempt, from 1.", since: "0.2.0" },
        Word { name: "standing", number: 3, doc: "The state of the attempt in the journal.", since: "0.2.0" },
        Word {
            name: "orderId",
            number: 4,
            doc: "The service's order id; absent until it is known.",
            since: "0.2.0",
        },
        Word { name: "sumAsked", number: 5, doc: "The requested sum.", since: "0.2.0" },
        Word {
            name: "paid",
            number: 6,
            doc: "The paid sum compared with the requested sum: exactly, less or more; absent until it is known.",
            since: "0.2.0",
        },
        Word {
            name: "succeeded",
            number: 7,
            doc: "True if the payment has succeeded with exactly the requested sum.",
            since: "0.2.0",
        },
        Word {
            name: "credentials",
            number: 8,
            doc: "The payment details that the customer needs (credentials); present only while the customer may pay.",
            since: "0.2.0",
        },
        Word {
            name: "payment",
            number: 9,
            doc: "The payment, merged from all messages of the service.",
            since: "0.2.0",
        },
        Word {
            name: "confirm",
            number: 10,
            doc: "The state of the confirm; absent if there is no confirm.",
            since: "0.2.0",
        },
        Word {
            name: "cancel",
            number: 11,
            doc: "The state of the cancel; absent if there is no cancel.",
            since: "0.2.0",
        },
        Word {
            name: "reported",
            number: 12,
            doc: "The level that the attempt has reached, for example credentials or final.",
            since: "0.2.0",
        },
        Word {
            name: "acknowledged",
            number: 13,
            doc: "The level that the merchant has acknowledged.",
            since: "0.2.0",
        },
        Word {
            name: "error",
            number: 14,
            doc: "The error of the last call for the attempt: code, outcome and description.",
            since: "0.2.0",
        },
        Word {
            name: "attention",
            number: 15,
            doc: "The reasons for which an operator must decide about the attempt.",
            since: "0.2.0",
        },
        Word {
            name: "createdAt",
            number: 16,
            doc: "The time at which the attempt was stored, in milliseconds since 1970 by the database's clock.",
            since: "0.2.0",
        },
        Word { name: "updatedAt", number: 17, doc: "The time of the last write.", since: "0.2.0" },
        Word {
            name: "dueAt",
            number: 18,
            doc: "The time at which the journal queries the service next; absent if no query is planned.",
            since: "0.2.0",
        },
    ];

    pub(crate) fn new(record: Record, now: i64) -> Entry {
        let payment = record.reported_payment();
        let credentials = payment.clone().filter(|_| record.shows_credentials());
        let standing = record.standing_at(now);
        Entry { record, standing, credentials, payment, earlier: Vec::new() }
    }

    /// Makes an entry from attempts that are sorted with the newest first.
    pub(crate) fn of_attempts(attempts: Vec<(i64, Record)>) -> Option<Entry> {
        let mut attempts = attempts.into_iter().map(|(now, record)| Entry::new(record, now));
        let last = attempts.next()?;
        Some(Entry { earlier: attempts.collect(), ..last })
    }

    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// The merchant's own order number.
    pub fn reference(&self) -> &str {
        &self.record.reference
    }

    /// The number of this attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.record.attempt
    }

    /// The standing of this attempt.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// The service's order id, if it is known.
    pub fn order_id(&self) -> Option<&str> {
        self.record.order_id.as_deref()
    }

    /// The last status that the service reported, if any. The status stays when the details are purged.
    pub fn status(&self) -> Option<Status> {
        self.record.status()
    }

    /// The sum that the merchant asked for.
    pub fn sum_asked(&self) -> Amount {
        self.record.sum_asked
    }

    /// The paid sum, compared with the requested sum; `None` until the paid sum is known.
    pub fn paid(&self) -> Option<Paid> {
        self.record.paid()
    }

    /// Returns `true` if the payment succeeded with exactly the requested sum. The standing alone does not
    /// prove that.
    pub fn succeeded(&self) -> bool {
        self.record.succeeded()
    }

    /// The credentials with which the customer pays. They are present only while the customer is allowed to
    /// pay: the attempt is open, no cancel is stored, and sum and currency are as requested.
    pub fn credentials(&self) -> Option<&Payment> {
        self.credentials.as_ref()
    }

    /// The payment, merged from all messages of the service about this payment.
    pub fn payment(&self) -> Option<&Payment> {
        self.payment.as_ref()
    }

    /// The state of the confirm.
    pub fn confirm(&self) -> Option<IntentState> {
        self.record.confirm.state
    }

    /// The state of the cancel.
    pub fn cancel(&self) -> Option<IntentState> {
        self.record.cancel.state
    }

    /// The level that this attempt has reached.
    pub fn reported(&self) -> Level {
        self.record.reported
    }

    /// The level that the merchant has acknowledged.
    pub fn acknowledged(&self) -> Level {
        self.record.acknowledged
    }

    /// The error of the last call for this attempt.
    pub fn error(&self) -> Option<&Problem> {
        self.record.error.as_ref()
    }

    /// The reasons for which an operator must decide about this attempt. Reasons of a newer library version
    /// are only in [`to_json`](Entry::to_json).
    pub fn attention(&self) -> &[Reason] {
        &self.record.attention
    }

    /// All reasons that the entry shows. If the attempt's call ended without a response, `unknown` is one of
    /// these reasons.
    pub(crate) fn shown_reasons(&self) -> Reasons {
        let mut known = self.record.attention.clone();
        if self.standing == Standing::Unknown {
            known.push(Reason::Unknown);
        }
        Reasons { known, newer: self.record.newer_reasons.attention.clone() }
    }

    /// The notes of operators and of the journal, the oldest first.
    pub fn notes(&self) -> &[String] {
        &self.record.notes
    }

    /// The time at which the attempt was stored, in milliseconds since 1970 by the database's clock.
    pub fn created_at(&self) -> i64 {
        self.record.created_at
    }

    /// The time of the last write, in milliseconds since 1970 by the database's clock.
    pub fn updated_at(&self) -> i64 {
        self.record.updated_at
    }

    /// The time at which the journal asks the service about this attempt next.
    pub fn due_at(&self) -> Option<i64> {
        self.record.due_at
    }

    /// The earlier attempts, the newest first. The list is empty if the caller asked for a single attempt.
    pub fn earlier(&self) -> &[Entry] {
        &self.earlier
    }

    /// The entry as one line of JSON, with the names of [`Entry::FIELDS`].
    pub fn to_json(&self) -> String {
        let mut fields = Vec::new();
        let mut put = |name: &str, value: String| fields.push(format!("{}:{value}", json::quoted(name)));
        put("reference", json::quoted(self.reference()));
        put("attempt", self.attempt().to_string());
        put("standing", json::quoted(self.standing.name()));
        put("orderId", self.order_id().map_or("null".to_owned(), json::quoted));
        put("sumAsked", self.sum_asked().to_string());
        put("paid", self.paid().map_or("null".to_owned(), |paid| json::quoted(paid.name())));
        put("succeeded", self.succeeded().to_string());
        if self.credentials.is_some() {
            put("credentials", json::write(&self.record.payment));
        }
        if self.payment.is_some() {
            put("payment", json::write(&self.record.payment));
        }
        for (name, intent) in [("confirm", &self.record.confirm), ("cancel", &self.record.cancel)] {
            put(name, state_json(intent));
        }
        put("reported", json::quoted(self.reported().name()));
        put("acknowledged", json::quoted(self.acknowledged().name()));
        if let Some(problem) = self.error() {
            put("error", problem_json(problem));
        }
        let newer = self.record.newer_reasons.attention.iter().map(String::as_str);
        let reasons: Vec<&str> = self.attention().iter().map(|reason| reason.name()).chain(newer).collect();
        if !reasons.is_empty() {
            put("attention", json::list(reasons.into_iter()));
        }
        put("createdAt", self.created_at().to_string());
        put("updatedAt", self.updated_at().to_string());
        if let Some(due_at) = self.due_at() {
            put("dueAt", due_at.to_string());
        }
        format!("{{{}}}", fields.join(","))
    }
}

fn state_json(intent: &Intent) -> String {
    intent.state.map_or("null".to_owned(), |state| json::quoted(state.name()))
}

fn problem_json(problem: &Problem) -> String {
    let mut fields = Fields::new();
    fields.insert("code".to_owned(), json::quoted(&problem.code));
    fields.insert("outcome".to_owned(), json::quoted(&problem.outcome));
    if let Some(description) = &problem.description {
        fields.insert("description".to_owned(), json::quoted(description));
    }
    json::write(&fields)
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("reference", &self.reference())
            .field("attempt", &self.attempt())
            .field("standing", &self.standing())
            .field("order_id", &self.order_id())
            .field("status", &self.record.status)
            .field("reported", &self.reported())
            .field("acknowledged", &self.acknowledged())
            .field("attention", &self.attention())
            .finish_non_exhaustive()
    }
}
