//! The tables of payments, calls and webhooks, which several pages use.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{flag, list, number, text};
use super::form::Form;
use super::show;
pub(super) use crate::pages::{cell, head};

pub(super) fn payments(payments: &[Value]) -> Markup {
    html! {
        table.rows {
            (head("Newest first.", &["Payment", "Status", "Sum", "Customer account", "Created"]))
            tbody {
                @for payment in payments {
                    @let id = text(payment, "orderId");
                    tr id={ "payment-" (id) } {
                        (cell("Payment", html! {
                            a href={ "/payments/" (id) } { code { (id) } }
                            @let merchant_id = text(payment, "merchantId");
                            @if !merchant_id.is_empty() { br; span.quiet { "merchantId " (show::text(merchant_id)) } }
                        }))
                        (cell("Status", show::standing(payment)))
                        (cell("Sum", sum(payment)))
                        (cell("Account", show::text(text(payment, "customerAccount"))))
                        (cell("Created", show::moment(text(payment, "createdAt"))))
                    }
                }
            }
        }
    }
}

/// The paid sum, and the requested sum if it differs.
pub(super) fn sum(payment: &Value) -> Markup {
    let (sum, requested) = (text(payment, "sum"), text(payment, "requestedSum"));
    html! {
        span.number { (sum) " " (text(payment, "currency")) }
        @if sum != requested { br; span.quiet { "of " span.number { (requested) } } }
    }
}

pub(super) fn exchanges(exchanges: &[Value], with_order: bool) -> Markup {
    html! {
        table.rows {
            @let columns = &["Call", "Answer", "Took", "At", "Payment"][..if with_order { 5 } else { 4 }];
            (head("Newest first. Open one to see its bytes.", columns))
            tbody {
                @for exchange in exchanges {
                    @let id = number(exchange, "id");
                    tr id={ "exchange-" (id) } {
                        (cell("Call", html! { a href={ "/calls/" (id) } { (call(exchange)) " #" (id) } }))
                        (cell("Answer", answer(exchange)))
                        (cell("Took", html! { span.number { (number(exchange, "durationMs")) " ms" } }))
                        (cell("At", show::moment(text(exchange, "at"))))
                        @if with_order { (cell("Payment", payment_link(exchange))) }
                    }
                }
            }
        }
    }
}

/// The operation, or the unknown path.
pub(super) fn call(exchange: &Value) -> Markup {
    let operation = text(exchange, "operation");
    if operation.is_empty() {
        show::text(text(exchange, "path"))
    } else {
        html! { (operation) }
    }
}

/// The reply's status, and the fault of the request or of the reply.
pub(super) fn answer(exchange: &Value) -> Markup {
    let status = number(exchange, "httpStatus");
    let class = if (200..300).contains(&status) { "good" } else { "bad" };
    html! {
        span class={ "status " (class) } { @if status == 0 { "no reply" } @else { (status) } }
        @if exchange.get("verified") == Some(&Value::Bool(false)) { " " span.status.bad { "signature refused" } }
        @if !text(exchange, "fault").is_empty() { " " span.status.wait { "fault: " (text(exchange, "fault")) } }
    }
}

pub(super) fn webhooks(webhooks: &[Value], with_order: bool) -> Markup {
    html! {
        table.rows {
            @let columns = &["Webhook", "Delivery", "To", "At", "Payment"][..if with_order { 5 } else { 4 }];
            (head("Newest first. Open one to see its bytes and to send it again.", columns))
            tbody {
                @for webhook in webhooks {
                    @let id = number(webhook, "id");
                    tr id={ "webhook-" (id) } {
                        (cell("Webhook", html! {
                            a href={ "/webhooks/" (id) } { (text(webhook, "kind")) " #" (id) }
                            @if !text(webhook, "status").is_empty() { " " span.quiet.word { (text(webhook, "status")) } }
                            @if !text(webhook, "action").is_empty() { " " span.status.wait { (text(webhook, "action")) } }
                        }))
                        (cell("Delivery", delivery(webhook)))
                        (cell("To", show::text(text(webhook, "url"))))
                        (cell("At", show::moment(text(webhook, "at"))))
                        @if with_order { (cell("Payment", html! {
                            (payment_link(webhook))
                            @let merchant_id = text(webhook, "merchantId");
                            @if !merchant_id.is_empty() { br; span.quiet { "merchantId " (show::text(merchant_id)) } }
                        })) }
                    }
                }
            }
        }
    }
}

/// The state of a webhook's delivery.
pub(super) fn delivery(webhook: &Value) -> Markup {
    let (class, word) = match text(webhook, "state") {
        "delivered" => ("good", "delivered"),
        "givenUp" => ("bad", "given up"),
        other => ("", other),
    };
    let (attempts, status) = (number(webhook, "attempts"), number(webhook, "httpStatus"));
    html! {
        span class={ "status " (class) } { (word) }
        @if attempts > 0 {
            " " span.quiet.word { (attempts) @if attempts == 1 { " attempt" } @else { " attempts" } @if status > 0 { ", HTTP " (status) } }
        }
    }
}

/// The payment of a call or a webhook: a link, if the payment exists.
pub(super) fn payment_link(document: &Value) -> Markup {
    let order_id = text(document, "orderId");
    html! {
        @if order_id.is_empty() {
            span.quiet { "none" }
        } @else if flag(document, "orderExists") {
            a href={ "/payments/" (order_id) } { code { (order_id) } }
        } @else {
            code { (show::text(order_id)) } " " span.quiet { "(not here)" }
        }
    }
}

/// The links to the older part of a list, and back to its beginning.
pub(super) fn paging(document: &Value, asked: &Form, query: &str) -> Markup {
    let next = document
        .get("next")
        .and_then(|next| next.as_str().map(str::to_owned).or_else(|| next.as_u64().map(|id| id.to_string())));
    let first = asked.text("before").is_empty();
    html! {
        @if !first || next.is_some() {
            nav.paging aria-label="Pages of the list" {
                @if !first { a href={ "?" (query) } rel="prev" { "Newest" } }
                @if let Some(next) = next {
                    @let before = form_urlencoded::Serializer::new(String::new()).append_pair("before", &next).finish();
                    a href={ "?" (before) @if !query.is_empty() { "&" (query) } } rel="next" { "Older" }
                }
            }
        }
    }
}

/// The form that clears a list.
pub(super) fn clearing(action: &str, name: &str) -> Markup {
    html! { form.clearing method="post" action=(action) { button { (name) } } }
}

/// A list of a document as a table, or a text if it is empty.
pub(super) fn or_none(
    document: &Value,
    name: &str,
    none: &str,
    table: impl FnOnce(&[Value]) -> Markup,
) -> Markup {
    match list(document, name) {
        [] => html! { p.quiet { (none) } },
        rows => table(rows),
    }
}
