//! What arguments, results and fields are, and how each is written.

use merchantpay::PaymentFieldKind;

use crate::object::ObjectKind;

/// What a value is. A text is UTF-8 without NUL, a number is in decimal digits, and a flag is `1` or `0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No value.
    Nothing,
    /// A text.
    Text,
    /// The value of an HTTP header, or the path, as it came. Bytes that are not UTF-8 verify nothing and name
    /// nobody; they are no error of the caller.
    Header,
    /// Bytes.
    Bytes,
    /// A whole number of 32 bits, without a sign.
    Number,
    /// A whole number of 64 bits, with a sign.
    LongNumber,
    /// Milliseconds, 32 bits.
    Milliseconds,
    /// Milliseconds since 1970, 64 bits.
    Time,
    /// 1 or 0.
    Flag,
    /// An exact decimal.
    Amount,
    /// A word of a list, by its name.
    Word(&'static str),
    /// A frame of names and values by turns. The value of a setting that is a list is a frame of texts.
    Pairs,
    /// The handle of an object: eight bytes, in the machine's order.
    Handle(ObjectKind),
    /// A record: a frame with a value for each of its fields.
    Record(&'static str),
    /// What the prepared operation returns.
    Answer,
    /// A frame of values.
    List(&'static Kind),
    /// A value that can be absent.
    Optional(&'static Kind),
}

impl Kind {
    /// The name of the kind, such as `record`. It is that of the value in a list or of an optional value.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Text => "text",
            Kind::Header => "header",
            Kind::Bytes => "bytes",
            Kind::Number => "number",
            Kind::LongNumber => "long_number",
            Kind::Milliseconds => "milliseconds",
            Kind::Time => "time",
            Kind::Flag => "flag",
            Kind::Amount => "amount",
            Kind::Word(_) => "word",
            Kind::Pairs => "pairs",
            Kind::Handle(_) => "handle",
            Kind::Record(_) => "record",
            Kind::Answer => "answer",
            Kind::List(kind) | Kind::Optional(kind) => kind.name(),
        }
    }

    /// The list of a word, the record, or the kind of object of a handle.
    pub fn of(self) -> Option<&'static str> {
        match self {
            Kind::Word(name) | Kind::Record(name) => Some(name),
            Kind::Handle(kind) => Some(kind.name()),
            Kind::List(kind) | Kind::Optional(kind) => kind.of(),
            _ => None,
        }
    }

    /// Whether the value is a list.
    pub fn is_list(self) -> bool {
        match self {
            Kind::List(_) => true,
            Kind::Optional(kind) => kind.is_list(),
            _ => false,
        }
    }

    /// Whether the value can be absent.
    pub fn is_optional(self) -> bool {
        matches!(self, Kind::Optional(_))
    }
}

impl From<PaymentFieldKind> for Kind {
    fn from(kind: PaymentFieldKind) -> Kind {
        match kind {
            PaymentFieldKind::OrderId => Kind::Text,
            PaymentFieldKind::Amount => Kind::Optional(&Kind::Amount),
            PaymentFieldKind::Text | PaymentFieldKind::Personal => Kind::Optional(&Kind::Text),
            PaymentFieldKind::Status => Kind::Optional(&Kind::Word("Status")),
        }
    }
}
