//! `/`: the payments as they come in, and how to make one.

use maud::{Markup, html};
use merchantpay::Status;
use serde_json::Value;

use super::api::{Api, list, number, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::{show, tables};

pub(super) async fn page(api: &Api, asked: &Form) -> Result<Page, Page> {
    let filter = asked.query(&["status", "merchantId"]);
    let payments =
        api.get(&format!("/sandbox/payments?{}", asked.query(&["status", "merchantId", "before"]))).await?;
    let sandbox = api.get("/sandbox").await?;
    let content = html! {
        h1 { "Payments" }
        (clock(sandbox.get("clock").unwrap_or(&Value::Null), "/clock"))
        section.card aria-labelledby="list" {
            h2 #list { "As they come in" }
            (narrowing(asked))
            (tables::or_none(&payments, "payments", "None yet. Make one as below; it appears here by itself.", tables::payments))
            (tables::older(&payments, &filter))
        }
        (settings(&sandbox))
        (test_accounts(&sandbox))
    };
    Ok(Page::new(Section::Payments, "Payments", content))
}

fn narrowing(asked: &Form) -> Markup {
    html! {
        form method="get" action="/" {
            div.fields {
                div.field {
                    label for="status" { "Status" }
                    select id="status" name="status" {
                        option value="" { "any" }
                        @for status in Status::ALL {
                            option selected[asked.text("status") == status.as_str()] { (status.as_str()) }
                        }
                    }
                }
                div.field {
                    label for="merchantId" { "merchantId" }
                    input id="merchantId" name="merchantId" value=(asked.text("merchantId")) autocomplete="off" spellcheck="false";
                }
                button { "Narrow" }
            }
        }
    }
}

/// The clock, where it is the reader who moves it. Its forms go to `action`.
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

/// What a merchant's program has to know.
fn settings(sandbox: &Value) -> Markup {
    let of = |side: &str, name: &str| text(sandbox.get(side).unwrap_or(&Value::Null), name).to_owned();
    html! {
        section.card aria-labelledby="settings" {
            h2 #settings { "Make a payment" }
            p { "Give a client these settings, and the private key that the sandbox printed when it started." }
            pre.wrap tabindex="0" role="region" aria-label="Settings of a client" {
                "MERCHANTPAY_BASE_URL=" (show::visible(text(sandbox, "url"), false)) "\n"
                "MERCHANTPAY_KEY_ID=" (show::visible(&of("merchant", "keyId"), false)) "\n"
                "MERCHANTPAY_SERVER_PUBLIC_KEY=" (of("server", "publicKey")) "\n"
                "MERCHANTPAY_SERVER_KEY_ID=" (show::visible(&of("server", "keyId"), false)) "\n\n"
                "merchantpay new --sum 1500.50 --payment-method sbp --customer-account 79001234567"
            }
        }
    }
}

fn test_accounts(sandbox: &Value) -> Markup {
    html! {
        section.card aria-labelledby="testAccounts" {
            h2 #test-accounts { "Customer accounts with an effect" }
            details {
                summary { "A " code { "customerAccount" } " decides what happens to a payment; any other pays exactly." }
                dl.facts.effects {
                    @for test_account in list(sandbox, "testAccounts") {
                        dt { code { (text(test_account, "account")) } }
                        dd { (text(test_account, "effect")) }
                    }
                }
            }
        }
    }
}
