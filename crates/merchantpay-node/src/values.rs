//! Arguments from JavaScript and results for it.

use std::sync::Arc;

use merchantpay_calls::{Bytes, Kind, Object, Out, Returned, Value};
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
    begun: Vec<Vec<Item>>,
    object: Option<Arc<Object>>,
}

/// A result, and the object that is alone or in it.
pub(crate) fn encode(returned: &Returned) -> (Item, Option<Arc<Object>>) {
    let mut writer = Writer { begun: vec![Vec::new()], object: None };
    returned.put(&mut writer);
    (writer.begun.pop().and_then(|mut whole| whole.pop()).flatten(), writer.object)
}

impl Writer {
    fn add(&mut self, item: Item) {
        if let Some(begun) = self.begun.last_mut() {
            begun.push(item);
        }
    }
}

impl Out for Writer {
    fn begin(&mut self, _: Kind, count: usize) {
        self.begun.push(Vec::with_capacity(count));
    }

    fn end(&mut self) {
        if let Some(items) = self.begun.pop() {
            self.add(Some(Either3::C(Values(items))));
        }
    }

    fn value(&mut self, value: &[u8]) {
        self.add(Some(Either3::A(String::from_utf8_lossy(value).into_owned())));
    }

    fn bytes(&mut self, value: &[u8]) {
        self.add(Some(Either3::B(Buffer::from(value))));
    }

    fn absent(&mut self) {
        self.add(None);
    }

    fn object(&mut self, object: &Arc<Object>) {
        self.object = Some(Arc::clone(object));
        self.add(None);
    }
}
