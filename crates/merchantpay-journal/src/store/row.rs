//! An attempt as a row. One list of columns serves every statement.

use merchantpay::Amount;

use super::connection::Value;
use crate::model::attempt::{Attempt, Intent, IntentState, State};

/// A column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Text,
}

use Kind::{Number, Text};

/// The columns of an attempt, in the order of [`read`].
pub(super) const COLUMNS: [(&str, Kind); 32] = [
    ("reference", Text),
    ("attempt", Number),
    ("token", Text),
    ("stamp", Text),
    ("state", Text),
    ("call_until", Number),
    ("order_id", Text),
    ("status", Text),
    ("sum_asked", Text),
    ("sum_paid", Text),
    ("details", Text),
    ("asked", Text),
    ("due_at", Number),
    ("tries", Number),
    ("asking_since", Number),
    ("news", Number),
    ("acked", Number),
    ("news_due", Number),
    ("success_of", Text),
    ("error", Text),
    ("intent", Text),
    ("intent_state", Text),
    ("intent_calls", Number),
    ("attention", Number),
    ("seen", Number),
    ("replaced", Number),
    ("restored", Number),
    ("not_sent", Number),
    ("refusals", Number),
    ("asynchronous", Number),
    ("created_at", Number),
    ("updated_at", Number),
];

/// What a transition writes. `acked` and `news_due` have statements of their own: a whole-row write that was
/// decided before an acknowledgement would take it back. `news` is written together with `news_due`.
pub(super) const WRITTEN: [&str; 23] = [
    "stamp",
    "state",
    "call_until",
    "order_id",
    "status",
    "sum_paid",
    "details",
    "asked",
    "due_at",
    "tries",
    "asking_since",
    "success_of",
    "error",
    "intent",
    "intent_state",
    "intent_calls",
    "attention",
    "seen",
    "replaced",
    "restored",
    "not_sent",
    "refusals",
    "updated_at",
];

/// What using a row again writes too. Other writes leave these out: SQLite and PostgreSQL write each index
/// whose column a statement names or changes.
pub(super) const REUSED: [&str; 3] = ["token", "sum_asked", "asynchronous"];

/// The key of an attempt that cannot be read, because a newer version or another program wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The reference, as far as it is text.
    pub reference: String,
    /// The attempt's number, or 0.
    pub attempt: u32,
    /// The column that cannot be read.
    pub column: &'static str,
}

/// The value of a column.
pub(super) fn value(attempt: &Attempt, column: &str) -> Value {
    let a = attempt;
    match column {
        "reference" => (&a.reference).into(),
        "attempt" => a.attempt.into(),
        "token" => (&a.token).into(),
        "stamp" => (&a.stamp).into(),
        "state" => a.state.name().into(),
        "call_until" => (&a.call_until).into(),
        "order_id" => (&a.order_id).into(),
        "status" => (&a.status).into(),
        "sum_asked" => (&a.sum_asked.to_string()).into(),
        "sum_paid" => (&a.sum_paid.map(|sum| sum.to_string())).into(),
        "details" => (&a.details).into(),
        "asked" => (&a.asked).into(),
        "due_at" => (&a.due_at).into(),
        "tries" => a.tries.into(),
        "asking_since" => (&a.asking_since).into(),
        "news" => a.news.into(),
        "acked" => a.acked.into(),
        "news_due" => (&a.news_due).into(),
        "success_of" => (&a.success_of).into(),
        "error" => (&a.error).into(),
        "intent" => a.intent.map_or(Value::Null, |intent| intent.name().into()),
        "intent_state" => a.intent_state.map_or(Value::Null, |state| state.name().into()),
        "intent_calls" => a.intent_calls.into(),
        "attention" => a.attention.into(),
        "seen" => a.seen.into(),
        "replaced" => a.replaced.into(),
        "restored" => a.restored.into(),
        "not_sent" => a.not_sent.into(),
        "refusals" => a.refusals.into(),
        "asynchronous" => a.asynchronous.into(),
        "created_at" => a.created_at.into(),
        "updated_at" => a.updated_at.into(),
        _ => Value::Null,
    }
}

pub(super) fn values<'a>(
    attempt: &'a Attempt,
    columns: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = Value> {
    columns.into_iter().map(|column| value(attempt, column))
}

/// Reads a row of [`COLUMNS`].
pub(super) fn read(row: Vec<Value>) -> Result<Attempt, Unreadable> {
    let key = (row.first().cloned().and_then(Value::into_text), row.get(1).and_then(Value::integer));
    let mut reader = Reader { values: row.into_iter(), columns: COLUMNS.iter(), column: "reference" };
    reader.attempt().ok_or_else(|| Unreadable {
        reference: key.0.unwrap_or_default(),
        attempt: key.1.and_then(|number| number.try_into().ok()).unwrap_or_default(),
        column: reader.column,
    })
}

struct Reader {
    values: std::vec::IntoIter<Value>,
    columns: std::slice::Iter<'static, (&'static str, Kind)>,
    /// The column that is being read.
    column: &'static str,
}

impl Reader {
    fn attempt(&mut self) -> Option<Attempt> {
        Some(Attempt {
            reference: self.text()?,
            attempt: self.number()?,
            token: self.text()?,
            stamp: self.text()?,
            state: self.word(State::from_name)?,
            call_until: self.time()?,
            order_id: self.optional()?,
            status: self.optional()?,
            sum_asked: self.sum()??,
            sum_paid: self.sum()?,
            details: self.optional()?,
            asked: self.optional()?,
            due_at: self.time()?,
            tries: self.number()?,
            asking_since: self.time()?,
            news: self.number()?,
            acked: self.number()?,
            news_due: self.time()?,
            success_of: self.optional()?,
            error: self.optional()?,
            intent: self.optional_word(Intent::from_name)?,
            intent_state: self.optional_word(IntentState::from_name)?,
            intent_calls: self.number()?,
            attention: self.number()?,
            seen: self.number()?,
            replaced: self.flag()?,
            restored: self.flag()?,
            not_sent: self.flag()?,
            refusals: self.number()?,
            asynchronous: self.flag()?,
            created_at: self.number()?,
            updated_at: self.number()?,
        })
    }

    fn next(&mut self) -> Option<Value> {
        self.column = self.columns.next()?.0;
        self.values.next()
    }

    fn text(&mut self) -> Option<String> {
        self.next()?.into_text()
    }

    fn optional(&mut self) -> Option<Option<String>> {
        self.next().map(Value::into_text)
    }

    fn number<T: TryFrom<i64>>(&mut self) -> Option<T> {
        self.next()?.integer()?.try_into().ok()
    }

    fn time(&mut self) -> Option<Option<i64>> {
        match self.next()? {
            Value::Null => Some(None),
            value => value.integer().map(Some),
        }
    }

    fn flag(&mut self) -> Option<bool> {
        match self.next()?.integer()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn sum(&mut self) -> Option<Option<Amount>> {
        self.optional()?.map_or(Some(None), |text| text.parse().ok().map(Some))
    }

    fn word<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        read(&self.text()?)
    }

    fn optional_word<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
        self.optional()?.map_or(Some(None), |text| read(&text).map(Some))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(attempt: &Attempt) -> Vec<Value> {
        values(attempt, COLUMNS.iter().map(|(name, _)| *name)).collect()
    }

    /// An attempt whose columns all have different values.
    fn attempt() -> Attempt {
        let text = |name: &str| Some(name.to_owned());
        Attempt {
            reference: "order".to_owned(),
            attempt: 2,
            token: "token".to_owned(),
            stamp: "stamp".to_owned(),
            state: State::Open,
            call_until: Some(3),
            order_id: text("o-1"),
            status: text("pending"),
            sum_asked: "1500.50".parse().unwrap(),
            sum_paid: Some("1500.5".parse().unwrap()),
            details: text("{}"),
            asked: text("hash"),
            due_at: Some(4),
            tries: 5,
            asking_since: Some(6),
            news: 7,
            acked: 8,
            news_due: Some(9),
            success_of: text("order"),
            error: text("{\"code\":20}"),
            intent: Some(Intent::Confirm),
            intent_state: Some(IntentState::Stored),
            intent_calls: 10,
            attention: 11,
            seen: 12,
            replaced: true,
            restored: false,
            not_sent: true,
            refusals: 13,
            asynchronous: true,
            created_at: 14,
            updated_at: 15,
        }
    }

    #[test]
    fn row_is_read_as_it_was_written() {
        let attempt = attempt();
        assert_eq!(read(row(&attempt)), Ok(attempt.clone()));
        let texts = row(&attempt).into_iter().map(|value| value.into_text().map_or(Value::Null, Value::Text));
        assert_eq!(read(texts.collect()), Ok(attempt), "a driver that returns every value as text");
    }

    #[test]
    fn row_of_another_version_is_named_by_its_key() {
        for (column, value) in [
            ("state", Value::from("haggling")),
            ("state", Value::Null),
            ("sum_asked", Value::from("1,50")),
            ("intent", Value::from("refund")),
            ("replaced", Value::Integer(2)),
            ("attention", Value::Integer(-1)),
            ("updated_at", Value::from("soon")),
        ] {
            let mut row = row(&attempt());
            let place = COLUMNS.iter().position(|(name, _)| *name == column).unwrap();
            row[place] = value;
            let unreadable = Unreadable { reference: "order".to_owned(), attempt: 2, column };
            assert_eq!(read(row), Err(unreadable));
        }
    }

    #[test]
    fn every_column_is_written_by_some_statement() {
        let apart = ["reference", "attempt", "created_at", "news", "acked", "news_due"];
        for (name, _) in COLUMNS {
            let writers = [WRITTEN.contains(&name), REUSED.contains(&name), apart.contains(&name)];
            assert_eq!(writers.iter().filter(|is| **is).count(), 1, "{name}");
        }
    }
}
