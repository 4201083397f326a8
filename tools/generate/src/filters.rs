//! Names and documentation in the style of a programming language.

use heck::{ToSnakeCase, ToUpperCamelCase};
use merchantpay::{OPERATIONS, PAYMENT_FIELDS, REQUEST_FIELDS};
use minijinja::{Error, ErrorKind, Value};

pub(crate) fn named(rows: &Value, name: &str) -> Result<Value, Error> {
    let found = rows.try_iter()?.find(|row| row.get_attr("name").is_ok_and(|its| its.as_str() == Some(name)));
    found.ok_or_else(|| Error::new(ErrorKind::InvalidOperation, format!("there is no row {name}")))
}

/// Words that Go writes in capitals.
const GO_INITIALISMS: &[&str] = &["id", "url", "json", "http", "ca", "pem", "spki", "rub", "usdt", "sbp"];

const GO_PRODUCTS: &[&str] = &["SQLite", "PostgreSQL", "MySQL"];

/// `order_id` becomes `OrderID`.
pub(crate) fn go_name(name: &str) -> String {
    let word = |word: &str| match GO_PRODUCTS.iter().find(|product| product.eq_ignore_ascii_case(word)) {
        Some(product) => (*product).to_owned(),
        None if GO_INITIALISMS.contains(&word) => word.to_uppercase(),
        None => word.to_upper_camel_case(),
    };
    name.to_snake_case().split('_').map(word).collect()
}

/// Operations and fields get their names in the language. Backticks are removed if its documentation has none.
pub(crate) fn doc(text: &str, language: &str) -> String {
    // C# documentation is XML.
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut parts = if language == "csharp" { &escaped } else { text }.split('`');
    let mut written = parts.next().unwrap_or_default().to_owned();
    for (place, part) in parts.enumerate() {
        written.push_str(&if place % 2 == 0 { quoted(part, language) } else { part.to_owned() });
    }
    written
}

fn quoted(name: &str, language: &str) -> String {
    let operation = OPERATIONS.iter().find(|operation| operation.name == name);
    let is_field = PAYMENT_FIELDS.iter().any(|field| field.name == name)
        || REQUEST_FIELDS.iter().any(|field| field.name == name);
    if operation.is_none() && !is_field {
        return if matches!(language, "python" | "node") {
            format!("`{name}`")
        } else {
            format!("\"{name}\"")
        };
    }
    match (language, operation) {
        ("c", Some(_)) => format!("mpay_{}", name.to_snake_case()),
        ("python", _) => format!("`{}`", name.to_snake_case()),
        ("go", _) => go_name(name),
        ("cpp", _) => name.to_snake_case(),
        ("csharp", Some(operation)) => operation.task_name.to_upper_camel_case(),
        ("pascal" | "csharp", _) => name.to_upper_camel_case(),
        _ => name.to_owned(),
    }
}

/// For a part that another language words differently. Fails if the text has no such part, so that a changed text is not
/// printed with the wrong words.
pub(crate) fn reword(text: &str, part: &str, replacement: &str) -> Result<String, Error> {
    if !text.contains(part) {
        let why = format!("the text has no {part:?} to replace: {text}");
        return Err(Error::new(ErrorKind::InvalidOperation, why));
    }
    Ok(text.replace(part, replacement))
}

pub(crate) fn wrap(text: &str, width: usize, prefix: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{prefix}{word}")),
        }
    }
    lines.join("\n")
}

/// A text that begins with `- ` is an item of a list, another one a paragraph.
pub(crate) fn docstring(texts: Vec<String>) -> String {
    let mut written = String::new();
    let mut was_item = false;
    for text in &texts {
        let item = text.strip_prefix("- ");
        let wrapped = match item {
            Some(item) => format!("        - {}", wrap(item, 115, "          ").trim_start()),
            None => wrap(text, 115, "        "),
        };
        if written.is_empty() {
            written = format!("        \"\"\"{}", wrapped.trim_start());
        } else {
            written.push_str(if was_item && item.is_some() { "\n" } else { "\n\n" });
            written.push_str(&wrapped);
        }
        was_item = item.is_some();
    }
    let end = if texts.len() > 1 { "\n        \"\"\"" } else { "\"\"\"" };
    written + end
}

/// To continue a sentence after a name. A word in capitals, such as DNS, stays unchanged.
pub(crate) fn lower_first(text: &str) -> String {
    if text.chars().take(2).all(char::is_uppercase) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn reworded_part_must_exist() {
        assert!(super::reword("The value 0 means never.", "0 is", "Never is").is_err());
    }
}
