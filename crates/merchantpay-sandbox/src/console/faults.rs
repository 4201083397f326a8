//! `/faults`: the planned faults.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, list, number, text, words};
use super::calls::operations;
use super::layout::{Page, Section};
use super::tables;

pub(super) async fn page(api: &Api) -> Result<Page, Page> {
    let sandbox = api.get("/sandbox").await?;
    let faults = api.get("/sandbox/faults").await?;
    let content = html! {
        h1 { "Faults" }
        section.card aria-labelledby="to-come" {
            h2 #to-come { "To come" }
            (tables::or_none(&faults, "faults", "None: every call is answered as it should be.", table))
            @if !list(&faults, "faults").is_empty() {
                form method="post" action="/faults/clear" { button { "Clear all" } }
            }
        }
        section.card aria-labelledby="add" {
            h2 #add { "Make calls fail" }
            (form(&sandbox))
        }
        section.card aria-labelledby="kinds" {
            h2 #kinds { "What each does" }
            dl.facts.effects { @for (kind, effect) in KINDS { dt { code { (kind) } } dd { (effect) } } }
        }
    };
    Ok(Page::new(Section::Faults, "Faults", content))
}

/// An explanation of each kind of fault. The control API's list decides which kinds are offered.
const KINDS: [(&str, &str); 17] = [
    ("latency", "the reply comes later, by the milliseconds given"),
    ("dropBeforeCommit", "the connection closes without a reply, and nothing took effect"),
    ("dropAfterCommit", "it took effect, and the connection closes without a reply"),
    ("unsigned", "the reply is not signed"),
    ("malformedSignature", "the signature is not base64"),
    ("wrongKey", "the reply is signed with another key (forged)"),
    ("tampered", "the body is changed after it was signed"),
    ("reflected", "the request's own key id and signature come back"),
    ("htmlBadGateway", "502 and a proxy's page"),
    ("redirect", "307 to somewhere else"),
    ("wrongOrder", "a signed reply about another order"),
    ("duplicateKeys", "a signed reply with a duplicate name"),
    ("oversized", "a signed reply of at least the bytes given"),
    ("stallUnread", "no effect and no reply; the connection ends as if nothing had been read"),
    ("stallBeforeCommit", "nothing took effect, and no reply comes"),
    ("stallAfterCommit", "it took effect, and no reply comes"),
    ("stallMidReply", "it took effect, and half of the reply comes"),
];

fn form(sandbox: &Value) -> Markup {
    let number = |name: &str, label: &str, hint: &str, mode: &str| {
        html! {
            div.field.small {
                label for=(name) { (label) }
                input id=(name) name=(name) inputmode=(mode) autocomplete="off" placeholder=(hint);
            }
        }
    };
    html! {
        form method="post" action="/faults" {
            div.fields {
                div.field {
                    label for="kind" { "Fault" }
                    select id="kind" name="kind" { @for kind in words(sandbox, "faultKinds") { option { (kind) } } }
                }
                div.field {
                    label for="operation" { "Operation" }
                    (operations(sandbox, ""))
                }
                (number("times", "How many", "1", "numeric"))
                (number("probability", "Probability", "always", "decimal"))
                (number("seed", "Seed", "its own", "numeric"))
                (number("latencyMs", "Latency, ms", "for latency", "numeric"))
                (number("bytes", "Bytes", "for oversized", "numeric"))
                button.main { "Add" }
            }
        }
    }
}

fn table(faults: &[Value]) -> Markup {
    html! {
        table {
            caption { "In this order, one for a call." }
            thead {
                tr {
                    @for column in ["Fault", "Operation", "When", "Happened"] { th scope="col" { (column) } }
                    th scope="col" { span.hidden { "Action" } }
                }
            }
            tbody {
                @for fault in faults {
                    @let id = number(fault, "id");
                    tr id={ "fault-" (id) } {
                        td data-label="Fault" {
                            div {
                                strong { (text(fault, "kind")) }
                                @if number(fault, "latencyMs") > 0 { " " (number(fault, "latencyMs")) " ms" }
                                @if number(fault, "bytes") > 0 { " " (number(fault, "bytes")) " bytes" }
                            }
                        }
                        td data-label="Operation" { div { @match text(fault, "operation") { "" => "any", operation => (operation) } } }
                        td data-label="When" { div { (when(fault)) } }
                        @let happened = number(fault, "happened");
                        td data-label="Happened" { div { (happened) @if happened == 1 { " time" } @else { " times" } } }
                        td data-label="" {
                            form method="post" action={ "/faults/" (id) "/clear" } { button aria-label={ "Clear fault " (id) } { "Clear" } }
                        }
                    }
                }
            }
        }
    }
}

/// The calls that a fault will affect.
fn when(fault: &Value) -> Markup {
    let left = fault.get("left").and_then(Value::as_u64);
    let probability = fault.get("probability").filter(|probability| probability.is_number());
    html! {
        @match left { Some(left) => { "the next " (left) }, None => "until it is cleared" }
        @if let Some(probability) = probability { ", with probability " (probability.to_string()) }
        @if let Some(seed) = fault.get("seed").and_then(Value::as_u64) { ", seed " (seed) }
    }
}
