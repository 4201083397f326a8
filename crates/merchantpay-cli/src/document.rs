//! Shows JSON to people: first the fields of a document, then its lists as tables. No token of a number changes.

use std::fmt;

use anstyle::{AnsiColor, Style};
use merchantpay::Status;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::output::{Failure, print_line, print_styled, stdout_is_human, visible};

const COLUMNS: [(&str, &[&str]); 13] = [
    ("payments", PAYMENT),
    ("exchanges", EXCHANGE),
    ("exchangeList", EXCHANGE),
    ("webhooks", WEBHOOK),
    ("webhookList", WEBHOOK),
    ("timeline", &["at", "by", "cause", "state", "sum"]),
    ("receiptList", &["id", "name", "contentType", "size", "kept"]),
    ("attemptList", &["attempt", "at", "httpStatus", "durationMs", "error"]),
    ("nextWebhooks", &["action", "delayMs", "times"]),
    ("faults", &["id", "kind", "operation", "left", "probability", "happened"]),
    ("checks", &["kind", "expected", "httpStatus", "error", "passed", "advice"]),
    ("stories", &["name", "title"]),
    ("testAccounts", &["account", "effect"]),
];
const PAYMENT: &[&str] = &["orderId", "status", "state", "sum", "customerAccount", "merchantId", "createdAt"];
const EXCHANGE: &[&str] = &["id", "operation", "httpStatus", "cause", "fault", "orderId", "at"];
const WEBHOOK: &[&str] =
    &["id", "kind", "status", "state", "attempts", "httpStatus", "action", "orderId", "url"];

pub(crate) fn print_document(json: &str) -> Result<(), Failure> {
    match stdout_is_human().then(|| text(json)).flatten() {
        Some(text) => print_styled(&text),
        None => print_line(&one_line(json)),
    }
}

fn text(json: &str) -> Option<String> {
    let Members(mut members) = serde_json::from_str(json).ok()?;
    // Only a successful reply is shown.
    members.retain(|(name, _)| name != "success");
    Some(shown(&members))
}

pub(crate) fn parts(json: &str, names: &[&str]) -> Option<String> {
    let Members(mut members) = serde_json::from_str(json).ok()?;
    members.retain(|(name, _)| names.contains(&name.as_str()));
    Some(shown(&members))
}

fn shown(members: &[(String, Box<RawValue>)]) -> String {
    let (mut fields, mut tables) = (Vec::new(), Vec::new());
    for (name, value) in members {
        match rows_of(name, value) {
            Some(rows) => tables.push(rows),
            None => flatten(name, value, &mut fields),
        }
    }
    let fields = (!fields.is_empty()).then(|| aligned(&fields));
    fields.into_iter().chain(tables).collect::<Vec<_>>().join("\n\n")
}

pub(crate) fn event(name: &str, json: &str) -> String {
    let columns: &[&str] = match name {
        "payment" => PAYMENT,
        "exchange" => EXCHANGE,
        "webhook" => WEBHOOK,
        _ => return format!("{name:10}{}", visible(&one_line(json))),
    };
    let Ok(Members(members)) = serde_json::from_str(json) else { return name.to_owned() };
    let cells = columns.iter().map(|column| cell(&members, column)).filter(|cell| !cell.is_empty());
    format!("{name:10}{}", cells.collect::<Vec<_>>().join("  "))
}

fn rows_of(name: &str, value: &RawValue) -> Option<String> {
    let (_, columns) = COLUMNS.iter().find(|(known, _)| *known == name)?;
    let rows: Vec<Members> = serde_json::from_str(value.get()).ok()?;
    if rows.is_empty() {
        return Some(format!("{name}: none"));
    }
    let filled = |column: &&&str| rows.iter().any(|Members(row)| !cell(row, column).is_empty());
    let columns: Vec<&str> = columns.iter().filter(filled).copied().collect();
    let cells = |Members(row): &Members| columns.iter().map(|column| cell(row, column)).collect();
    Some(headed(&columns, rows.iter().map(cells).collect()))
}

fn cell(row: &[(String, Box<RawValue>)], column: &str) -> String {
    row.iter().find(|(name, _)| name == column).map_or_else(String::new, |(_, value)| scalar(value))
}

/// Fields of a nested object get its name as a prefix; fields without a value are left out.
fn flatten(name: &str, value: &RawValue, fields: &mut Vec<Vec<String>>) {
    if let Ok(Members(members)) = serde_json::from_str(value.get()) {
        let has_text = !cell(&members, "text").is_empty();
        for (below, value) in &members {
            // The base64 repeats the bytes of the text field, so it is left out.
            if has_text && below == "base64" {
                continue;
            }
            flatten(&format!("{name}.{below}"), value, fields);
        }
        return;
    }
    let text = match serde_json::from_str::<Vec<String>>(value.get()) {
        Ok(words) if words.is_empty() => "none".to_owned(),
        Ok(words) => visible(&words.join(", ")),
        Err(_) => scalar(value),
    };
    if !text.is_empty() {
        let style = if name == "status" { of_status(&text) } else { Style::new() };
        fields.push(vec![visible(name), format!("{style}{text}{style:#}")]);
    }
}

fn of_status(status: &str) -> Style {
    let color = match Status::from(status.to_owned()) {
        Status::DoneSuccess => AnsiColor::Green,
        status if status.is_final() => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    color.on_default()
}

/// A text without its quotes, a number with its digits unchanged, and an empty text for `null`.
fn scalar(value: &RawValue) -> String {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => visible(&text),
        Err(_) if value.get() == "null" => String::new(),
        Err(_) => visible(&one_line(value.get())),
    }
}

pub(crate) fn aligned<T: AsRef<str>>(rows: &[Vec<T>]) -> String {
    lines(rows).join("\n")
}

pub(crate) fn headed(names: &[&str], rows: Vec<Vec<String>>) -> String {
    const HEAD: Style = Style::new().bold();

    let head = names.iter().map(|name| (*name).to_owned()).collect();
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let mut lines = lines(&all);
    if let Some(head) = lines.first_mut() {
        *head = format!("{HEAD}{head}{HEAD:#}");
    }
    lines.join("\n")
}

fn lines<T: AsRef<str>>(rows: &[Vec<T>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let length = |cell: &T| cell.as_ref().chars().count();
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(length).max().unwrap_or_default();
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<T>| {
        // By hand, because the width of a formatted text has 16 bits, and a service's text can be longer.
        let padded =
            |(cell, width): (&T, &usize)| cell.as_ref().to_owned() + &" ".repeat(width - length(cell));
        row.iter().zip(&widths).map(padded).collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Without the white space between the tokens. No token changes: 1500.50 stays 1500.50.
pub(crate) fn one_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in json.chars() {
        match c {
            ' ' | '\t' | '\r' | '\n' if !in_string => continue,
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = in_string && c == '\\' && !escaped;
        line.push(c);
    }
    line
}

/// The members of an object in their order, with the text of each unchanged. Repeated names are kept.
pub(crate) struct Members(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_a_cell_like_another() {
        let long = "x".repeat(100_000);
        assert_eq!(
            text(&format!(r#"{{"orderId":"o-1","extra":"{long}"}}"#)).unwrap().matches('x').count(),
            100_001
        );
    }

    #[test]
    fn fields_come_before_tables() {
        let json = r#"{"success":true,"orderId":"o\u001b[2J","sum":1500.50,"actions":{"customer":["exactly","less"]},
            "fault":null,"amounts":[1, 2.0],"others":[],"status":"doneFail",
            "webhookList":[{"id":2,"kind":"status","state":"delivered","attempts":1,"httpStatus":200,"url":"http://a","token":"x"},
                           {"id":1,"kind":"credentials","state":"waiting","attempts":0,"httpStatus":null,"url":"http://a"}],
            "receiptList":[]}"#;
        assert_eq!(
            text(json).unwrap(),
            "orderId           o\u{fffd}[2J\nsum               1500.50\nactions.customer  exactly, less\n\
             amounts           [1,2.0]\nothers            none\n\
             status            \u{1b}[31mdoneFail\u{1b}[0m\n\n\
             \u{1b}[1mid  kind         state      attempts  httpStatus  url\u{1b}[0m\n\
             2   status       delivered  1         200         http://a\n\
             1   credentials  waiting    0                     http://a\n\n\
             receiptList: none"
        );
        assert!(text("[]").is_none());
    }

    #[test]
    fn event_is_one_line() {
        let json = r#"{"orderId":"sb-1","status":"pending","state":"awaitingPayment","sum":"1.50","merchantId":null,"held":false}"#;
        assert_eq!(event("payment", json), "payment   sb-1  pending  awaitingPayment  1.50");
        assert_eq!(event("cleared", r#"{ "list" : "payments" }"#), r#"cleared   {"list":"payments"}"#);
    }

    #[test]
    fn aligned_without_trailing_blanks() {
        let rows = [["A", "BB", "C"], ["order-1", "x", ""], ["ц", "y", "z"]].map(Vec::from);
        assert_eq!(aligned(&rows), "A        BB  C\norder-1  x\nц        y   z");
    }

    #[test]
    fn one_line_keeps_every_token() {
        let json = "{ \"sum\" : 1500.50,\r\n\t\"a b\" : \"c \\\" d\\\\\", \"n\":[ 1, 2 ] }\n";
        assert_eq!(one_line(json), r#"{"sum":1500.50,"a b":"c \" d\\","n":[1,2]}"#);
    }
}
