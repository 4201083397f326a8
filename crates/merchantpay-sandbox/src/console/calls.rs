//! `/calls` and `/calls/{id}`: the signed exchanges between merchant and service, byte by byte.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, flag, list, number, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::{show, tables};

pub(super) async fn page(api: &Api, asked: &Form) -> Result<Page, Page> {
    let filter = asked.query(&["operation", "refused"]);
    let calls = api.list("/sandbox/exchanges", &asked.query(&["operation", "refused", "before"])).await?;
    let sandbox = api.get("/sandbox").await?;
    let none = if filter.is_empty() { "None yet." } else { "None like this." };
    let content = html! {
        h1 { "Calls" }
        section.card aria-labelledby="list" {
            h2 #list { "Signed exchanges" }
            form method="get" action="/calls" {
                div.fields {
                    div.field {
                        label for="operation" { "Operation" }
                        (operations(&sandbox, asked.text("operation")))
                    }
                    label.choice {
                        input type="checkbox" name="refused" value="true" checked[asked.text("refused") == "true"];
                        "Only refused ones"
                    }
                    button { "Find" }
                }
            }
            (tables::or_none(&calls, "exchanges", none, |rows| tables::exchanges(rows, true)))
            (tables::paging(&calls, asked, &filter))
            @if !list(&calls, "exchanges").is_empty() { (tables::clearing("/calls/clear", "Clear the list")) }
        }
    };
    Ok(Page::new(Section::Calls, "Calls", content))
}

/// The menu of operations, with a choice for all.
pub(super) fn operations(sandbox: &Value, chosen: &str) -> Markup {
    html! {
        select id="operation" name="operation" {
            option value="" { "any" }
            @for operation in super::api::words(sandbox, "operations") {
                option selected[operation == chosen] { (operation) }
            }
        }
    }
}

pub(super) async fn one(api: &Api, id: u64) -> Result<Page, Page> {
    let exchange = api.get(&format!("/sandbox/exchanges/{id}")).await?;
    let operation = text(&exchange, "operation");
    let reply = exchange.get("reply").filter(|reply| reply.is_object());
    let content = html! {
        p { a href="/calls" { "All calls" } }
        h1 { (operation) " #" (id) }
        p { (tables::answer(&exchange)) }
        section.card aria-labelledby="about" {
            h2 #about { "The call" }
            dl.facts {
                dt { "payment" } dd { (tables::payment_link(&exchange)) }
                dt { "at" } dd { (show::moment(text(&exchange, "at"))) }
                dt { "took" } dd.number { (number(&exchange, "durationMs")) " ms" }
                dt { "merchant's signature" } dd { @if flag(&exchange, "verified") { "holds" } @else { "does not hold, or is missing" } }
            }
        }
        @if let Some(request) = exchange.get("request") {
            section.card aria-labelledby="request" {
                h2 #request { "Request" }
                p { code { (text(request, "method")) " " (show::visible(text(request, "path"), false)) } }
                (message(request, "Request", &format!("/sandbox/exchanges/{id}/request")))
            }
        }
        section.card aria-labelledby="reply" {
            h2 #reply { "Reply" }
            @if let Some(reply) = reply {
                p { code { "HTTP " (number(reply, "httpStatus")) } }
                (message(reply, "Reply", &format!("/sandbox/exchanges/{id}/reply")))
            } @else {
                p.quiet { "None: the connection was closed." }
            }
        }
    };
    Ok(Page::new(Section::Calls, format!("{operation} #{id}"), content))
}

/// One signed message: its signature, its headers, its body.
pub(super) fn message(message: &Value, what: &str, download: &str) -> Markup {
    let or_missing = |name: &str| {
        html! {
            @if text(message, name).is_empty() { span.quiet { "missing" } } @else { code { (show::text(text(message, name))) } }
        }
    };
    html! {
        dl.facts {
            dt { "X-KeyId" } dd { (or_missing("keyId")) }
            dt { "X-Signature" } dd { (or_missing("signature")) }
        }
        h3 { "Headers" }
        (show::headers(list(message, "headers"), &format!("{what}: headers")))
        h3 { "Body" }
        @if let Some(bytes) = message.get("body") { (show::body(bytes, &format!("{what}: body"))) }
        @if !download.is_empty() { p { a href=(download) download { "Download the body's bytes" } } }
    }
}
