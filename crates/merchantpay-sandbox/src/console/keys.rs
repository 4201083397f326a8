//! `/keys`: another key for a merchant.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::api::Api;
use super::form::Form;
use super::layout::Page;
use super::show;

/// The form that registers another public key of the merchant.
pub(super) fn form() -> Markup {
    html! {
        details {
            summary { "Use other keys" }
            p.quiet { "As at the service: you register a public key, and only requests that its private key signs are accepted from then on." }
            form method="post" action="/keys" {
                div.fields {
                    div.field.wide {
                        label for="publicKey" { "Your public key, in base64" }
                        input id="publicKey" name="publicKey" required autocomplete="off" spellcheck="false";
                    }
                    button #accept-key { "Use this public key" }
                }
            }
        }
    }
}

/// Registers the public key from the form.
pub(super) async fn accept(api: &Api, form: &Form) -> Result<Value, Page> {
    api.post("/sandbox/keys", json!({"publicKey": form.text("publicKey")})).await
}

/// A text with a button that copies it.
pub(super) fn copied(id: &str, label: &str, content: &str) -> Markup {
    html! {
        button type="button" data-copies=(id) hidden { "Copy" }
        pre id=(id) tabindex="0" role="region" aria-label=(label) { (show::visible(content, true)) }
    }
}
