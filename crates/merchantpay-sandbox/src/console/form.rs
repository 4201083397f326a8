//! A browser's input: the fields of a form or of a query.

use serde_json::{Map, Value};

/// The fields of a form or of a query.
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    pub(super) fn read(bytes: &[u8]) -> Form {
        Form(form_urlencoded::parse(bytes).into_owned().collect())
    }

    /// A field's text, trimmed; empty if it is absent.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text.trim())
    }

    /// The filled-in fields as a document for the control API. Fields in `numbers` become numbers if
    /// possible. Otherwise they stay texts, and the API reports the error.
    pub(super) fn document(&self, texts: &[&str], numbers: &[&str]) -> Value {
        let mut document = Map::new();
        for name in texts.iter().chain(numbers) {
            let text = self.text(name);
            if text.is_empty() {
                continue;
            }
            let number = serde_json::from_str(text)
                .ok()
                .filter(|value: &Value| value.is_number() && numbers.contains(name));
            document.insert((*name).to_owned(), number.unwrap_or_else(|| text.into()));
        }
        Value::Object(document)
    }

    /// The filled-in fields as a query.
    pub(super) fn query(&self, names: &[&str]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for name in names {
            let text = self.text(name);
            if !text.is_empty() {
                query.append_pair(name, text);
            }
        }
        query.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_become_what_the_control_api_expects() {
        let form =
            Form::read(b"kind=latency&latencyMs=+500+&times=&probability=0.25&operation=get%53tatus&evil=1");
        let document = form.document(&["kind", "operation"], &["latencyMs", "times", "probability"]);
        assert_eq!(
            document,
            json!({"kind": "latency", "operation": "getStatus", "latencyMs": 500, "probability": 0.25})
        );
        assert_eq!(Form::read(b"delayMs=soon").document(&[], &["delayMs"]), json!({"delayMs": "soon"}));
        assert_eq!(Form::read(b"sum=10").document(&["sum"], &[]), json!({"sum": "10"}));
    }

    #[test]
    fn a_query_is_written_escaped() {
        assert_eq!(
            Form::read(b"merchantId=a%26b%20c&status=&x=y").query(&["status", "merchantId"]),
            "merchantId=a%26b+c"
        );
    }
}
