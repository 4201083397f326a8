//! An attempt as a row. One table of columns serves every statement.

use merchantpay::Amount;

use super::connection::Value;
use crate::model::attempt::{Attempt, Intent, IntentState, State};

/// A column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A time in milliseconds since 1970, a counter, a bit mask or a flag.
    Number,
    /// A text that is compared byte for byte.
    Key,
    OrderId,
    /// A short text: a word of the library's own lists, a random text, a digest.
    Word,
    Text,
}

/// Which statement writes a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// Every write of a whole row.
    Always,
    /// Using a row again. Other writes leave these out: SQLite and PostgreSQL write each index whose column a
    /// statement names or changes.
    Reused,
    /// None, or a statement of its own: a whole-row write that was decided before an acknowledgement would take
    /// back `acked` and `news_due`. `news` is written together with `news_due`.
    Apart,
}

macro_rules! columns {
    ($( $name:ident: $type:ty, $kind:ident, $writes:ident; )+) => {
        const COUNT: usize = [$( stringify!($name) ),+].len();

        /// The columns of an attempt, in the order of [`read`].
        pub(super) const COLUMNS: [(&str, Kind); COUNT] = [$( (stringify!($name), Kind::$kind) ),+];

        /// Which of them can be NULL.
        pub(super) const OPTIONAL: [bool; COUNT] = [$( <$type as Column>::IS_OPTIONAL ),+];

        const WRITES: [Writes; COUNT] = [$( Writes::$writes ),+];

        pub(super) fn values(attempt: &Attempt) -> [Value; COUNT] {
            [$( attempt.$name.value() ),+]
        }

        fn attempt(mut next: impl FnMut() -> Option<Value>) -> Option<Attempt> {
            Some(Attempt { $( $name: <$type as Column>::read(next()?)?, )+ })
        }
    };
}

columns! {
    reference: String, Key, Apart;
    attempt: u32, Number, Apart;
    token: String, Word, Reused;
    stamp: String, Word, Always;
    state: State, Word, Always;
    call_until: Option<i64>, Number, Always;
    order_id: Option<String>, OrderId, Always;
    status: Option<String>, Text, Always;
    sum_asked: Amount, Word, Reused;
    sum_paid: Option<Amount>, Word, Always;
    details: Option<String>, Text, Always;
    asked: Option<String>, Word, Always;
    due_at: Option<i64>, Number, Always;
    tries: u32, Number, Always;
    asking_since: Option<i64>, Number, Always;
    news: i64, Number, Apart;
    acked: i64, Number, Apart;
    news_due: Option<i64>, Number, Apart;
    success_of: Option<String>, Key, Always;
    error: Option<String>, Text, Always;
    intent: Option<Intent>, Word, Always;
    intent_state: Option<IntentState>, Word, Always;
    intent_calls: u32, Number, Always;
    attention: u32, Number, Always;
    seen: u32, Number, Always;
    replaced: bool, Number, Always;
    restored: bool, Number, Always;
    not_sent: bool, Number, Always;
    refusals: u32, Number, Always;
    asynchronous: bool, Number, Reused;
    receipt_given: bool, Number, Always;
    created_at: i64, Number, Apart;
    updated_at: i64, Number, Always;
}

/// The places in [`COLUMNS`] of what a transition writes, or what using a row again writes.
pub(super) fn written(is_reused: bool) -> impl Iterator<Item = usize> {
    let is_written = move |place: &usize| match WRITES[*place] {
        Writes::Always => true,
        Writes::Reused => is_reused,
        Writes::Apart => false,
    };
    (0..COUNT).filter(is_written)
}

trait Column: Sized {
    const IS_OPTIONAL: bool = false;

    fn value(&self) -> Value;

    /// `None` if this version cannot read the value.
    fn read(value: Value) -> Option<Self>;
}

impl<T: Column> Column for Option<T> {
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::value)
    }

    fn read(value: Value) -> Option<Option<T>> {
        if value == Value::Null { Some(None) } else { T::read(value).map(Some) }
    }
}

macro_rules! column_types {
    ($( $type:ty: $to:expr, $from:expr; )+) => { $(
        impl Column for $type {
            fn value(&self) -> Value {
                let to: fn(&$type) -> Value = $to;
                to(self)
            }

            fn read(value: Value) -> Option<$type> {
                let from: fn(Value) -> Option<$type> = $from;
                from(value)
            }
        }
    )+ };
}

column_types! {
    String: |text| text.into(), Value::into_text;
    i64: |number| (*number).into(), |value| value.integer();
    u32: |number| (*number).into(), |value| value.integer()?.try_into().ok();
    bool: |flag| (*flag).into(), |value| u8::try_from(value.integer()?).ok().filter(|flag| *flag < 2).map(|flag| flag == 1);
    Amount: |sum| (&sum.to_string()).into(), |value| value.into_text()?.parse().ok();
    State: |state| state.name().into(), |value| State::from_name(&value.into_text()?);
    Intent: |intent| intent.name().into(), |value| Intent::from_name(&value.into_text()?);
    IntentState: |state| state.name().into(), |value| IntentState::from_name(&value.into_text()?);
}

/// The key of an attempt that cannot be read, because a newer version or another program wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The reference, as far as it is text.
    pub reference: String,
    /// The attempt's number, or 0.
    pub attempt: u32,
    pub column: &'static str,
}

pub(super) fn read(row: Vec<Value>) -> Result<Attempt, Unreadable> {
    let key = (row.first().cloned().and_then(Value::into_text), row.get(1).and_then(Value::integer));
    let (mut values, mut columns, mut column) = (row.into_iter(), COLUMNS.iter(), "reference");
    let read = attempt(|| {
        column = columns.next()?.0;
        values.next()
    });
    read.ok_or_else(|| Unreadable {
        reference: key.0.unwrap_or_default(),
        attempt: key.1.and_then(|number| number.try_into().ok()).unwrap_or_default(),
        column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(attempt: &Attempt) -> Vec<Value> {
        values(attempt).into()
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
            receipt_given: false,
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
}
