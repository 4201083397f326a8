//! The columns of an attempt: converts between rows and records.

use std::borrow::Cow;

use merchantpay::Amount;

use crate::model::orphan::Orphan;
use crate::model::record::{Intent, NewerReasons, NotFound, Record, read_reasons};
use crate::model::standing::{Level, Standing};
use crate::storage::store::StoreError;

/// The columns of an attempt, in the order in which they are read.
pub(crate) const COLUMNS: &[&str] = &[
    "reference",
    "attempt",
    "account",
    "standing",
    "order_id",
    "status",
    "sum_asked",
    "sum_paid",
    "reported",
    "acknowledged",
    "attention",
    "due_at",
    "created_at",
    "updated_at",
    "version",
    "writer",
    "token",
    "record",
    "purged",
    "restored",
];

/// Columns that hold numbers.
pub(crate) const NUMBERS: &[&str] = &[
    "attempt",
    "reported",
    "acknowledged",
    "due_at",
    "created_at",
    "updated_at",
    "version",
    "purged",
    "restored",
];

/// The columns whose values are not the same in all new attempts.
pub(crate) const NEW: &[&str] = &[
    "reference",
    "attempt",
    "account",
    "sum_asked",
    "due_at",
    "created_at",
    "updated_at",
    "writer",
    "token",
    "record",
];

/// The columns that a compare-and-swap writes. `acknowledged` has its own statement, so that an
/// acknowledgement and a compare-and-swap do not make each other fail.
pub(crate) const WRITTEN: &[&str] = &[
    "standing",
    "order_id",
    "status",
    "sum_paid",
    "reported",
    "attention",
    "due_at",
    "updated_at",
    "version",
    "writer",
    "record",
];

/// The parameters of a statement.
pub(crate) type Parameters<'a> = Vec<Option<Cow<'a, str>>>;

/// A text parameter.
macro_rules! text {
    ($value:expr) => {
        Some(std::borrow::Cow::from($value))
    };
}

/// A number parameter.
macro_rules! number {
    ($value:expr) => {
        Some(std::borrow::Cow::from($value.to_string()))
    };
}

pub(crate) use {number, text};

/// Splits a row into the clock, which is its first value, and the other values.
pub(crate) fn split(mut row: Vec<Option<String>>) -> Result<(i64, Vec<Option<String>>), StoreError> {
    let rest = row.split_off(1.min(row.len()));
    let now =
        row.pop().flatten().and_then(|text| text.split('.').next().and_then(|whole| whole.parse().ok()));
    now.map(|now| (now, rest)).ok_or_else(|| StoreError::Failed("the database returned no time".to_owned()))
}

/// The values of all columns, in the order of [`COLUMNS`]. `updated_at` is the time of the write.
pub(crate) fn values(record: &Record, updated_at: i64) -> Parameters<'_> {
    let known = record.attention.iter().map(|reason| reason.name());
    let attention: Vec<&str> =
        known.chain(record.newer_reasons.attention.iter().map(String::as_str)).collect();
    vec![
        text!(&record.reference),
        number!(record.attempt),
        text!(&record.account),
        text!(record.standing.name()),
        record.order_id.as_deref().map(Into::into),
        record.status.as_deref().map(Into::into),
        text!(record.sum_asked.to_string()),
        record.sum_paid.map(|sum| sum.to_string().into()),
        number!(record.reported.number()),
        number!(record.acknowledged.number()),
        (!attention.is_empty()).then(|| attention.join(",").into()),
        record.due_at.map(|due_at| due_at.to_string().into()),
        number!(record.created_at),
        number!(updated_at),
        number!(record.version),
        text!(&record.writer),
        text!(&record.token),
        text!(record.to_json()),
        number!(if record.forgotten { FORGOTTEN } else { u8::from(record.purged) }),
        number!(u8::from(record.restored)),
    ]
}

/// The value of the column `purged` for a forgotten reference.
const FORGOTTEN: u8 = 2;

/// The values of all columns by their names.
pub(crate) fn named_values(record: &Record) -> impl Iterator<Item = (&'static str, Option<String>)> + '_ {
    COLUMNS
        .iter()
        .copied()
        .zip(values(record, record.updated_at).into_iter().map(|value| value.map(|value| value.into_owned())))
}

/// Reads an attempt from values that are found by the names of their columns.
pub(crate) fn read_named(mut value: impl FnMut(&str) -> Option<String>) -> Option<Record> {
    read_columns(COLUMNS.iter().map(|column| value(column)).collect())
}

/// Reads the columns of an attempt.
pub(crate) fn read(row: Vec<Option<String>>) -> Result<Record, StoreError> {
    read_or_name(row).map_err(|name| {
        StoreError::Failed(format!("{name} was written by a newer version of this library, or is damaged"))
    })
}

/// Like [`read`]. If the row cannot be read, the error names the row.
pub(crate) fn read_or_name(row: Vec<Option<String>>) -> Result<Record, String> {
    let of = |name| value(&row, name).unwrap_or("?");
    let name = format!("the row of attempt {} of {:?}", of("attempt"), of("reference"));
    read_columns(row).ok_or(name)
}

/// The value of this column in a row with the columns of [`COLUMNS`].
pub(crate) fn value<'a, T: AsRef<str>>(row: &'a [Option<T>], name: &str) -> Option<&'a str> {
    let place = COLUMNS.iter().position(|column| *column == name)?;
    row.get(place)?.as_ref().map(AsRef::as_ref)
}

/// Marks a row of [`COLUMNS`] values as restored.
pub(crate) fn set_restored(row: &mut [Option<String>]) {
    if let Some(place) = COLUMNS.iter().position(|column| *column == "restored") {
        row[place] = Some("1".to_owned());
    }
}

/// The time since which the row is news; `None` if it is not news.
pub(crate) fn news_at(row: &[Option<Cow<'_, str>>]) -> Option<Cow<'static, str>> {
    let level = |name| value(row, name).and_then(|text| text.parse::<i64>().ok()).unwrap_or_default();
    let is_news = level("reported") > level("acknowledged");
    value(row, "updated_at").filter(|_| is_news).map(|time| time.to_owned().into())
}

fn read_columns(row: Vec<Option<String>>) -> Option<Record> {
    let row: [Option<String>; 20] = row.try_into().ok()?;
    let [
        reference,
        attempt,
        account,
        standing,
        order_id,
        status,
        sum_asked,
        sum_paid,
        reported,
        acknowledged,
        attention,
        rest @ ..,
    ] = row;
    let [due_at, created_at, updated_at, version, writer, token, record, purged, restored] = rest;
    // Version 0.2.0 did not export these two columns.
    let (purged, restored) = (purged.unwrap_or_default(), restored.unwrap_or_default());
    let level = |text: Option<String>| Level::from_number(text?.parse().ok()?);
    let optional = |text: Option<String>| {
        text.map(|text| text.parse::<i64>().ok()).map_or(Some(None), |number| number.map(Some))
    };
    let attention = attention.unwrap_or_default();
    let names = attention.split(',').filter(|name| !name.is_empty()).map(str::to_owned);
    let (attention, newer_attention) = read_reasons(names.collect());
    let mut read = Record {
        reference: reference?,
        attempt: attempt?.parse().ok()?,
        account: account?,
        token: token?,
        standing: Standing::from_name(&standing?)?,
        order_id,
        order_id_confirmed: false,
        asynchronous: false,
        request_hash: String::new(),
        payment_method: String::new(),
        sum_asked: sum_asked?.parse::<Amount>().ok()?,
        sum_paid: match sum_paid {
            Some(sum) => Some(sum.parse().ok()?),
            None => None,
        },
        status,
        payment: Default::default(),
        has_credentials: false,
        confirm: Intent::default(),
        cancel: Intent::default(),
        reported: level(reported)?,
        acknowledged: level(acknowledged)?,
        attention,
        seen: Vec::new(),
        newer_reasons: NewerReasons { attention: newer_attention, seen: Vec::new() },
        notes: Vec::new(),
        error: None,
        due_at: optional(due_at)?,
        call_until: None,
        call_ended: false,
        refusals: 0,
        asking_since: 0,
        tries: 0,
        not_found: NotFound::default(),
        has_webhook: false,
        created_at: created_at?.parse().ok()?,
        updated_at: updated_at?.parse().ok()?,
        version: version?.parse().ok()?,
        writer: writer?,
        purged: false,
        forgotten: purged == FORGOTTEN.to_string(),
        restored: restored == "1",
        unknown_fields: Default::default(),
    };
    read.read_json(&record?).then_some(read)
}

pub(crate) fn read_orphan(row: Vec<Option<String>>) -> Option<Orphan> {
    let [order_id, received_at, status, sum, reference, attempt]: [Option<String>; 6] =
        row.try_into().ok()?;
    let attempt = attempt.and_then(|attempt| attempt.parse().ok());
    Some(Orphan {
        order_id: order_id?,
        received_at: received_at?.parse().ok()?,
        status,
        sum,
        attempt: reference.zip(attempt),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::Problem;
    use crate::model::standing::{IntentState, Reason};

    /// A record in which every field has a value.
    fn full() -> Record {
        let text = |text: &str| text.to_owned();
        Record {
            reference: text("order 7 \"я\""),
            attempt: 2,
            account: text("shop"),
            token: text("t"),
            standing: Standing::Final,
            order_id: Some(text("o-1")),
            order_id_confirmed: true,
            asynchronous: true,
            request_hash: text("h"),
            payment_method: text("sbp"),
            sum_asked: "1500.50".parse().unwrap(),
            sum_paid: Some("1500.5".parse().unwrap()),
            status: Some(text("doneSuccess")),
            payment: [(text("sum"), text("1500.50")), (text("payeeName"), text("\"Иван\""))].into(),
            has_credentials: true,
            confirm: Intent { state: Some(IntentState::Unclear), calls: 2, since: 7 },
            cancel: Intent { state: Some(IntentState::Refused), calls: 1, since: 8 },
            reported: Level::Final,
            acknowledged: Level::Credentials,
            attention: vec![Reason::PaidDiffers, Reason::OrderDiffers],
            seen: vec![Reason::Unknown],
            newer_reasons: NewerReasons {
                attention: vec![text("of_tomorrow")],
                seen: vec![text("of_the_day_after")],
            },
            notes: vec![text("by \"support\"")],
            error: Some(Problem {
                code: text("rejected"),
                outcome: text("rejected"),
                description: Some(text("no")),
            }),
            due_at: Some(-5),
            call_until: Some(6),
            call_ended: true,
            refusals: 7,
            asking_since: 3,
            tries: 4,
            not_found: NotFound { since: 5, replies: 6 },
            has_webhook: true,
            created_at: 1,
            updated_at: 2,
            version: 9,
            writer: text("w"),
            purged: false,
            forgotten: true,
            restored: true,
            unknown_fields: [(text("novelty"), text("{\"a\":1.50}"))].into(),
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_with_the_fields_that_are_not_known() {
        let empty = Record {
            order_id: None,
            sum_paid: None,
            status: None,
            due_at: None,
            attention: vec![],
            seen: vec![],
            newer_reasons: NewerReasons::default(),
            notes: vec![],
            error: None,
            confirm: Intent::default(),
            cancel: Intent::default(),
            payment: Default::default(),
            unknown_fields: Default::default(),
            ..full()
        };
        for record in [full(), empty] {
            let row = values(&record, record.updated_at)
                .into_iter()
                .map(|value| value.map(|value| value.into_owned()))
                .collect();
            assert_eq!(read(row).unwrap(), record);
        }
    }

    #[test]
    fn a_row_of_a_newer_version_is_an_error_and_no_other_row() {
        for (column, value) in [
            ("standing", "postponed"),
            ("reported", "9"),
            ("attempt", "x"),
            ("record", "[]"),
            ("sum_asked", "ten"),
        ] {
            let mut row: Vec<Option<String>> =
                values(&full(), 2).into_iter().map(|value| value.map(|value| value.into_owned())).collect();
            let place = COLUMNS.iter().position(|known| *known == column).unwrap();
            row[place] = Some(value.to_owned());
            assert!(matches!(read(row), Err(StoreError::Failed(_))), "{column}");
        }
    }

    #[test]
    fn nothing_of_the_customer_is_in_a_row() {
        let request = merchantpay::PaymentRequest::new(10, merchantpay::PaymentMethod::Sbp, "79001234567")
            .payer_bank("bank-7");
        let asked = crate::model::request::Asked::read("r", "a", &request, false, 0).unwrap();
        let record = Record { request_hash: asked.hash("t"), ..full() };
        let row: Vec<String> = values(&record, record.updated_at)
            .into_iter()
            .flatten()
            .map(|value| value.into_owned())
            .collect();
        assert!(
            !row.iter().any(|value| value.contains("79001234567") || value.contains("bank-7")),
            "{row:?}"
        );
    }
}
