//! The JSON of a record. Each field keeps its exact text, and unknown fields are kept too.
//!
//! If another type is expected, a number is never parsed as a float. A number that is too large for a float
//! can raise an exception of the processor. Some hosts, such as Delphi, do not mask this exception.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The fields of an object; each value is its JSON text.
pub type Fields = BTreeMap<String, String>;

/// Reads an object. `None` if the text is not an object.
pub(crate) fn read(text: &str) -> Option<Fields> {
    let text = opened_by('{', text)?;
    let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    Some(fields.into_iter().map(|(name, value)| (name, Box::<str>::from(value).into())).collect())
}

/// Reads an array of objects. `None` if the text is not an array of objects.
pub(crate) fn objects(text: &str) -> Option<Vec<Fields>> {
    items(text)?.iter().map(|object| read(object.get())).collect()
}

fn items(text: &str) -> Option<Vec<Box<RawValue>>> {
    serde_json::from_str(opened_by('[', text)?).ok()
}

fn string(text: &str) -> Option<String> {
    serde_json::from_str(opened_by('"', text)?).ok()
}

/// The text, if it begins with this character after white space.
fn opened_by(sign: char, text: &str) -> Option<&str> {
    text.trim_start().starts_with(sign).then_some(text)
}

/// Writes an object.
pub(crate) fn write<N: AsRef<str>, V: AsRef<str>>(fields: &BTreeMap<N, V>) -> String {
    let fields = fields.iter().map(|(name, value)| (name.as_ref(), value.as_ref()));
    let size = fields.clone().map(|(name, value)| name.len() + value.len() + 4).sum::<usize>();
    let mut object = String::with_capacity(size + 2);
    object.push('{');
    for (place, (name, value)) in fields.enumerate() {
        if place > 0 {
            object.push(',');
        }
        quote(name, &mut object);
        object.push(':');
        object.push_str(value);
    }
    object.push('}');
    object
}

/// The text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut string = String::with_capacity(text.len() + 2);
    quote(text, &mut string);
    string
}

fn quote(text: &str, json: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        json.push_str(&serde_json::Value::from(text).to_string());
    } else {
        json.push('"');
        json.push_str(text);
        json.push('"');
    }
}

/// The list as a JSON array of strings.
pub(crate) fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", texts.map(quoted).collect::<Vec<_>>().join(","))
}

/// Takes fields out of an object and parses them.
pub(crate) struct Reader(pub(crate) Fields);

impl Reader {
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        string(&self.0.remove(name)?)
    }

    pub(crate) fn number(&mut self, name: &str) -> Option<i64> {
        self.0.remove(name)?.parse().ok()
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some_and(|value| value == "true")
    }

    pub(crate) fn texts(&mut self, name: &str) -> Vec<String> {
        let texts = self
            .0
            .remove(name)
            .and_then(|value| items(&value)?.iter().map(|text| string(text.get())).collect());
        texts.unwrap_or_default()
    }

    pub(crate) fn object(&mut self, name: &str) -> Fields {
        self.0.remove(name).and_then(|value| read(&value)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_as_serde_json_writes_it() {
        for text in [
            "", "plain", "Иван", "a\"b", "a\\b", "\"", "\\", "\u{0}", "\t\n", "\u{1f}", "\u{7f}", "\u{2028}",
            "😀",
        ] {
            assert_eq!(quoted(text), serde_json::Value::from(text).to_string(), "{text:?}");
        }
    }

    #[test]
    fn an_object_is_read_as_it_was_written() {
        let fields = Fields::from([
            ("a\"b".to_owned(), quoted("c\"d")),
            ("number".to_owned(), "1500.50".to_owned()),
            ("Имя".to_owned(), "null".to_owned()),
        ]);
        for fields in [fields, Fields::new()] {
            assert_eq!(read(&write(&fields)), Some(fields));
        }
    }
}
