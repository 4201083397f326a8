//! Reads and writes the contract's JSON. Numbers keep their digits, and duplicate names are refused where the contract's
//! fields are, at the top level.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::io::Write;

use serde_core::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::amount::Amount;

/// A JSON object with unique names. Its values are not parsed yet.
pub(crate) struct Object<'a> {
    /// The text of the whole object.
    pub(crate) json: &'a str,
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

pub(crate) type Fault = Cow<'static, str>;

impl<'a> Object<'a> {
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Object<'a>, Fault> {
        let json = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
        if starts_a_number(json) {
            return Err("it is not a JSON object".into());
        }
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let fields = deserializer.deserialize_map(Fields).map_err(fault)?;
        deserializer.end().map_err(fault)?;
        let object = Object { json, fields };
        object.unique_names()?;
        if object.fields().any(|(_, value)| value.starts_with(['[', '{']) && is_too_deep(value)) {
            return Err("it is nested too deeply".into());
        }
        Ok(object)
    }

    /// An object of the contract has about twelve names, which are compared without an allocation. An attacker's may
    /// have a hundred thousand, so many names go into a hash set.
    fn unique_names(&self) -> Result<(), Fault> {
        let mut names = self.fields().map(|(name, _)| name);
        let unique = if self.fields.len() <= 32 {
            names.enumerate().all(|(place, name)| self.fields().take(place).all(|(before, _)| before != name))
        } else {
            let mut met = HashSet::with_capacity(self.fields.len());
            names.all(|name| met.insert(name))
        };
        if unique { Ok(()) } else { Err("it has a duplicate name".into()) }
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.fields.iter().map(|(name, value)| (name.as_ref(), value.get()))
    }

    /// The text of a value. `None` if the field is absent or `null`.
    fn value(&self, name: &str) -> Option<&'a str> {
        self.fields().find(|(field, value)| *field == name && *value != "null").map(|(_, value)| value)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// A string with decoded escapes. It is borrowed if it has no escapes.
    pub(crate) fn string(&self, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
        let read = |value: &'a str| match value.starts_with('"') {
            true => Text.deserialize(&mut serde_json::Deserializer::from_str(value)).ok(),
            false => None,
        };
        self.value(name).map(|value| read(value).ok_or_else(|| wrong_type(name, "a string"))).transpose()
    }

    /// A string without NUL, which every language can represent. C would cut a text at a NUL, and a truncated
    /// account is a different account.
    pub(crate) fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, Fault> {
        match self.string(name)? {
            Some(text) if text.contains('\0') => Err(wrong_type(name, "a text without NUL")),
            text => Ok(text),
        }
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, Fault> {
        match self.value(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(wrong_type(name, "true or false")),
        }
    }

    pub(crate) fn amount(&self, name: &str) -> Result<Option<Amount>, Fault> {
        self.value(name).map(|value| amount(name, value)).transpose()
    }

    /// Empty for `null`; `None` if the field is absent.
    pub(crate) fn amounts(&self, name: &str) -> Result<Option<Vec<Amount>>, Fault> {
        let Some((_, value)) = self.fields().find(|(field, _)| *field == name) else { return Ok(None) };
        if value == "null" {
            return Ok(Some(Vec::new()));
        }
        let not_a_list = || wrong_type(name, "a list of numbers");
        if !value.starts_with('[') {
            return Err(not_a_list());
        }
        let items: Vec<&RawValue> = serde_json::from_str(value).map_err(|_| not_a_list())?;
        items.into_iter().map(|item| amount(name, item.get())).collect::<Result<_, _>>().map(Some)
    }
}

/// If another type is expected, serde_json reads a number as a float. In a Free Pascal program an exception is
/// raised if that float overflows.
fn starts_a_number(text: &str) -> bool {
    text.trim_start().starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// serde_json's own limit, which it does not apply to a [`RawValue`]. A deeper field would exhaust the stack of a host
/// that parses the body again, as Python's `json` does.
const MAX_DEPTH: u32 = 128;

/// `value` must be valid JSON.
fn is_too_deep(value: &str) -> bool {
    let (mut depth, mut in_text, mut is_escaped) = (0u32, false, false);
    value.bytes().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

fn amount(name: &str, value: &str) -> Result<Amount, Fault> {
    Amount::parse_number(value).map_err(|why| Fault::from(format!("{name} {why}")))
}

fn wrong_type(name: &str, wanted: &str) -> Fault {
    Fault::from(format!("{name} is not {wanted}"))
}

/// serde_json's own text is left out, because it can quote the input, for example an account.
fn fault(error: serde_json::Error) -> Fault {
    let kind = match error.classify() {
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Data => "it is not a JSON object",
        _ => "it is not valid JSON",
    };
    Fault::from(format!("{kind}, at line {} column {}", error.line(), error.column()))
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(12);
        while let Some(name) = map.next_key_seed(Text)? {
            fields.push((name, map.next_value()?));
        }
        Ok(fields)
    }
}

struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn new() -> Writer {
        let mut bytes = Vec::with_capacity(256);
        bytes.push(b'{');
        Writer(bytes)
    }

    pub(crate) fn string(mut self, name: &'static str, value: &str) -> Writer {
        self.name(name);
        self.quoted(value);
        self
    }

    pub(crate) fn amount(mut self, name: &'static str, value: Amount) -> Writer {
        self.name(name);
        // Writing to memory does not fail.
        let _ = write!(self.0, "{value}");
        self
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.0.push(b'}');
        self.0
    }

    fn name(&mut self, name: &'static str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        self.quoted(name);
        self.0.push(b':');
    }

    fn quoted(&mut self, text: &str) {
        let is_escaped = |byte: &u8| *byte < b' ' || matches!(*byte, b'"' | b'\\');
        self.0.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(place) = rest.iter().position(is_escaped) {
            self.0.extend_from_slice(&rest[..place]);
            match rest[place] {
                byte @ (b'"' | b'\\') => self.0.extend_from_slice(&[b'\\', byte]),
                byte => self.0.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            }
            rest = &rest[place + 1..];
        }
        self.0.extend_from_slice(rest);
        self.0.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_twice_is_refused_among_any_number_of_others() {
        for count in [2, 31, 32, 33, 34, 100_000] {
            let fields: Vec<String> = (0..count).map(|number| format!("\"n{number}\":1")).collect();
            let unique = format!("{{{}}}", fields.join(","));
            assert!(Object::parse(unique.as_bytes()).is_ok(), "{count}");
            let twice = format!("{{{},\"n{}\":1}}", fields.join(","), count / 2);
            assert!(Object::parse(twice.as_bytes()).err().unwrap().contains("duplicate"), "{count}");
        }
    }

    #[test]
    fn a_fault_says_of_which_kind_it_is_and_where_and_quotes_nothing() {
        for (text, fault) in [
            ("{\"account\": \"79001234567", "it ends too early, at line 1 column "),
            ("[79001234567]", "it is not a JSON object, at line 1 column "),
            ("{\n\"account\": 7900x}", "it is not valid JSON, at line 2 column "),
            ("{\"account\": {7900: 1}}", "it is not valid JSON, at line 1 column "),
        ] {
            let message = Object::parse(text.as_bytes()).err().unwrap();
            assert!(message.starts_with(fault) && !message.contains("7900"), "{text}: {message}");
        }
        let object = Object::parse(br#"{"list":[1],"text":"a\u0000b"}"#).unwrap();
        assert_eq!(object.string("list").unwrap_err(), "list is not a string");
        assert_eq!(object.text("text").unwrap_err(), "text is not a text without NUL");
        assert_eq!(object.boolean("list").unwrap_err(), "list is not true or false");
        assert_eq!(object.amounts("text").unwrap_err(), "text is not a list of numbers");
        assert_eq!(object.amount("list").unwrap_err(), "list is not a decimal number");
    }
}
