//! An entry: what a merchant sees of an attempt, as a plain value.

use std::fmt;

use merchantpay::{Amount, Payment, Status};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::model::attempt::{Attempt, Intent, IntentState, Reason, Standing};
use crate::model::clock::Clock;
use crate::model::report::Problem;

/// A field of an entry. The languages and the pages are generated from [`Entry::FIELDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryField {
    /// The name in snake case. In JSON it is in camel case.
    pub name: &'static str,
    /// The Rust type.
    pub kind: &'static str,
    /// The meaning in one line.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
}

/// Visits the fields of an entry that have the type `T`.
#[doc(hidden)]
pub trait VisitField<T> {
    fn visit(&mut self, field: &'static EntryField, value: Option<&T>);
}

macro_rules! entry {
    ($( $( #[doc = $doc:literal] )+ $name:ident: $kind:ty $(=> $write:literal)?, since $since:literal; )+) => {
        /// One attempt of a payment. An entry is a value: it does not change after it was read.
        #[derive(Clone, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "camelCase")]
        #[non_exhaustive]
        pub struct Entry {
            $( $( #[doc = $doc] )+ $( #[serde(serialize_with = $write)] )? pub $name: $kind, )+
        }

        impl Entry {
            /// Every field.
            pub const FIELDS: &'static [EntryField] = &[ $( EntryField {
                name: stringify!($name), kind: stringify!($kind), doc: concat!($($doc),+).trim_ascii(), since: $since,
            }, )+ ];

            /// Visits every field in its order, with its value if there is an entry, for other languages.
            #[doc(hidden)]
            pub fn visit_fields<V>(entry: Option<&Entry>, visitor: &mut V)
            where
                $( V: VisitField<$kind>, )+
            {
                let mut fields = Entry::FIELDS.iter();
                $( if let Some(field) = fields.next() {
                    VisitField::<$kind>::visit(visitor, field, entry.map(|entry| &entry.$name));
                } )+
            }
        }
    };
}

entry! {
    /// The merchant's order number.
    reference: String, since "0.2.0";
    /// The number of the attempt, from 1.
    attempt: u32, since "0.2.0";
    /// The state of the attempt. It does not say that the attempt is paid: `succeeded` does.
    standing: Standing => "name", since "0.2.0";
    /// The service's order id, once it is known.
    order_id: Option<String>, since "0.2.0";
    /// The last status that the service reported.
    status: Option<Status> => "status", since "0.4.0";
    /// The requested sum.
    sum_asked: Amount => "amount", since "0.2.0";
    /// The paid sum, once the service has reported a success with its sum.
    sum_paid: Option<Amount> => "amount", since "0.4.0";
    /// Ship: paid with the requested sum, and the reference's only success.
    succeeded: bool, since "0.2.0";
    /// What the customer needs to pay, only while the customer may pay.
    credentials: Option<Payment> => "payment", since "0.2.0";
    /// The number of the newest news. It only grows; 0 if there were none.
    news: i64, since "0.4.0";
    /// The newest news are acknowledged, or there were none.
    acknowledged: bool, since "0.2.0";
    /// The newest instruction: confirm or cancel.
    intent: Option<Intent>, since "0.4.0";
    /// What became of the instruction.
    intent_state: Option<IntentState>, since "0.4.0";
    /// Why a person must look at the attempt.
    attention: Vec<Reason> => "names", since "0.2.0";
    /// The error of the last call about the attempt: code, outcome and the service's description.
    error: Option<Problem>, since "0.2.0";
    /// When the attempt was stored, in milliseconds since 1970 by the database's clock.
    created_at: i64, since "0.2.0";
    /// When it was last written, likewise.
    updated_at: i64, since "0.2.0";
}

impl Entry {
    /// The entry of a row. `all` are the attempts of its reference: beside a success nobody's credentials are
    /// shown.
    pub(crate) fn new(row: &Attempt, all: &[Attempt], clock: Clock) -> Entry {
        let details = row.details.as_deref().filter(|_| row.shows_credentials(all));
        Entry {
            reference: row.reference.clone(),
            attempt: row.attempt,
            standing: row.standing(clock),
            order_id: row.order_id.clone(),
            status: row.status(),
            sum_asked: row.sum_asked,
            sum_paid: row.sum_paid.filter(|_| row.is_success()),
            succeeded: row.succeeded(),
            credentials: details.and_then(Payment::carried),
            news: row.news,
            acknowledged: row.news <= row.acked,
            intent: row.intent,
            intent_state: row.intent_state,
            attention: Reason::of_mask(row.attention(clock)).collect(),
            error: row.error.as_deref().and_then(|error| serde_json::from_str(error).ok()),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }

    /// The entry as one line of JSON, with the fields' names in camel case and every number with its own
    /// digits.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Leaves the payee and the service's text out.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Entry");
        shown
            .field("reference", &self.reference)
            .field("attempt", &self.attempt)
            .field("standing", &self.standing);
        shown
            .field("order_id", &self.order_id)
            .field("status", &self.status)
            .field("succeeded", &self.succeeded);
        shown.field("news", &self.news).field("attention", &self.attention).field("error", &self.error);
        shown.finish_non_exhaustive()
    }
}

fn name<S: Serializer>(standing: &Standing, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(standing.name())
}

fn names<S: Serializer>(reasons: &[Reason], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(reasons.iter().map(|reason| reason.name()))
}

fn status<S: Serializer>(status: &Option<Status>, to: S) -> Result<S::Ok, S::Error> {
    status.as_ref().map(Status::as_str).serialize(to)
}

fn raw<S: Serializer>(text: Option<String>, to: S) -> Result<S::Ok, S::Error> {
    let text = text.map(RawValue::from_string).transpose().map_err(serde::ser::Error::custom)?;
    text.serialize(to)
}

fn amount<S: Serializer>(amount: &(impl Copy + Into<Option<Amount>>), to: S) -> Result<S::Ok, S::Error> {
    raw((*amount).into().map(|amount| amount.to_string()), to)
}

fn payment<S: Serializer>(payment: &Option<Payment>, to: S) -> Result<S::Ok, S::Error> {
    raw(payment.as_ref().map(|payment| payment.json().to_owned()), to)
}
