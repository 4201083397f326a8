//! Values of a host that is itself Rust, which need no frame.

use std::sync::Arc;

use crate::frame::{Bytes, Frame};
use crate::object::Object;

/// A value of an argument. A text, a number and so on is in the form that it has in a frame.
pub enum Value<'a> {
    /// Bytes of the host.
    Borrowed(&'a [u8]),
    /// Bytes that are wiped after the call.
    Owned(Bytes),
    /// A list, the fields of a record, or names and values by turns. `None` is an absent value.
    List(Vec<Option<Value<'a>>>),
    /// An object.
    Object(Arc<Object>),
}

impl Value<'_> {
    /// The bytes of a text, a number and so on.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Borrowed(bytes) => Some(bytes),
            Value::Owned(bytes) => Some(bytes.as_ref()),
            _ => None,
        }
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Owned(Bytes::from(text.into_bytes()))
    }
}

/// A value while it is read.
#[derive(Clone, Copy)]
pub(crate) enum Item<'a> {
    Bytes(&'a [u8]),
    List(&'a [Option<Value<'a>>]),
    Object(&'a Arc<Object>),
}

impl<'a> Item<'a> {
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Item::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The values inside. `None` if the bytes are not a frame.
    pub(crate) fn values(self) -> Option<Values<'a>> {
        match self {
            Item::Bytes(bytes) => Frame::read(bytes).map(Values::Frame),
            Item::List(list) => Some(Values::Native(list)),
            Item::Object(_) => None,
        }
    }
}

/// The arguments of a call, or what a list, a record or pairs have.
pub(crate) enum Values<'a> {
    Frame(Frame<'a>),
    Native(&'a [Option<Value<'a>>]),
}

impl<'a> Values<'a> {
    /// A value. One behind the end is absent.
    pub(crate) fn get(&self, index: usize) -> Option<Item<'a>> {
        match self {
            Values::Frame(frame) => frame.get(index).map(Item::Bytes),
            Values::Native(list) => list.get(index)?.as_ref().map(|value| match value {
                Value::Borrowed(bytes) => Item::Bytes(bytes),
                Value::Owned(bytes) => Item::Bytes(bytes.as_ref()),
                Value::List(list) => Item::List(list),
                Value::Object(object) => Item::Object(object),
            }),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Values::Frame(frame) => frame.len(),
            Values::Native(list) => list.len(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<Item<'a>>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}
