//! Shows a document of the sandbox's control API to people: first its fields, then its lists as tables.

use serde_json::value::RawValue;

use super::table::{aligned, headed};
use super::visible::visible;
use crate::json::one_line;
use crate::json_members::Members;

/// The columns of each list: the fields that identify a row, and its result.
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

/// The document as text; `None` if the JSON is not an object.
pub(crate) fn text(json: &str) -> Option<String> {
    let Members(members) = serde_json::from_str(json).ok()?;
    Some(shown(&members))
}

/// Like [`text`], but only these members.
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

/// One event of the stream as one line.
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

/// Shows a list with known columns as a table below its name. A column without any value is left out.
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

/// Adds a line for each field. A field of a nested object has the object's name before its own. A field
/// without a value is left out.
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
        Ok(words) => visible(&words.join(", ")),
        Err(_) => scalar(value),
    };
    if !text.is_empty() {
        fields.push(vec![visible(name), text]);
    }
}

/// A text without its quotes, a number with its digits unchanged, and an empty text for `null`.
fn scalar(value: &RawValue) -> String {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => visible(&text),
        Err(_) if value.get() == "null" => String::new(),
        Err(_) => visible(&one_line(value.get())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_first_and_each_list_is_a_table_of_the_columns_that_have_values() {
        let json = r#"{"orderId":"o\u001b[2J","sum":"1.50","actions":{"customer":["exactly","less"]},"fault":null,
            "webhookList":[{"id":2,"kind":"status","state":"delivered","attempts":1,"httpStatus":200,"url":"http://a","token":"x"},
                           {"id":1,"kind":"credentials","state":"waiting","attempts":0,"httpStatus":null,"url":"http://a"}],
            "receiptList":[]}"#;
        let shown = text(json).unwrap().replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert_eq!(
            shown,
            "orderId           o\u{fffd}[2J\nsum               1.50\nactions.customer  exactly, less\n\n\
             id  kind         state      attempts  httpStatus  url\n\
             2   status       delivered  1         200         http://a\n\
             1   credentials  waiting    0                     http://a\n\n\
             receiptList: none"
        );
        assert!(text("[]").is_none());
    }

    #[test]
    fn an_event_is_one_line_of_the_columns_of_its_list() {
        let json = r#"{"orderId":"sb-1","status":"pending","state":"awaitingPayment","sum":"1.50","merchantId":null,"held":false}"#;
        assert_eq!(event("payment", json), "payment   sb-1  pending  awaitingPayment  1.50");
        assert_eq!(event("cleared", r#"{ "list" : "payments" }"#), r#"cleared   {"list":"payments"}"#);
    }
}
