//! `/keys`: new keys for a merchant.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::api::{Api, list, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::show;

/// The forms that change a merchant's keys.
pub(super) fn forms(merchant: &Value) -> Markup {
    // A key id has only visible ASCII characters, which the URL encoding of the form keeps.
    let key_id =
        html! { input type="hidden" name="keyId" value=(show::visible(text(merchant, "keyId"), false)); };
    html! {
        details {
            summary { "Use other keys" }
            p.quiet { "As at the service: you register a public key, and only requests that its private key signs are accepted from then on." }
            form method="post" action="/keys" {
                (key_id)
                div.fields {
                    div.field.wide {
                        label for="publicKey" { "Your public key, in base64" }
                        input id="publicKey" name="publicKey" required autocomplete="off" spellcheck="false";
                    }
                    button #accept-key { "Use this public key" }
                }
            }
            form method="post" action="/keys/new" { (key_id) button #make-keys { "Make a new pair" } }
        }
    }
}

/// Makes a key pair, and shows its private key once.
pub(super) async fn make(api: &Api, form: &Form) -> Result<Page, Page> {
    let made = api.post("/sandbox/keys/new", form.document(&["keyId"], &[])).await?;
    let content = html! {
        h1 { "New keys" }
        section.card aria-labelledby="pair" {
            h2 #pair { "The pair of " (show::visible(text(&made, "keyId"), false)) }
            p.note { "Copy the private key now. This page alone has it: the sandbox keeps the public key." }
            h3 { "Private key" }
            (copied("private-key", "Private key", text(&made, "privateKey")))
            h3 { "Public key" }
            (copied("public-key", "Public key", text(&made, "publicKey")))
        }
        section.card aria-labelledby="settings" {
            h2 #settings { "Settings of a client with these keys" }
            @for (number, format) in list(&made, "formats").iter().enumerate() {
                @let name = text(format, "name");
                details {
                    summary { (show::visible(name, false)) }
                    p.quiet { (text(format, "description")) "." }
                    (copied(&format!("format-{number}"), name, text(format, "text")))
                }
            }
        }
        p { a href="/" { "To the quick start" } }
    };
    Ok(Page::answer(Section::Start, "New keys", content))
}

/// Registers the public key from the form.
pub(super) async fn accept(api: &Api, form: &Form) -> Result<Value, Page> {
    let key_id = Some(form.text("keyId")).filter(|key_id| !key_id.is_empty());
    api.post("/sandbox/keys", json!({"keyId": key_id, "publicKey": form.text("publicKey")})).await
}

/// A text with a button that copies it.
pub(super) fn copied(id: &str, label: &str, content: &str) -> Markup {
    html! {
        button type="button" data-copies=(id) hidden { "Copy" }
        pre id=(id) tabindex="0" role="region" aria-label=(label) { (show::visible(content, true)) }
    }
}
