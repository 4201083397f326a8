//! `/webhooks` and `/webhooks/{id}`: the webhooks that were sent to the merchant, with buttons to send them
//! again.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, list, number, text};
use super::calls::message;
use super::form::Form;
use super::layout::{Page, Section};
use super::{show, tables};

pub(super) async fn page(api: &Api, asked: &Form) -> Result<Page, Page> {
    let webhooks = api.list("/sandbox/webhooks", &asked.query(&["before"])).await?;
    let content = html! {
        h1 { "Webhooks" }
        section.card aria-labelledby="list" {
            h2 #list { "Sent to the merchant" }
            (tables::or_none(&webhooks, "webhooks", "None yet. They are sent to the addresses that a payment was created with.",
                |rows| tables::webhooks(rows, true)))
            (tables::paging(&webhooks, asked, ""))
            @if !list(&webhooks, "webhooks").is_empty() { (tables::clearing("/webhooks/clear", "Clear the list")) }
        }
    };
    Ok(Page::new(Section::Webhooks, "Webhooks", content))
}

/// The ways to send a webhook again: the control API's name and the displayed name. The page has a separate
/// form for a delay.
const ACTIONS: [(&str, &str); 5] = [
    ("resend", "Send again to this URL"),
    ("duplicate", "Send twice"),
    ("tamper", "Send changed after signing"),
    ("wrongKey", "Sign with a wrong key"),
    ("unsigned", "Send unsigned"),
];

pub(super) async fn one(api: &Api, id: u64) -> Result<Page, Page> {
    let webhook = api.get(&format!("/sandbox/webhooks/{id}")).await?;
    let kind = text(&webhook, "kind");
    let copy = number(&webhook, "copyOf");
    let content = html! {
        p { a href="/webhooks" { "All webhooks" } }
        h1 { "Webhook " (kind) " #" (id) }
        p { (tables::delivery(&webhook)) }
        section.card aria-labelledby="about" {
            h2 #about { "The webhook" }
            dl.facts {
                dt { "payment" } dd { (tables::payment_link(&webhook)) }
                @if !text(&webhook, "merchantId").is_empty() { dt { "merchantId" } dd { (show::text(text(&webhook, "merchantId"))) } }
                dt { "to" } dd { (show::address(text(&webhook, "url"))) }
                dt { "at" } dd { (show::moment(text(&webhook, "at"))) }
                @if !text(&webhook, "action").is_empty() { dt { "done to it" } dd { (text(&webhook, "action")) } }
                @if copy > 0 { dt { "copy of" } dd { a href={ "/webhooks/" (copy) } { "#" (copy) } } }
            }
        }
        section.card aria-labelledby="again" {
            h2 #again { "Send it once more" }
            form method="post" action={ "/webhooks/" (id) } {
                div.buttons { @for (action, name) in ACTIONS { button name="action" value=(action) { (name) } } }
            }
            form method="post" action={ "/webhooks/" (id) } {
                div.fields {
                    div.field.small {
                        label for="delay" { "Delay, ms" }
                        input id="delay" name="delayMs" inputmode="numeric" required value="1000";
                    }
                    button name="action" value="delay" { "Send delayed" }
                }
            }
            p.quiet { "To reorder webhooks, plan it on the page of a payment that is not final." }
        }
        @if let Some(request) = webhook.get("request") {
            section.card aria-labelledby="request" { h2 #request { "Request" } (message(request, "Request", "")) }
        }
        section.card aria-labelledby="attempts" {
            h2 #attempts { "Attempts" }
            @if list(&webhook, "attemptList").is_empty() { p.quiet { "None yet." } }
            @for attempt in list(&webhook, "attemptList") { (answer(attempt)) }
        }
    };
    Ok(Page::new(Section::Webhooks, format!("Webhook #{id}"), content))
}

/// One delivery attempt, and the merchant's answer.
fn answer(attempt: &Value) -> Markup {
    let (turn, status) = (number(attempt, "attempt"), number(attempt, "httpStatus"));
    html! {
        details id={ "attempt-" (turn) } {
            summary {
                "Attempt " (turn) ": "
                @if status > 0 { "HTTP " (status) } @else { (show::text(text(attempt, "error"))) }
                " " span.number { "(" (number(attempt, "durationMs")) " ms, " (show::moment(text(attempt, "at"))) ")" }
            }
            @if status > 0 {
                h3 { "Headers" }
                (show::headers(list(attempt, "headers"), &format!("Attempt {turn}: headers")))
                h3 { "Body" }
                @if let Some(bytes) = attempt.get("body") { (show::body(bytes, &format!("Attempt {turn}: body"))) }
            }
        }
    }
}
