//! Reads a call's arguments, in the order of its row.

use std::borrow::Cow;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use merchantpay::{
    Amount, AmountsRequest, Error, PaymentRequest, REQUEST_FIELDS, Receipt, RequestValues, Result,
};

use crate::handles::find;
use crate::kinds::Kind;
use crate::lists::Named;
use crate::names::Style;
use crate::object::{Held, Object, ObjectKind};
use crate::records::REQUEST;
use crate::records::{Field, Record};
use crate::value::{Item, Values};

/// An argument of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The name in snake case.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The value if it is absent, as text: `""` for none. `None` if it cannot be absent.
    pub default: Option<&'static str>,
}

/// A name and its value, as the host gave them.
pub(crate) type Pair<'a> = (Option<&'a [u8]>, Option<Item<'a>>);

/// How a host sleeps between two requests to the service.
#[derive(Clone, Copy)]
pub struct Pause<'a> {
    /// Sleeps. Its error ends the call.
    pub sleep: &'a dyn Fn(Duration) -> Result<()>,
    /// The time since a wait began that the host has left at a pause, and makes again now.
    pub waited: Duration,
}

/// The arguments of a running call. Each method reads the next one.
pub(crate) struct Arguments<'a> {
    style: Style,
    rows: Cow<'static, [Argument]>,
    values: Values<'a>,
    next: usize,
    pause: Option<Pause<'a>>,
}

/// An argument, and what the host gave for it.
#[derive(Clone, Copy)]
struct Given<'a> {
    name: &'static str,
    value: Option<Item<'a>>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(style: Style, rows: Cow<'static, [Argument]>, values: Values<'a>) -> Arguments<'a> {
        Arguments { style, rows, values, next: 0, pause: None }
    }

    /// Lets the host sleep between two requests of this call.
    pub(crate) fn with_pause(self, pause: Option<Pause<'a>>) -> Arguments<'a> {
        Arguments { pause, ..self }
    }

    pub(crate) fn pause(&self) -> Option<Pause<'a>> {
        self.pause
    }

    /// A new object for the same host.
    pub(crate) fn object(&self, held: Held) -> Arc<Object> {
        Arc::new(Object::new(held, self.style))
    }

    fn next(&mut self, kind: Kind) -> Given<'a> {
        let index = self.next;
        self.next += 1;
        let Some(row) = self.rows.get(index) else {
            debug_assert!(false, "a call reads more arguments than its row has");
            return Given { name: "", value: None };
        };
        debug_assert_eq!(row.kind, kind, "{}", row.name);
        let default = row.default.filter(|text| !text.is_empty()).map(str::as_bytes);
        Given { name: row.name, value: self.values.get(index).or(default.map(Item::Bytes)) }
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<&'a str>> {
        self.next(Kind::Text).text()
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        self.next(Kind::Text).needed_text()
    }

    pub(crate) fn header(&mut self) -> Option<Cow<'a, str>> {
        self.next(Kind::Header).value.and_then(Item::bytes).map(lossy)
    }

    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        self.next(Kind::Bytes).value.and_then(Item::bytes).unwrap_or_default()
    }

    pub(crate) fn number(&mut self) -> Result<u32> {
        self.next(Kind::Number).parsed("must be a whole number from 0 to 4294967295")
    }

    pub(crate) fn long_number(&mut self) -> Result<i64> {
        self.next(Kind::LongNumber).parsed("must be a whole number of 64 bits")
    }

    pub(crate) fn milliseconds(&mut self) -> Result<Duration> {
        let given = self.next(Kind::Milliseconds);
        let number: u32 = given.parsed("must be a whole number of milliseconds from 0 to 4294967295")?;
        Ok(Duration::from_millis(number.into()))
    }

    pub(crate) fn amount(&mut self) -> Result<Amount> {
        let given = self.next(Kind::Amount);
        Amount::from_argument(given.name, given.needed_text()?)
    }

    pub(crate) fn optional_amount(&mut self) -> Result<Option<Amount>> {
        let given = self.next(Kind::Amount);
        given.text()?.map(|text| Amount::from_argument(given.name, text)).transpose()
    }

    pub(crate) fn word<W: Named>(&mut self) -> Result<W> {
        let given = self.next(Kind::Word(W::LIST));
        word(given.name, given.needed_text()?)
    }

    pub(crate) fn optional_word<W: Named>(&mut self) -> Result<Option<W>> {
        let given = self.next(Kind::Word(W::LIST));
        given.text()?.map(|text| word(given.name, text)).transpose()
    }

    pub(crate) fn words<W: Named>(&mut self, kind: Kind) -> Result<Vec<W>> {
        let given = self.next(kind);
        let texts = given.values()?;
        texts.iter().map(|text| word(given.name, Given { value: text, ..given }.needed_text()?)).collect()
    }

    /// Pairs of which the host promises nothing, such as the headers of a reply.
    pub(crate) fn headers(&mut self) -> Result<Vec<(Cow<'a, str>, Cow<'a, str>)>> {
        let pairs = self.pairs()?;
        let text = |bytes: Option<&'a [u8]>| lossy(bytes.unwrap_or_default());
        Ok(pairs.into_iter().map(|(name, value)| (text(name), text(value.and_then(Item::bytes)))).collect())
    }

    pub(crate) fn pairs(&mut self) -> Result<Vec<Pair<'a>>> {
        Ok(pairs_of(&self.next(Kind::Pairs).values()?))
    }

    pub(crate) fn optional_pairs(&mut self) -> Result<Option<Vec<Pair<'a>>>> {
        let given = self.next(Kind::Optional(&Kind::Pairs));
        given.value.map(|_| Ok(pairs_of(&given.values()?))).transpose()
    }

    /// A record of arguments, field by field.
    pub(crate) fn record(&mut self, record: &Record) -> Result<Option<Arguments<'a>>> {
        let given = self.next(record.kind());
        if given.value.is_none() {
            return Ok(None);
        }
        let argument = |field: Field| Argument { name: field.name, kind: field.kind, default: None };
        let rows: Vec<_> = record.fields().into_iter().map(argument).collect();
        Ok(Some(Arguments::new(self.style, rows.into(), given.values()?)))
    }

    pub(crate) fn time(&mut self) -> Result<i64> {
        self.next(Kind::Time).parsed("must be a whole number of 64 bits")
    }

    /// The values remember what they refuse: only an operation that has the field fails.
    fn values(&mut self) -> Result<RequestValues> {
        let fields = self.next(REQUEST.kind()).values()?;
        let mut values = RequestValues::default();
        for (row, value) in REQUEST_FIELDS.iter().zip(fields.iter()) {
            let _ = match (Given { name: row.name, value }).text() {
                Ok(text) => values.set(row.name, text),
                Err(error) => values.refuse(row.name, error),
            };
        }
        Ok(values)
    }

    pub(crate) fn amounts_request(&mut self) -> Result<AmountsRequest> {
        self.values()?.amounts_request()
    }

    pub(crate) fn payment_request(&mut self) -> Result<PaymentRequest> {
        self.values()?.payment_request()
    }

    /// A host that is Rust itself may give a list: the order id, and for each file its path, or its name, type and data.
    pub(crate) fn receipt(&mut self) -> Result<Receipt> {
        let given = self.next(Kind::Handle(ObjectKind::Receipt));
        if let Some(Item::List(list)) = given.value {
            return new_receipt(&Values::Native(list));
        }
        let object = given.object().ok_or_else(|| Error::about(given.name, "is closed or no handle"))?;
        match object.held() {
            Held::Receipt(receipt) => receipt.receipt(),
            _ => Err(Error::about(given.name, "is the handle of another kind of object")),
        }
    }
}

impl<'a> Given<'a> {
    fn text(self) -> Result<Option<&'a str>> {
        let Some(value) = self.value else { return Ok(None) };
        let bytes = value.bytes().ok_or_else(|| Error::about(self.name, "is not a text"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| Error::about(self.name, "is not UTF-8"))?;
        // The typed functions of C would cut the text there.
        if text.contains('\0') {
            return Err(Error::about(self.name, "must not contain a NUL"));
        }
        Ok(Some(text))
    }

    fn needed_text(self) -> Result<&'a str> {
        self.text()?.ok_or_else(|| Error::about(self.name, "is missing"))
    }

    fn parsed<N: FromStr>(self, rule: &str) -> Result<N> {
        self.needed_text()?.parse().map_err(|_| Error::about(self.name, rule))
    }

    /// The values inside; an absent value has none.
    fn values(self) -> Result<Values<'a>> {
        let values = self.value.unwrap_or(Item::List(&[])).values();
        values.ok_or_else(|| Error::about(self.name, "is not a frame"))
    }

    fn object(self) -> Option<Arc<Object>> {
        match self.value? {
            Item::Bytes(bytes) => find(u64::from_ne_bytes(bytes.try_into().ok()?)),
            Item::Object(object) => Some(Arc::clone(object)),
            Item::List(_) => None,
        }
    }
}

fn new_receipt(values: &Values<'_>) -> Result<Receipt> {
    let mut receipt = Receipt::new(Given { name: "order_id", value: values.get(0) }.needed_text()?);
    for file in values.iter().skip(1).filter_map(|file| file?.values()) {
        let text = |index, name| Given { name, value: file.get(index) }.needed_text();
        if file.len() == 1 {
            receipt.add_file(text(0, "path")?)?;
        } else {
            let data = file.get(2).and_then(Item::bytes).unwrap_or_default();
            receipt.add_bytes(text(0, "name")?, text(1, "content_type")?, data)?;
        }
    }
    Ok(receipt)
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    // The lossy conversion is slower for valid UTF-8.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

fn pairs_of<'a>(values: &Values<'a>) -> Vec<Pair<'a>> {
    let name = |index| values.get(index).and_then(Item::bytes);
    (0..values.len()).step_by(2).map(|index| (name(index), values.get(index + 1))).collect()
}

fn word<W: Named>(name: &str, text: &str) -> Result<W> {
    W::ALL.iter().copied().find(|word| word.name() == text).ok_or_else(|| {
        let known: Vec<_> = W::ALL.iter().map(|word| word.name()).collect();
        Error::about(name, format!("must be one of {}", known.join(", ")))
    })
}
