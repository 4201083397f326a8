//! The JSON of a record: fields as they were written, unknown ones kept.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The fields of an object, each value as its JSON text.
pub type Fields = BTreeMap<String, String>;

/// Reads an object. `None` if it is not one.
pub(crate) fn read(text: &str) -> Option<Fields> {
    let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    Some(fields.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect())
}

/// Reads an array of objects. `None` if it is not one.
pub(crate) fn objects(text: &str) -> Option<Vec<Fields>> {
    let objects: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
    objects.iter().map(|object| read(object.get())).collect()
}

/// Writes an object.
pub(crate) fn write(fields: &Fields) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", fields.join(","))
}

/// The text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The list as a JSON array of strings.
pub(crate) fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", texts.map(quoted).collect::<Vec<_>>().join(","))
}

/// Takes a field out of an object and reads it as JSON reads it.
pub(crate) struct Reader(pub(crate) Fields);

impl Reader {
    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        serde_json::from_str(&self.0.remove(name)?).ok()
    }

    pub(crate) fn number(&mut self, name: &str) -> Option<i64> {
        serde_json::from_str(&self.0.remove(name)?).ok()
    }

    pub(crate) fn flag(&mut self, name: &str) -> bool {
        self.0.remove(name).is_some_and(|value| value == "true")
    }

    pub(crate) fn texts(&mut self, name: &str) -> Vec<String> {
        self.0.remove(name).and_then(|value| serde_json::from_str(&value).ok()).unwrap_or_default()
    }

    pub(crate) fn object(&mut self, name: &str) -> Fields {
        self.0.remove(name).and_then(|value| read(&value)).unwrap_or_default()
    }
}
