//! `attention` and `resolve`: what a person must decide, and the decision.

use std::time::Instant;

use merchantpay::{Amount, Error, Result, Status};
use serde::Serialize;
use serde_json::json;

use crate::api::driver::{Applied, Case};
use crate::api::effort::{Effort, PATIENCE};
use crate::api::entry::Entry;
use crate::api::instruct::Key;
use crate::api::journal::{Journal, Operator};
use crate::api::random::random;
use crate::api::read::{Read, Time, no_entry};
use crate::model::attempt::{Attempt, IntentState, Reason};
use crate::model::clock::Clock;
use crate::model::order::Beside;
use crate::model::person::{self, Refusal};
use crate::model::report::{Answer, Report};
use crate::store::{Message, Unreadable};

/// Rows that cannot be read are named if they, or another attempt of their reference, are due, news, unknown or
/// need a person and fewer readable rows than this come first, whatever the limit is.
pub(crate) const SEARCHED: u32 = 100;

/// In characters.
const LONGEST_NOTE: usize = 500;

/// Something that a person must look at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attention {
    /// An attempt.
    Entry {
        /// Its `attention` has the reasons.
        entry: Box<Entry>,
        /// What each reason means here, in their order.
        details: Vec<String>,
    },
    /// Messages about an order that no attempt has.
    Orphan(Orphan),
    /// A row that this version cannot read, because a newer one or another program has written it.
    Unreadable {
        /// The reference, as far as it is text.
        reference: String,
        /// The attempt's number.
        attempt: u32,
        /// The column that cannot be read.
        column: &'static str,
    },
}

impl Attention {
    /// The item as one line of JSON: an entry with its `details`, an `orphan` or an `unreadable`.
    pub fn to_json(&self) -> String {
        let value = match self {
            Attention::Entry { entry, details } => {
                let details = serde_json::to_string(details).unwrap_or_default();
                let entry = entry.to_json();
                return format!("{},\"details\":{details}}}", entry.strip_suffix('}').unwrap_or(&entry));
            }
            Attention::Orphan(orphan) => {
                return format!("{{\"orphan\":{}}}", serde_json::to_string(orphan).unwrap_or_default());
            }
            Attention::Unreadable { reference, attempt, column } => {
                json!({"unreadable": {"reference": reference, "attempt": attempt, "column": column}})
            }
        };
        value.to_string()
    }
}

/// The messages about an order that no attempt has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Orphan {
    /// The order.
    pub order_id: String,
    /// The status that the messages report. A success stays, and then another final status.
    pub status: Option<String>,
    /// When the first message came, in milliseconds since 1970.
    pub received_at: i64,
    /// The reference of the attempt to whose URL a message came.
    pub reference: Option<String>,
    /// The number of that attempt.
    pub attempt: Option<u32>,
}

/// A person's decision about an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// The attempt's payment is this order. The service is asked about it, and must report this sum: the
    /// asked one unless given.
    Order(String, Option<Amount>),
    /// There is no payment for the attempt, as support says about its `merchantId`.
    NoPayment,
    /// These reasons were seen, and no others: what came meanwhile stays.
    Seen(Vec<Reason>),
    /// A restored attempt is as new as the truth: support was asked about every `merchantId` of the
    /// reference.
    Trusted,
}

impl Operator {
    /// Like [`Journal::attention`], without a client.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn attention(&self, limit: u32) -> Result<Vec<Attention>> {
        let raised = self.tell(self.database.attention(limit))?;
        let mut unknown = self.tell(self.database.unknown(limit))?;
        unknown.attempts.retain(|row| row.attention == 0);
        let mut items = Vec::new();
        for found in [raised, unknown] {
            let time = Time::new(found.now, &self.config);
            for row in &found.attempts {
                let details = self.details(row, time.clock())?;
                items.push(Attention::Entry { entry: Box::new(self.listed(row, time)?), details });
            }
        }
        items.extend(self.orphans(limit)?.into_iter().map(Attention::Orphan));
        let (needed, others) = self.tell(self.database.unreadable(limit.max(SEARCHED)))?;
        items.extend(needed.into_iter().chain(others).map(|Unreadable { reference, attempt, column }| {
            Attention::Unreadable { reference, attempt, column }
        }));
        Ok(items)
    }

    fn orphans(&self, limit: u32) -> Result<Vec<Orphan>> {
        let mut orphans = Vec::new();
        for order in self.tell(self.database.orphans(limit))? {
            let messages = self.tell(self.database.messages_of_order(&order.order_id))?;
            let owner = match &order.token {
                Some(token) => self.tell(self.database.owner(token))?,
                None => None,
            };
            let (reference, attempt) = owner.unzip();
            orphans.push(Orphan {
                status: status_of(&messages),
                order_id: order.order_id,
                received_at: order.received_at,
                reference,
                attempt,
            });
        }
        Ok(orphans)
    }

    fn details(&self, row: &Attempt, clock: Clock) -> Result<Vec<String>> {
        Reason::of_mask(row.attention(clock)).map(|reason| self.detail(row, reason)).collect()
    }

    fn detail(&self, row: &Attempt, reason: Reason) -> Result<String> {
        let status = row.status.as_deref().unwrap_or("none");
        Ok(match reason {
            Reason::Unknown if row.restored => {
                "the row comes from a backup, and later attempts may be missing: ask support about the reference".to_owned()
            }
            Reason::Unknown => "nobody knows whether there is a payment: ask support about the merchantId".to_owned(),
            Reason::OrderUnproven => {
                let hints = self.tell(self.database.hints(&row.token))?;
                let orders: Vec<String> = hints.into_iter().map(|hint| hint.order_id).filter(|order| !order.is_empty()).collect();
                match orders.is_empty() {
                    true => "a message named another order than this attempt's".to_owned(),
                    false => format!("messages name orders that are not proven to be this attempt's: {}", orders.join(", ")),
                }
            }
            Reason::PaidUnasked => format!("it was paid although nobody should have paid it (status {status})"),
            Reason::SumDiffers => match row.sum_paid {
                Some(sum) => format!("the service reports the sum {sum}, asked were {}", row.sum_asked),
                None => format!("the service reports no sum, asked were {}", row.sum_asked),
            },
            Reason::StatusChanged => format!("its final status has changed, and is now {status}"),
            Reason::Stuck => match (row.intent, row.intent_state) {
                (Some(intent), Some(IntentState::Refused)) => format!("the service refused to {intent} it (status {status})"),
                (Some(intent), Some(IntentState::Stored)) => format!("the service does not answer the {intent} (status {status})"),
                _ if row.replaced => format!("it was replaced and is still open (status {status})"),
                _ => format!("the service does not know the order, or does not end it (status {status})"),
            },
        })
    }
}

impl Journal {
    /// What a person must look at: at most `limit` attempts of each kind, at most `limit` orders that
    /// no attempt has, and rows that cannot be read. The latter take no place in a limit.
    ///
    /// # Errors
    ///
    /// `storage` if the journal failed.
    pub fn attention(&self, limit: u32) -> Result<Vec<Attention>> {
        Operator::of(self).attention(limit)
    }

    /// Stores a person's decision about an attempt, with a note, and returns the entry.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the decision does not fit, if the order has another sum or another attempt, or
    /// for a note that is empty or longer than 500 characters; the error of `getStatus`; `storage` if the
    /// journal failed.
    pub fn resolve<'a>(
        &self,
        attempt: impl Into<Key<'a>>,
        resolution: &Resolution,
        note: &str,
    ) -> Result<Entry> {
        check_note(note)?;
        let (key, deadline) = (attempt.into(), self.deadline());
        let effort = Effort::before_call(deadline);
        let read = self.read(key.reference)?;
        let row = read.attempt(key.attempt).cloned().ok_or_else(no_entry)?;
        let entry = Entry::new(&row, &read.all, read.time.clock());
        let (number, standing) = (row.attempt, entry.standing);
        let refused =
            |why: &str| Err(Error::invalid_argument(format!("attempt {number} is {standing}: {why}")));
        let Applied { row, time, .. } = match resolution {
            Resolution::Order(order_id, sum) => self.resolve_order(row, read, order_id, *sum, deadline)?,
            Resolution::NoPayment if !row.is_unknown(read.time.clock()) => {
                return refused("only an unknown one has no payment");
            }
            Resolution::NoPayment => {
                let decide = |case: &Case<'_>| person::no_payment(case.row, case.moment).unwrap_or_default();
                self.apply(row, read, effort, decide)?
            }
            Resolution::Seen(reasons) => {
                let mask = reasons.iter().fold(0, |mask, reason| mask | reason.bit());
                if mask == 0 {
                    return Err(Error::invalid_argument("name the reasons that were seen"));
                }
                if mask & !(row.attention(read.time.clock()) | row.seen) != 0 {
                    return refused("it does not have this reason: read the attention list again");
                }
                self.apply(row, read, effort, |case| person::seen(case.row, mask, case.moment))?
            }
            Resolution::Trusted if !row.restored => return refused("it does not come from a backup"),
            Resolution::Trusted if person::trusted(&row, &read.time.moment()?).is_err() => {
                return refused("only one that is refused or final is trusted; decide about it first");
            }
            Resolution::Trusted => {
                let decide = |case: &Case<'_>| person::trusted(case.row, case.moment).unwrap_or_default();
                self.apply(row, read, effort, decide)?
            }
        };
        self.note(&row.token, row.order_id.as_deref().unwrap_or_default(), note)?;
        self.entry_of(&row, time)
    }

    fn resolve_order(
        &self,
        row: Attempt,
        read: Read,
        order_id: &str,
        sum: Option<Amount>,
        deadline: Instant,
    ) -> Result<Applied> {
        let about = |error: Error| error.with_order_id(Some(order_id));
        let wrong = |why: &str| about(Error::invalid_argument(why));
        let sum = sum.unwrap_or(row.sum_asked);
        let report = match self.ask(order_id, deadline) {
            (Answer::Report(report), _) => report,
            (_, Some(error)) => return Err(about(error)),
            _ => return Err(wrong("the service could not be asked about the order")),
        };
        let is_taken =
            !self.database.by_order(order_id).map_err(|failure| self.failed(&failure))?.attempts.is_empty();
        let decide = |case: &Case<'_>, report: &Report| {
            let beside = Beside::of(case.others);
            person::has_order(case.row, report, sum, is_taken || case.is_duplicate, beside, case.moment)
        };
        // Refusals come before the write; what changes meanwhile drops it.
        let moment = read.time.moment()?;
        let others = read.others(row.attempt);
        let first = Case { row: &row, others: &others, moment: &moment, is_duplicate: false };
        decide(&first, &report).map_err(|refusal| match refusal {
            Refusal::NotUnknown | Refusal::NotOver => {
                wrong("only an attempt that is unknown can be given an order")
            }
            Refusal::Taken => wrong("the order belongs to another attempt"),
            Refusal::OtherSum => {
                wrong("the service reports another sum for the order: name that sum if it is the right order")
            }
        })?;
        let decided = |case: &Case<'_>| decide(case, &report).unwrap_or_default();
        let applied = self.apply(row, read, Effort::after_call(deadline), decided)?;
        match applied.row.order_id.as_deref() == Some(order_id) {
            true => Ok(applied),
            false => Err(wrong("the attempt has changed meanwhile: read it again")),
        }
    }

    /// Marks the messages about an order that no attempt has as seen, if they still report the status that
    /// the person has read.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if they report another status by now, or for the note as in
    /// [`resolve`](Journal::resolve); `storage` if the journal failed.
    pub fn resolve_orphan(&self, order_id: &str, status: Option<&str>, note: &str) -> Result<()> {
        check_note(note)?;
        let told = |failure| self.failed(&failure);
        let messages = self.database.messages_of_order(order_id).map_err(told)?;
        let wrong = |why: &str| Err(Error::invalid_argument(why.to_owned()).with_order_id(Some(order_id)));
        let Some(first) = messages.first() else {
            return wrong("the journal has no message about this order");
        };
        if status_of(&messages).as_deref() != status {
            return wrong(
                "the messages about this order report another status: read the attention list again",
            );
        }
        self.database.see(&messages).map_err(told)?;
        self.note(&first.token, order_id, note)
    }

    /// Stores a person's note as a message that nobody must look at.
    fn note(&self, token: &str, order_id: &str, note: &str) -> Result<()> {
        let digest = random()?;
        let effort = Effort::patient(Instant::now() + PATIENCE);
        self.patiently(effort, || self.database.insert_note(token, &digest, order_id, note))
    }
}

/// The kind of a message that a person has written.
pub(crate) const NOTE: &str = "note";

/// The status that messages about an order report, in whatever order they came.
fn status_of(messages: &[Message]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Body {
        status: Option<String>,
    }
    let read =
        |message: &Message| serde_json::from_str::<Body>(&message.body).ok().and_then(|body| body.status);
    let rank = |status: &String| match Status::from(status.clone()) {
        Status::DoneSuccess => 2,
        status if status.is_final() => 1,
        _ => 0,
    };
    messages.iter().filter(|message| message.kind != NOTE).filter_map(read).max_by_key(rank)
}

pub(crate) fn check_note(note: &str) -> Result<()> {
    if note.trim().is_empty() || note.chars().count() > LONGEST_NOTE || note.contains('\0') {
        return Err(Error::invalid_argument(format!(
            "a note must have 1 to {LONGEST_NOTE} characters: write who decided, and why"
        )));
    }
    Ok(())
}
