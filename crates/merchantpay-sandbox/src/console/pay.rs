//! `/pay/{id}`: the customer's page, to which a payment's deeplink leads.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, list, text, words};
use super::layout::{Page, Section};
use super::{qr, show};

pub(super) async fn page(api: &Api, id: &str) -> Result<Page, Page> {
    let payment = api
        .get(&format!("/sandbox/payments/{id}"))
        .await
        .map_err(|problem| Page { section: Section::Frame, ..problem })?;
    let credentials = payment.get("credentials").unwrap_or(&Value::Null);
    let deeplink = text(credentials, "deeplink");
    let fact = |label: &str, name: &str| {
        html! {
            @if !text(credentials, name).is_empty() { dt { (label) } dd { (show::text(text(credentials, name))) } }
        }
    };
    let content = html! {
        h1 { "Payment " code { (id) } }
        div.card {
            p.sum { (text(&payment, "sum")) " " (text(&payment, "currency")) }
            dl.facts {
                (fact("Pay to", "payeeAccount"))
                (fact("Bank", "payeeAccountBank"))
                (fact("Name", "payeeName"))
                dt { "Status" } dd { (show::standing(&payment)) }
            }
        }
        section.card aria-labelledby="choices" {
            h2 #choices { "Pay" }
            (choices(&payment, &format!("/pay/{id}")))
        }
        @if !deeplink.is_empty() {
            section.card aria-labelledby="phone" {
                h2 #phone { "On a phone" }
                (qr::code(deeplink, "QR code of this page's address"))
                p { (show::address(deeplink)) }
                @if deeplink.starts_with("http://127.") || deeplink.starts_with("http://[::1]") {
                    p.quiet { "Another device reaches it only if the sandbox listens on your network: " code { "--host" } " and " code { "--allow-remote" } "." }
                }
            }
        }
    };
    Ok(Page::new(Section::Frame, format!("Payment {id}"), content))
}

const CHOICES: [(&str, &str); 4] =
    [("exactly", "Pay exactly"), ("less", "Pay less"), ("more", "Pay more"), ("nothing", "Do not pay")];

/// The customer's possible actions, as forms that post to `action`.
pub(super) fn choices(payment: &Value, action: &str) -> Markup {
    let possible: Vec<&str> = words(payment.get("actions").unwrap_or(&Value::Null), "customer").collect();
    let paid = list(payment, "timeline").iter().rfind(|change| text(change, "by") == "customer");
    html! {
        @if let Some(paid) = paid {
            p.note {
                @match text(paid, "cause") {
                    "nothing" => "Not paid.",
                    _ => { "Paid: " span.number { (text(paid, "sum")) " " (text(payment, "currency")) } "." }
                }
                @if !possible.is_empty() { " It goes on when the merchant confirms it; until then it can be paid otherwise." }
            }
        }
        @if possible.is_empty() {
            p.quiet {
                @if text(payment, "state") == "searching" { "There is no payee yet." } @else { "The customer has nothing left to do." }
            }
        } @else {
            div.choices {
                form method="post" action=(action) {
                    div.buttons {
                        @for (pays, name) in CHOICES.iter().filter(|(pays, _)| possible.contains(pays)) {
                            button id={ "pays-" (pays) } class=[(*pays == "exactly").then_some("main")] name="pays" value=(pays) { (name) }
                        }
                    }
                }
                form method="post" action=(action) {
                    div.fields {
                        div.field {
                            label for="sum" { "Another sum, RUB" }
                            input id="sum" name="sum" inputmode="decimal" autocomplete="off" required placeholder="1400.00";
                        }
                        button { "Pay this" }
                    }
                }
            }
        }
    }
}
