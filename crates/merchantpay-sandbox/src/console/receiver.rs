//! `/receiver`: sends webhooks to the merchant's receiver, and compares the answers with the expected
//! answers.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, flag, list, number, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::{show, start, tables};

pub(super) async fn page(api: &Api) -> Result<Page, Page> {
    let sandbox = api.get("/sandbox").await?;
    let url = start::webhook_url(api, &sandbox).await?;
    Ok(Page::new(Section::Receiver, "Check my receiver", html! { (heading()) (form(&url, "")) }))
}

pub(super) async fn check(api: &Api, form: &Form) -> Result<Page, Page> {
    let results = api.post("/sandbox/receiver-checks", form.document(&["url", "orderId"], &[])).await?;
    let content = html! {
        (heading())
        (self::form(text(&results, "url"), form.text("orderId")))
        section.card aria-labelledby="results" {
            h2 #results { "Results" }
            @if flag(&results, "passed") {
                p.note { "The receiver gives every answer that is expected." }
            } @else {
                p.error { "The receiver does not give every answer that is expected." }
            }
            (table(list(&results, "checks")))
            p { "The webhooks are about " a href={ "/payments/" (text(&results, "orderId")) } { code { (text(&results, "orderId")) } } "." }
        }
    };
    Ok(Page::answer(Section::Receiver, "Check my receiver", content))
}

fn heading() -> Markup {
    html! {
        h1 { "Check my receiver" }
        p {
            "The sandbox sends seven webhooks to a URL, each once: four that a receiver must accept with a 2xx, "
            "and three forged ones that it must refuse with a 4xx."
        }
    }
}

fn form(url: &str, order_id: &str) -> Markup {
    html! {
        section.card aria-labelledby="check" {
            h2 #check { "Send the webhooks" }
            form method="post" action="/receiver" {
                div.fields {
                    (start::webhook_field("url", "URL of the receiver", "url", url))
                    div.field {
                        label for="orderId" { "Order id (a new payment unless given)" }
                        input id="orderId" name="orderId" value=(order_id) autocomplete="off" spellcheck="false";
                    }
                    button.main { "Check" }
                }
            }
            p.quiet {
                "A payment of your own must be final. From a shell: " code { "merchantpay check-receiver URL" } "."
            }
        }
    }
}

fn table(checks: &[Value]) -> Markup {
    html! {
        table {
            caption { "In the order in which they were sent." }
            thead { tr { @for column in ["Webhook", "Expected", "Answer", "Result"] { th scope="col" { (column) } } } }
            tbody {
                @for check in checks {
                    @let (webhook, status) = (number(check, "webhook"), number(check, "httpStatus"));
                    tr id={ "check-" (text(check, "kind")) } {
                        (tables::cell("Webhook", html! {
                            @if webhook > 0 { a href={ "/webhooks/" (webhook) } { (text(check, "content")) } } @else { (text(check, "content")) }
                        }))
                        (tables::cell("Expected", html! { (text(check, "expected")) }))
                        (tables::cell("Answer", html! {
                            @if status > 0 { "HTTP " (status) " " span.quiet.word { (number(check, "durationMs")) " ms" } }
                            @else if webhook > 0 { (show::text(text(check, "error"))) }
                            @else { span.quiet { "not sent" } }
                        }))
                        (tables::cell("Result", html! {
                            @if flag(check, "passed") { span.status.good { "as expected" } }
                            @else if webhook == 0 { span.quiet { "unknown" } }
                            @else { span.status.bad { "wrong" } br; (text(check, "advice")) }
                        }))
                    }
                }
            }
        }
    }
}
