//! The console's page `/`, the quick start: the settings of a client, a payment without a program, and the
//! stories, which are simulated payments from beginning to end.

use maud::{Markup, html};
use merchantpay::PaymentMethod;
use serde_json::Value;

use super::api::{Api, flag, list, text};
use super::form::Form;
use super::layout::{Page, Section};
use super::{keys, show};

pub(super) async fn page(api: &Api, asked: &Form) -> Result<Page, Page> {
    let sandbox = api.get("/sandbox").await?;
    let settings = api.get("/sandbox/settings").await?;
    let url = webhook_url(api, &sandbox).await?;
    let content = html! {
        h1 { "Quick start" }
        (settings_card(&settings, asked))
        (stories(&sandbox, &url))
        (payment(&sandbox, &url))
    };
    Ok(Page::new(Section::Start, "Quick start", content))
}

/// The URL of the last webhook, or the sandbox's own receiver.
pub(super) async fn webhook_url(api: &Api, sandbox: &Value) -> Result<String, Page> {
    let last = api.get("/sandbox/webhooks?limit=1").await?;
    let last = list(&last, "webhooks").first().map(|webhook| text(webhook, "url"));
    // A URL that the merchant wrote is proposed only if it has only harmless characters.
    let last = last.filter(|url| url.bytes().all(|byte| byte.is_ascii_graphic()));
    Ok(last.unwrap_or_else(|| text(sandbox, "receiver")).to_owned())
}

/// The settings in one format.
fn settings_card(merchant: &Value, asked: &Form) -> Markup {
    let formats = list(merchant, "formats");
    let named = |name: &str| formats.iter().find(|format| text(format, "name") == name);
    let format = named(asked.text("format")).or(formats.first()).unwrap_or(&Value::Null);
    html! {
        section.card aria-labelledby="settings" {
            h2 #settings { "1. Copy the settings of your client" }
            (tabs("Formats", "format", formats, "name", format, ""))
            p.quiet { (text(format, "description")) "." }
            @if !flag(merchant, "hasPrivateKey") {
                p {
                    "The private key is yours. The sandbox verifies with the public key "
                    code { (show::visible(text(merchant, "publicKey"), false)) } "."
                }
            }
            (keys::copied("settings-text", "Settings of a client", text(format, "text")))
            (keys::form())
        }
    }
}

/// Links that choose one of several views.
fn tabs(label: &str, parameter: &str, choices: &[Value], name: &str, chosen: &Value, rest: &str) -> Markup {
    html! {
        nav.tabs aria-label=(label) {
            @for choice in choices {
                @let query = form_urlencoded::Serializer::new(String::new()).append_pair(parameter, text(choice, name)).finish();
                a href={ "?" (query) @if !rest.is_empty() { "&" (rest) } }
                    aria-current=[(text(choice, name) == text(chosen, name)).then_some("true")] { (show::visible(text(choice, name), false)) }
            }
        }
    }
}

fn stories(sandbox: &Value, url: &str) -> Markup {
    html! {
        section.card aria-labelledby="stories" {
            h2 #stories { "2. Play a story" }
            p {
                "The sandbox plays the merchant and the customer; your receiver gets the webhooks. "
                a href="/receiver" { "Check your receiver" } " first, or leave the sandbox's own one."
            }
            form method="post" action="/stories" {
                (webhook_field("story-url", "Webhook URL", "webhookUrl", url))
                ul.stories {
                    @for story in list(sandbox, "stories") {
                        li {
                            button id={ "story-" (text(story, "name")) } name="story" value=(text(story, "name")) { (text(story, "title")) }
                            span { (text(story, "events")) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn webhook_field(id: &str, label: &str, name: &str, url: &str) -> Markup {
    html! {
        div.field.wide {
            label for=(id) { (label) }
            input id=(id) name=(name) type="url" inputmode="url" value=(url) autocomplete="off" spellcheck="false";
        }
    }
}

fn payment(sandbox: &Value, url: &str) -> Markup {
    html! {
        section.card aria-labelledby="payment" {
            h2 #payment { "3. Create a payment" }
            form method="post" action="/payments" {
                div.fields {
                    div.field.small {
                        label for="sum" { "Sum, RUB" }
                        input id="sum" name="sum" inputmode="decimal" autocomplete="off" required value="1500.50";
                    }
                    div.field.small {
                        label for="paymentMethod" { "Method" }
                        select id="paymentMethod" name="paymentMethod" {
                            @for method in PaymentMethod::ALL { option selected[*method == PaymentMethod::Sbp] { (method.as_str()) } }
                        }
                    }
                    div.field {
                        label for="customerAccount" { "Customer account" }
                        input id="customerAccount" name="customerAccount" list="accounts" autocomplete="off" spellcheck="false" required value="79001234567";
                        datalist #accounts { @for one in list(sandbox, "testAccounts") { option value=(text(one, "account")) { (text(one, "effect")) } } }
                    }
                    div.field {
                        label for="merchantId" { "merchantId" }
                        input id="merchantId" name="merchantId" autocomplete="off" spellcheck="false";
                    }
                    (webhook_field("payment-url", "Webhook URL", "webhookUrl", url))
                    label.choice {
                        input type="checkbox" name="asynchronous" value="true";
                        "newPaymentAsync"
                    }
                    button.main #create { "Create" }
                }
            }
            p.quiet { "Or let your program create one: it appears under " a href="/payments" { "Payments" } "." }
            details {
                summary { "Customer accounts with an effect" }
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

/// The payment from the form, as a document for the control API.
pub(super) fn new_payment(form: &Form) -> Value {
    let mut payment = form.document(&["sum", "paymentMethod", "customerAccount", "merchantId"], &[]);
    let url = form.text("webhookUrl");
    if !url.is_empty() {
        payment["statusWebhookUrl"] = url.into();
        if form.text("asynchronous") == "true" {
            payment["credentialsWebhookUrl"] = url.into();
        }
    }
    payment
}
