//! `/payments/{id}`: all details of a payment, and the possible actions of its customer and operator.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, flag, list, number, text, words};
use super::layout::{Page, Section};
use super::payments::clock;
use super::{pay, show, tables};

pub(super) async fn page(api: &Api, id: &str) -> Result<Page, Page> {
    let payment = api.get(&format!("/sandbox/payments/{id}")).await?;
    let time = api.get("/sandbox/clock").await?;
    let sandbox = api.get("/sandbox").await?;
    let content = html! {
        p { a href="/payments" { "All payments" } }
        h1 { "Payment " code { (id) } }
        p { span.sum { (text(&payment, "sum")) " " (text(&payment, "currency")) } " " (show::standing(&payment)) }
        (clock(&time, &format!("/payments/{id}/clock")))
        (story(&payment, &sandbox))
        div.columns {
            (merchant(&payment, id))
            (customer(&payment, id))
            (operator(&payment, id))
            (order(&payment))
            (credentials(&payment))
        }
        div.columns {
            (timeline(&payment))
            (receipts(&payment))
        }
        section.card aria-labelledby="exchanges" {
            h2 #exchanges { "Signed exchanges" }
            (tables::or_none(&payment, "exchangeList", "None.", |rows| tables::exchanges(rows, false)))
        }
        section.card aria-labelledby="webhooks" {
            h2 #webhooks { "Webhooks" }
            (tables::or_none(&payment, "webhookList", no_webhooks(&payment), |rows| tables::webhooks(rows, false)))
            (next_webhooks(&payment, &sandbox, id))
        }
    };
    Ok(Page::new(Section::Payments, format!("Payment {id}"), content))
}

/// The description of a story on its payment's page.
fn story(payment: &Value, sandbox: &Value) -> Markup {
    let name = text(payment, "merchantId").strip_prefix("story-").unwrap_or_default();
    let story = list(sandbox, "stories").iter().find(|story| text(story, "name") == name);
    html! {
        @if let Some(story) = story {
            section.card aria-labelledby="story" {
                h2 #story { "Story: " (text(story, "title")) }
                p { (text(story, "events")) }
                p { strong { "Your program: " } (text(story, "advice")) }
            }
        }
    }
}

/// The merchant's calls: the control API's name and the displayed name.
const CALLS: [(&str, &str); 3] =
    [("confirm", "Confirm"), ("cancel", "Cancel"), ("attachReceipt", "Attach a receipt")];

fn merchant(payment: &Value, id: &str) -> Markup {
    let possible: Vec<&str> = words(payment.get("actions").unwrap_or(&Value::Null), "merchant").collect();
    html! {
        section.card aria-labelledby="merchant" {
            h2 #merchant { "Play the merchant" }
            form method="post" action={ "/payments/" (id) "/merchant" } {
                div.buttons {
                    @for (action, name) in CALLS.iter().filter(|(action, _)| possible.contains(action)) {
                        button id={ "merchant-" (action) } class=[(*action == "confirm").then_some("main")] name="action" value=(action) { (name) }
                    }
                    button #merchant-getStatus name="action" value="getStatus" { "Ask for the status" }
                }
            }
            p.quiet { "Each button is a signed call, which appears below." }
        }
    }
}

/// The explanation of an empty list of webhooks.
fn no_webhooks(payment: &Value) -> &'static str {
    let has = |name: &str| !text(payment, name).is_empty();
    if has("statusWebhookUrl") || has("credentialsWebhookUrl") {
        "None yet: nothing has happened that is reported."
    } else {
        "None: the payment has no webhook URL."
    }
}

fn customer(payment: &Value, id: &str) -> Markup {
    let deeplink = text(payment.get("credentials").unwrap_or(&Value::Null), "deeplink");
    html! {
        section.card aria-labelledby="customer" {
            h2 #customer { "Play the customer" }
            (pay::choices(payment, &format!("/payments/{id}/customer")))
            @if !deeplink.is_empty() { p { a href={ "/pay/" (id) } { "Open the customer's frame" } } }
        }
    }
}

/// The operator's actions: the control API's name and the displayed name.
const MOVES: [(&str, &str); 6] = [
    ("approve", "Approve"),
    ("fail", "Fail"),
    ("arbitration", "Send to arbitration"),
    ("requireReceipt", "Ask for a receipt"),
    ("hold", "Hold"),
    ("release", "Release"),
];

fn operator(payment: &Value, id: &str) -> Markup {
    let possible: Vec<&str> = words(payment.get("actions").unwrap_or(&Value::Null), "operator").collect();
    html! {
        section.card aria-labelledby="operator" {
            h2 #operator { "Play the operator" }
            @if possible.is_empty() {
                p.quiet { "Nothing is left to do: the payment is final." }
            } @else {
                form method="post" action={ "/payments/" (id) "/operator" } {
                    div.buttons {
                        @for (action, name) in MOVES.iter().filter(|(action, _)| possible.contains(action)) {
                            button id={ "operator-" (action) } name="action" value=(action) { (name) }
                        }
                    }
                }
                @if flag(payment, "held") { p.quiet { "Held: nothing happens by itself until you decide or release it." } }
            }
        }
    }
}

fn order(payment: &Value) -> Markup {
    let fact = |name: &str| html! { @if !text(payment, name).is_empty() { dt { (name) } dd { (show::text(text(payment, name))) } } };
    let link = |name: &str| html! { @if !text(payment, name).is_empty() { dt { (name) } dd { (show::address(text(payment, name))) } } };
    html! {
        section.card aria-labelledby="order" {
            h2 #order { "What the merchant asked for" }
            dl.facts {
                dt { "sum" } dd { span.number { (text(payment, "requestedSum")) " " (text(payment, "currency")) } }
                (fact("paymentMethod"))
                (fact("customerAccount"))
                (fact("payerBank"))
                (fact("merchantId"))
                (link("statusWebhookUrl"))
                (link("credentialsWebhookUrl"))
                dt { "created by" } dd { (text(payment, "createdBy")) }
                dt { "created" } dd { (show::moment(text(payment, "createdAt"))) }
                dt { "changed" } dd { (show::moment(text(payment, "changedAt"))) }
                @if !text(payment, "testAccount").is_empty() { dt { "testAccount" } dd { code { (show::text(text(payment, "testAccount"))) } } }
            }
        }
    }
}

fn credentials(payment: &Value) -> Markup {
    let credentials = payment.get("credentials").filter(|credentials| credentials.is_object());
    html! {
        section.card aria-labelledby="credentials" {
            h2 #credentials { "Credentials" }
            @if let Some(credentials) = credentials {
                dl.facts {
                    @for name in ["payeeAccount", "payeeAccountBank", "payeeName", "dealSum", "dealCurrency", "dealRate"] {
                        @if !text(credentials, name).is_empty() { dt { (name) } dd { (show::text(text(credentials, name))) } }
                    }
                    @let deeplink = text(credentials, "deeplink");
                    @if !deeplink.is_empty() { dt { "deeplink" } dd { (show::address(deeplink)) } }
                }
            } @else {
                p.quiet { "None yet." }
            }
        }
    }
}

fn timeline(payment: &Value) -> Markup {
    html! {
        section.card aria-labelledby="timeline" {
            h2 #timeline { "Timeline" }
            ol.timeline {
                @for change in list(payment, "timeline") {
                    li {
                        (show::moment(text(change, "at"))) br;
                        (text(change, "by")) ": " strong { (text(change, "cause")) } " → " (text(change, "state"))
                        " " span.quiet { "(" (text(change, "status")) ", " span.number { (text(change, "sum")) } ")" }
                    }
                }
            }
        }
    }
}

fn receipts(payment: &Value) -> Markup {
    html! {
        section.card aria-labelledby="receipts" {
            h2 #receipts { "Receipts" }
            @if list(payment, "receiptList").is_empty() { p.quiet { "None attached." } }
            ul.receipts {
                @for receipt in list(payment, "receiptList") {
                    @let (url, name) = (text(receipt, "url"), text(receipt, "name"));
                    li id={ "receipt-" (number(receipt, "id")) } {
                        @if flag(receipt, "kept") {
                            @if text(receipt, "contentType").starts_with("image/") { img src={ (url) "?view=1" } alt="" loading="lazy"; }
                            a href={ (url) "?view=1" } { "View " (show::text(name)) }
                        } @else {
                            (show::text(name)) " (no longer kept)"
                        }
                        br; span.quiet { (text(receipt, "contentType")) ", " (number(receipt, "size")) " bytes" }
                    }
                }
            }
        }
    }
}

/// The planned faults of the payment's next webhooks.
fn next_webhooks(payment: &Value, sandbox: &Value, id: &str) -> Markup {
    let planned = list(payment, "nextWebhooks");
    html! {
        @if !flag(payment, "final") || !planned.is_empty() {
            h3 { "The next ones" }
            @if !planned.is_empty() {
                ul {
                    @for plan in planned {
                        li {
                            strong { (text(plan, "action")) }
                            @if number(plan, "delayMs") > 0 { " by " (number(plan, "delayMs")) " ms" }
                            @if number(plan, "times") > 1 { ", " (number(plan, "times")) " times" }
                        }
                    }
                }
                form method="post" action={ "/payments/" (id) "/webhooks/clear" } { button { "Forget these" } }
            }
            form method="post" action={ "/payments/" (id) "/webhooks" } {
                div.fields {
                    div.field {
                        label for="next-action" { "Do to the next" }
                        select id="next-action" name="action" {
                            @for action in words(sandbox, "webhookActions").filter(|action| *action != "resend") {
                                option { (action) }
                            }
                        }
                    }
                    div.field.small {
                        label for="next-delay" { "Delay, ms" }
                        input id="next-delay" name="delayMs" inputmode="numeric" placeholder="for delay";
                    }
                    div.field.small {
                        label for="next-times" { "How many" }
                        input id="next-times" name="times" inputmode="numeric" value="1";
                    }
                    button { "Plan" }
                }
            }
        }
    }
}
