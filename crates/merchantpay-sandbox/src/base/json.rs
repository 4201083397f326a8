//! Reads requests and writes replies: numbers keep their digits, and duplicate names are refused.

use std::fmt;

use merchantpay::Amount;
use serde_core::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON object whose values are still text.
pub(crate) struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    pub(crate) fn parse(body: &[u8]) -> Option<Object> {
        serde_json::from_slice(body).ok()
    }

    /// The value as a `T`; `Err` if it has another type, `None` if it is absent or `null`.
    fn get<'a, T: Deserialize<'a>>(&'a self, name: &str) -> Result<Option<T>, ()> {
        match self.text(name) {
            Some(value) => serde_json::from_str(value).map(Some).map_err(|_| ()),
            None => Ok(None),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(field, _)| field == name)?.1.get();
        (value != "null").then_some(value)
    }

    /// The value as a text; `Err` if it is not a text or is empty.
    pub(crate) fn string(&self, name: &str) -> Result<Option<String>, ()> {
        match self.get::<String>(name)? {
            Some(text) if text.trim().is_empty() => Err(()),
            text => Ok(text),
        }
    }

    /// The value as an exact number.
    pub(crate) fn amount(&self, name: &str) -> Result<Option<Amount>, ()> {
        self.text(name).map(|value| value.parse().map_err(|_| ())).transpose()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut fields: Vec<(String, Box<RawValue>)> = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, _>()? {
                    // Requests of the contract have at most a dozen fields.
                    if fields.len() == 64 || fields.iter().any(|(field, _)| *field == name) {
                        return Err(A::Error::custom("too many fields, or a duplicate one"));
                    }
                    fields.push((name, value));
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

/// A value in a reply or webhook.
#[derive(Clone)]
pub(crate) enum Value {
    Text(String),
    Number(Amount),
    Numbers(Vec<Amount>),
    Flag(bool),
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// Returns `true` if a webhook leaves this value out (contract, section 2).
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Value::Text(text) => text.is_empty(),
            Value::Number(number) => *number == Amount::ZERO,
            Value::Numbers(_) | Value::Flag(_) => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => fmt::Display::fmt(&serde_json::Value::from(text.as_str()), f),
            Value::Number(number) => fmt::Display::fmt(number, f),
            Value::Numbers(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(Amount::to_string).collect();
                write!(f, "[{}]", numbers.join(","))
            }
            Value::Flag(flag) => fmt::Display::fmt(flag, f),
        }
    }
}

/// Fields of an object, in their order.
pub(crate) type Fields = Vec<(&'static str, Value)>;

/// Writes an object on one line.
pub(crate) fn object(fields: &[(&'static str, Value)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}
