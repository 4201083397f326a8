//! How a host spells the names of arguments, fields and settings.

use merchantpay::{OPERATIONS, REQUEST_FIELDS, words};

words! {
    /// How a host spells names. It says so once, when it opens an object.
    pub enum Style {
        /// `order_id`, `timeout_ms`: C and C++.
        Snake = "snake", 1, since "0.4.0";
        /// `orderId`, `timeoutMs`: PHP and JavaScript.
        Camel = "camel", 2, since "0.4.0";
        /// `OrderId`, `TimeoutMs`: Pascal. Its programs name settings and the fields of a request by texts in snake
        /// case.
        Pascal = "pascal", 3, since "0.4.0";
        /// `OrderID`, and `Timeout`, because a duration has its unit in its type.
        Go = "go", 4, since "0.4.0";
        /// `OrderId`, and `Timeout` for a duration.
        CSharp = "csharp", 5, since "0.4.0";
        /// `order_id`, and `timeout` for a duration.
        Python = "python", 6, since "0.4.0";
    }
}

/// Words that Go writes in capitals.
const INITIALISMS: [&str; 9] = ["id", "url", "http", "ca", "pem", "spki", "json", "sql", "ms"];

const UNIT: &str = "_ms";

impl Style {
    /// Spells a name of the tables, which is in snake case or in the contract's camel case. A variable keeps its
    /// name.
    pub fn spell(self, name: &str) -> String {
        if name.starts_with(VARIABLE) {
            return name.to_owned();
        }
        let operation = OPERATIONS.iter().find(|row| row.name == name);
        let snake = snake(match (self, operation) {
            // There, `Async` at the end means that the method returns a task.
            (Style::CSharp, Some(row)) => row.task_name,
            _ => name,
        });
        let words = match self {
            Style::Go | Style::CSharp | Style::Python => snake.strip_suffix(UNIT).unwrap_or(&snake),
            _ => &snake,
        };
        match self {
            Style::Snake | Style::Python => words.to_owned(),
            Style::Pascal if REQUEST_FIELDS.iter().any(|field| field.snake_case == words) => words.to_owned(),
            Style::Camel => {
                let (first, rest) = words.split_once('_').unwrap_or((words, ""));
                let rest: String = rest.split('_').map(capitalised).collect();
                format!("{first}{rest}")
            }
            Style::Pascal | Style::CSharp => words.split('_').map(capitalised).collect(),
            Style::Go => words.split('_').map(go_word).collect(),
        }
    }

    pub(crate) fn spell_setting(self, name: &str) -> String {
        if self == Style::Pascal { snake(name) } else { self.spell(name) }
    }
}

/// The variable of a setting, such as `MERCHANTPAY_TIMEOUT_MS`.
pub(crate) fn variable(setting: &str) -> String {
    format!("{VARIABLE}{}", setting.to_uppercase())
}

pub(crate) const VARIABLE: &str = "MERCHANTPAY_";

/// Spells a contract's name, such as `payeeAccount`, in snake case.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn go_word(word: &str) -> String {
    if INITIALISMS.contains(&word) { word.to_uppercase() } else { capitalised(word) }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_spells_names_of_settings_and_of_the_contract() {
        let spelled = |name| Style::ALL.iter().map(|style| style.spell(name)).collect::<Vec<_>>().join(" ");
        for (name, expected) in [
            ("orderId", "order_id orderId OrderId OrderID OrderId order_id"),
            ("timeout_ms", "timeout_ms timeoutMs TimeoutMs Timeout Timeout timeout"),
            (
                "statusWebhookUrl",
                "status_webhook_url statusWebhookUrl status_webhook_url StatusWebhookURL StatusWebhookUrl status_webhook_url",
            ),
            ("pin_spki", "pin_spki pinSpki PinSpki PinSPKI PinSpki pin_spki"),
            ("sum", "sum sum sum Sum Sum sum"),
            (
                "newPaymentAsync",
                "new_payment_async newPaymentAsync NewPaymentAsync NewPaymentAsync RequestPayment new_payment_async",
            ),
        ] {
            assert_eq!(spelled(name), expected);
        }
        assert_eq!(Style::Pascal.spell_setting("timeout_ms"), "timeout_ms");
        assert_eq!(variable("server_key_id"), "MERCHANTPAY_SERVER_KEY_ID");
    }
}
