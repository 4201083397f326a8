//! Names and documentation in the style of a programming language.

use merchantpay::{OPERATIONS, PAYMENT_FIELDS, REQUEST_FIELDS};
use minijinja::{Error, ErrorKind};

/// Words that Go writes in capitals.
const GO_INITIALISMS: &[&str] = &["id", "url", "json", "http", "ca", "pem", "spki", "rub", "usdt", "sbp"];

/// Converts `payeeAccount` or `payee-account` to `payee_account`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut last = '_';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && last.is_ascii_lowercase() {
            snake.push('_');
        }
        snake.push(if letter == '-' { '_' } else { letter.to_ascii_lowercase() });
        last = letter;
    }
    snake
}

/// Converts `payee_account` to `PAYEE_ACCOUNT`.
pub(crate) fn screaming(name: &str) -> String {
    snake(name).to_uppercase()
}

/// Converts `payee_account` to `PayeeAccount`.
pub(crate) fn pascal(name: &str) -> String {
    snake(name).split('_').map(capitalised).collect()
}

/// Converts `payee_account` to `payeeAccount`.
pub(crate) fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    letters.next().map(|first| first.to_ascii_lowercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// Converts `payee_account` to `payee-account`.
pub(crate) fn kebab(name: &str) -> String {
    snake(name).replace('_', "-")
}

/// Product names, in their own spelling.
const GO_PRODUCTS: &[&str] = &["SQLite", "PostgreSQL", "MySQL"];

/// Converts `order_id` to `OrderID`.
pub(crate) fn go_name(name: &str) -> String {
    let word = |word: &str| match GO_PRODUCTS.iter().find(|product| product.eq_ignore_ascii_case(word)) {
        Some(product) => (*product).to_owned(),
        None if GO_INITIALISMS.contains(&word) => word.to_uppercase(),
        None => capitalised(word),
    };
    snake(name).split('_').map(word).collect()
}

/// The Python exception class of a code. Two names differ from their codes, because Python has exceptions
/// with these names.
pub(crate) fn python_error(code: &str) -> String {
    match code {
        "timeout" => "RequestTimeoutError".to_owned(),
        "cancelled" => "CallCancelledError".to_owned(),
        code => pascal(code) + "Error",
    }
}

/// The C# method of an operation. It never ends with `Async`, because in C# this means that a method returns
/// a task.
fn csharp_operation(name: &str) -> String {
    match name {
        "newPayment" => "CreatePayment".to_owned(),
        "newPaymentAsync" => "RequestPayment".to_owned(),
        name => pascal(name),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// Returns a line of documentation for a language. Operations and fields get their names in that language. If
/// the language's documentation has no backticks, they are removed.
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
    let is_operation = OPERATIONS.iter().any(|operation| operation.name == name);
    let is_field = PAYMENT_FIELDS.iter().any(|field| field.name == name)
        || REQUEST_FIELDS.iter().any(|field| field.name == name);
    match language {
        "c" if is_operation => format!("mpay_{}", snake(name)),
        "c" | "php" if is_field || is_operation => name.to_owned(),
        "python" if is_field || is_operation => format!("`{}`", snake(name)),
        "go" if is_field || is_operation => go_name(name),
        "cpp" if is_field || is_operation => snake(name),
        "pascal" if is_field || is_operation => pascal(&snake(name)),
        "csharp" if is_operation => csharp_operation(name),
        "csharp" if is_field => pascal(name),
        "program" if is_field => format!("--{}", kebab(name)),
        "program" if is_operation => name.to_owned(),
        "rust" | "python" | "markdown" => format!("`{name}`"),
        _ => format!("\"{name}\""),
    }
}

/// Replaces a part of a text that another language words differently. Fails if the text has no such part, so
/// that a changed text is not printed with the wrong words.
pub(crate) fn reword(text: &str, part: &str, replacement: &str) -> Result<String, Error> {
    if !text.contains(part) {
        let why = format!("the text has no {part:?} to replace: {text}");
        return Err(Error::new(ErrorKind::InvalidOperation, why));
    }
    Ok(text.replace(part, replacement))
}

/// Breaks a text into lines of at most `width` characters. Each line begins with `prefix`.
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

/// The docstring of a Python method. A text that begins with `- ` is an item of a list, another one a paragraph.
pub(crate) fn docstring(texts: &[String]) -> String {
    let mut written = String::new();
    let mut was_item = false;
    for text in texts {
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

/// Adds spaces to a text until it has `width` characters.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text:width$}")
}

/// Returns the text with its first letter in lower case, to continue a sentence after a name. A word in
/// capitals, such as DNS, stays unchanged.
pub(crate) fn lower_first(text: &str) -> String {
    if text.chars().take(2).all(char::is_uppercase) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_in_each_languages_case() {
        for (name, all) in [
            ("orderId", ["order_id", "ORDER_ID", "OrderId", "orderId", "order-id", "OrderID"]),
            (
                "status_webhook_url",
                [
                    "status_webhook_url",
                    "STATUS_WEBHOOK_URL",
                    "StatusWebhookUrl",
                    "statusWebhookUrl",
                    "status-webhook-url",
                    "StatusWebhookURL",
                ],
            ),
            ("RUB", ["rub", "RUB", "Rub", "rub", "rub", "RUB"]),
            ("mysql", ["mysql", "MYSQL", "Mysql", "mysql", "mysql", "MySQL"]),
        ] {
            assert_eq!(
                [snake(name), screaming(name), pascal(name), camel(name), kebab(name), go_name(name)],
                all
            );
        }
    }

    #[test]
    fn documentation_names_operations_and_fields_as_the_language_does() {
        let text = "Ask `getStatus`; see `orderId` and `RUB`.";
        for (language, written) in [
            ("c", "Ask mpay_get_status; see orderId and \"RUB\"."),
            ("python", "Ask `get_status`; see `order_id` and `RUB`."),
            ("go", "Ask GetStatus; see OrderID and \"RUB\"."),
            ("php", "Ask getStatus; see orderId and \"RUB\"."),
            ("csharp", "Ask GetStatus; see OrderId and \"RUB\"."),
        ] {
            assert_eq!(doc(text, language), written);
        }
    }

    #[test]
    fn a_word_in_capitals_stays_in_capitals() {
        for (text, written) in
            [("The sum", "the sum"), ("A sum", "a sum"), ("DNS, TLS", "DNS, TLS"), ("", "")]
        {
            assert_eq!(lower_first(text), written);
        }
    }

    #[test]
    fn a_reworded_part_must_be_in_the_text() {
        assert_eq!(reword("0 means never.", "0 means", "Never means").unwrap(), "Never means never.");
        assert!(reword("The value 0 means never.", "0 is", "Never is").is_err());
    }

    #[test]
    fn text_is_wrapped_between_words() {
        assert_eq!(wrap("one two three", 8, "// "), "// one\n// two\n// three");
        assert_eq!(wrap("one two three", 11, "// "), "// one two\n// three");
    }
}
