//! `/`: the quick start.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, list, text};
use super::layout::{Page, Section};
use super::show;

pub(super) async fn page(api: &Api) -> Result<Page, Page> {
    let sandbox = api.get("/sandbox").await?;
    let content = html! {
        h1 { "Quick start" }
        (settings(&sandbox))
        (test_accounts(&sandbox))
    };
    Ok(Page::new(Section::Start, "Quick start", content))
}

/// What a merchant's program has to know.
fn settings(sandbox: &Value) -> Markup {
    let of = |side: &str, name: &str| text(sandbox.get(side).unwrap_or(&Value::Null), name).to_owned();
    html! {
        section.card aria-labelledby="settings" {
            h2 #settings { "Settings" }
            p { "Give a client these settings, and the private key that the sandbox printed when it started." }
            pre.wrap tabindex="0" role="region" aria-label="Settings of a client" {
                "MERCHANTPAY_BASE_URL=" (show::visible(text(sandbox, "url"), false)) "\n"
                "MERCHANTPAY_KEY_ID=" (show::visible(&of("merchant", "keyId"), false)) "\n"
                "MERCHANTPAY_SERVER_PUBLIC_KEY=" (of("server", "publicKey")) "\n"
                "MERCHANTPAY_SERVER_KEY_ID=" (show::visible(&of("server", "keyId"), false)) "\n"
            }
        }
    }
}

fn test_accounts(sandbox: &Value) -> Markup {
    html! {
        section.card aria-labelledby="test-accounts" {
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
