//! Arguments from JavaScript and results for it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use merchantpay_calls::{Bytes, Kind, Object, Out, Record, Returned, Value, records};
use napi::bindgen_prelude::{Buffer, Either3};
use napi_derive::napi;

/// The arguments of a call, in their order, or the values of a record or a list.
#[napi(transparent)]
pub struct Values(pub(crate) Vec<Item>);

/// A value; `None` is an absent one.
pub(crate) type Item = Option<Either3<String, Buffer, Values>>;

impl Values {
    /// A copy: JavaScript may change its bytes while the call runs on a thread.
    pub(crate) fn into_arguments(self) -> Vec<Option<Value<'static>>> {
        let value = |given: Either3<String, Buffer, Values>| match given {
            Either3::A(text) => Value::from(text),
            Either3::B(bytes) => Value::Owned(Bytes::from(bytes.to_vec())),
            Either3::C(list) => Value::List(list.into_arguments()),
        };
        self.0.into_iter().map(|given| given.map(value)).collect()
    }
}

/// Writes a result as JavaScript gets it: all values are texts but bytes, records and lists. An object is beside them.
struct Writer {
    /// The records and lists that have begun, behind a list for the result itself.
    begun: Vec<Begun>,
    object: Option<Arc<Object>>,
}

struct Begun {
    /// What a record has. The values of a list are no bytes.
    kinds: &'static [Kind],
    items: Vec<Item>,
}

/// A result of this kind, and the object that is alone or in it.
pub(crate) fn written(kind: Kind, returned: &Returned) -> (Item, Option<Arc<Object>>) {
    let kinds: &[Kind] = if kind == Kind::Bytes { &[Kind::Bytes] } else { &[] };
    let whole = Begun { kinds, items: Vec::new() };
    let mut writer = Writer { begun: vec![whole], object: None };
    returned.put(&mut writer);
    (writer.begun.pop().and_then(|mut whole| whole.items.pop()).flatten(), writer.object)
}

impl Writer {
    fn add(&mut self, item: Item) {
        if let Some(begun) = self.begun.last_mut() {
            begun.items.push(item);
        }
    }

    fn is_bytes(&self) -> bool {
        let begun = self.begun.last();
        let kind = begun.and_then(|begun| begun.kinds.get(begun.items.len()));
        matches!(kind, Some(Kind::Bytes | Kind::Optional(Kind::Bytes)))
    }
}

impl Out for Writer {
    fn begin(&mut self, kind: Kind, count: usize) {
        static OF_RECORDS: LazyLock<HashMap<&str, Vec<Kind>>> = LazyLock::new(|| {
            let kinds = |record: &Record| record.fields().iter().map(|field| field.kind).collect();
            records().map(|record| (record.name, kinds(record))).collect()
        });
        let record = kind.of().filter(|_| kind.name() == "record" && !kind.is_list());
        let kinds = record.and_then(|record| OF_RECORDS.get(record)).map_or(&[][..], Vec::as_slice);
        self.begun.push(Begun { kinds, items: Vec::with_capacity(count) });
    }

    fn end(&mut self) {
        if let Some(Begun { items, .. }) = self.begun.pop() {
            self.add(Some(Either3::C(Values(items))));
        }
    }

    fn value(&mut self, value: &[u8]) {
        self.add(Some(if self.is_bytes() {
            Either3::B(Buffer::from(value))
        } else {
            Either3::A(String::from_utf8_lossy(value).into_owned())
        }));
    }

    fn absent(&mut self) {
        self.add(None);
    }

    fn object(&mut self, object: &Arc<Object>) {
        self.object = Some(Arc::clone(object));
        self.add(None);
    }
}
