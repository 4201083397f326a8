//! Writes a reply of the service: one JSON line, or on a terminal its fields.

use anstyle::{AnsiColor, Style};
use merchantpay::Status;

use super::table;
use super::visible::visible;
use crate::json::one_line;
use crate::json_members::Members;
use crate::output::{Failure, print_line, print_styled};

/// Prints a verified reply.
pub(crate) fn print(json: &str) -> Result<(), Failure> {
    let fields = Some(json).filter(|_| super::is_for_people()).and_then(fields);
    match fields {
        None => print_line(&one_line(json)),
        Some(text) => print_styled(&text),
    }
}

/// One line per field. `success` is left out, because only a successful reply is printed.
fn fields(json: &str) -> Option<String> {
    let Members(members) = serde_json::from_str(json).ok()?;
    let rows: Vec<Vec<String>> = members
        .iter()
        .filter(|(name, _)| name != "success")
        .map(|(name, value)| vec![visible(name), text(name, value.get())])
        .collect();
    Some(table::aligned(&rows))
}

/// A text without its quotes; a number with its digits unchanged.
fn text(name: &str, value: &str) -> String {
    let Ok(text) = serde_json::from_str::<String>(value) else { return visible(&one_line(value)) };
    let style = match name {
        "status" => style(&text),
        _ => Style::new(),
    };
    format!("{style}{}{style:#}", visible(&text))
}

fn style(status: &str) -> Style {
    let color = match Status::from(status.to_owned()) {
        Status::DoneSuccess => AnsiColor::Green,
        status if status.is_final() => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    color.on_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_a_line_in_the_replys_order_and_no_text_moves_the_cursor() {
        let json = r#"{"success":true,"orderId":"o-1\u001b[2J","sum":1500.50,"amounts":[1, 2.0],"status":"doneFail"}"#;
        assert_eq!(
            fields(json).unwrap(),
            "orderId  o-1\u{fffd}[2J\nsum      1500.50\namounts  [1,2.0]\nstatus   \u{1b}[31mdoneFail\u{1b}[0m"
        );
        assert!(fields("[]").is_none());
    }
}
