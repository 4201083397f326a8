//! `/signature`: checks a signature, and explains why a signature does not verify.

use maud::{Markup, html};
use serde_json::Value;

use super::api::{Api, flag, text};
use super::form::Form;
use super::layout::{Page, Section};

pub(super) fn page() -> Page {
    let empty = Form::read(b"");
    Page::new(Section::Signature, "Check a signature", html! { (heading()) (form(&empty)) })
}

pub(super) async fn check(api: &Api, form: &Form) -> Result<Page, Page> {
    let mut asked = form.document(&["signature", "keyId", "publicKey", "from"], &[]);
    if form.text("encoding") == "base64" {
        asked["bodyBase64"] = form.text("body").into();
    } else {
        // Browsers send every line break of a field as CRLF.
        asked["body"] = form.exactly("body").replace("\r\n", "\n").into();
    }
    let result = api.post("/sandbox/signature", asked).await?;
    let content = html! { (heading()) (self::result(&result)) (self::form(form)) };
    Ok(Page::answer(Section::Signature, "Check a signature", content))
}

fn heading() -> Markup {
    html! {
        h1 { "Check a signature" }
        p { "For a message that was refused: the sandbox verifies it, and if it does not verify, explains why." }
    }
}

fn result(result: &Value) -> Markup {
    html! {
        section.card aria-labelledby="result" {
            h2 #result { "Result" }
            @if flag(result, "verified") {
                p.note { "The signature verifies." }
            } @else {
                p.error { "The signature does not verify: " code { (text(result, "cause")) } }
                p { (text(result, "hint")) }
            }
        }
    }
}

fn form(form: &Form) -> Markup {
    let choice = |field: &str, value: &str, label: &str| {
        html! { option value=(value) selected[form.text(field) == value] { (label) } }
    };
    html! {
        section.card aria-labelledby="message" {
            h2 #message { "The message" }
            form.stacked method="post" action="/signature" {
                div.field {
                    label for="body" { "Body, exactly as it was sent" }
                    textarea id="body" name="body" rows="6" spellcheck="false" required { "\n" (form.exactly("body")) }
                }
                div.fields {
                    div.field.small {
                        label for="encoding" { "The body above is" }
                        select id="encoding" name="encoding" { (choice("encoding", "text", "text")) (choice("encoding", "base64", "base64")) }
                    }
                    div.field {
                        label for="from" { "It was signed by" }
                        select id="from" name="from" {
                            (choice("from", "service", "the service (a webhook or a reply)"))
                            (choice("from", "merchant", "the merchant (a request)"))
                        }
                    }
                }
                div.field {
                    label for="signature" { "X-Signature" }
                    input id="signature" name="signature" value=(form.text("signature")) autocomplete="off" spellcheck="false";
                }
                div.fields {
                    div.field {
                        label for="keyId" { "X-KeyId (not checked unless given)" }
                        input id="keyId" name="keyId" value=(form.text("keyId")) autocomplete="off" spellcheck="false";
                    }
                    div.field {
                        label for="publicKey" { "Public key (the sandbox's unless given)" }
                        input id="publicKey" name="publicKey" value=(form.text("publicKey")) autocomplete="off" spellcheck="false";
                    }
                }
                button.main { "Check" }
            }
            p.quiet {
                "A text is checked with LF as its line ends. If the line ends matter, or the bytes are not UTF-8, paste base64. "
                "Paste no private key."
            }
        }
    }
}
