//! `/payments`: the payments, the newest first.

use maud::{Markup, html};
use merchantpay::Status;
use serde_json::Value;

use super::api::{Api, list, number, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::{show, tables};

pub(super) async fn page(api: &Api, asked: &Form) -> Result<Page, Page> {
    let filter = asked.query(&["search", "status"]);
    let payments = api.list("/sandbox/payments", &asked.query(&["search", "status", "before"])).await?;
    let time = api.get("/sandbox/clock").await?;
    let none = if filter.is_empty() { "None yet. One appears here by itself." } else { "None like this." };
    let is_final = |payment: &Value| super::api::flag(payment, "final");
    let content = html! {
        h1 { "Payments" }
        (clock(&time, "/clock"))
        section.card aria-labelledby="list" {
            h2 #list { "As they come in" }
            (narrowing(asked))
            (tables::or_none(&payments, "payments", none, tables::payments))
            (tables::paging(&payments, asked, &filter))
            @if list(&payments, "payments").iter().any(is_final) {
                (tables::clearing("/payments/clear", "Clear the final ones"))
            }
        }
    };
    Ok(Page::new(Section::Payments, "Payments", content))
}

fn narrowing(asked: &Form) -> Markup {
    html! {
        form method="get" action="/payments" {
            div.fields {
                div.field {
                    label for="search" { "Order id, account or merchantId" }
                    input id="search" name="search" type="search" value=(asked.text("search")) autocomplete="off" spellcheck="false";
                }
                div.field.small {
                    label for="status" { "Status" }
                    select id="status" name="status" {
                        option value="" { "any" }
                        @for status in Status::ALL {
                            option selected[asked.text("status") == status.as_str()] { (status.as_str()) }
                        }
                    }
                }
                button { "Find" }
            }
        }
    }
}

/// The card of the clock, if the clock is manual. The card's forms post to `action`.
pub(super) fn clock(clock: &Value, action: &str) -> Markup {
    html! {
        @if text(clock, "mode") == "manual" {
            section.card aria-labelledby="clock" {
                h2 #clock { "The clock stands still" }
                p {
                    "It is " (show::moment(text(clock, "now"))) ". Waiting: " (number(clock, "timers")) "."
                    @if !text(clock, "nextTimerAt").is_empty() { " Next: " (show::moment(text(clock, "nextTimerAt"))) "." }
                }
                div.buttons {
                    @for (millis, name) in [("1000", "+ 1 second"), ("10000", "+ 10 seconds"), ("60000", "+ 1 minute")] {
                        form method="post" action=(action) { button name="advanceMs" value=(millis) { (name) } }
                    }
                }
                form method="post" action=(action) {
                    div.fields {
                        div.field.small {
                            label for="advance" { "Milliseconds" }
                            input id="advance" name="advanceMs" inputmode="numeric" required;
                        }
                        button { "Advance" }
                    }
                }
            }
        }
    }
}
