//! The frame of every page, in the look of the sandbox's console.

use hyper::StatusCode;
use maud::{DOCTYPE, Markup, html};
use merchantpay_sandbox::pages::visible;

use crate::dates;

/// A page loads the style sheet and the icon, runs nothing, and no other site may frame it.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'";

pub(super) struct Page {
    pub(super) status: StatusCode,
    title: String,
    content: Markup,
    searched: String,
}

impl Page {
    pub(super) fn new(title: impl Into<String>, content: Markup) -> Page {
        Page { status: StatusCode::OK, title: title.into(), content, searched: String::new() }
    }

    /// The same with a text in the search field.
    pub(super) fn searched(self, text: &str) -> Page {
        Page { searched: text.to_owned(), ..self }
    }

    pub(super) fn problem(status: StatusCode, why: &str) -> Page {
        let title = status.canonical_reason().unwrap_or("Error");
        let content = html! {
            h1 { (title) }
            p.error { (visible(why, false)) }
        };
        Page { status, ..Page::new(title, content) }
    }

    pub(super) fn document(&self) -> String {
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " - merchantpay journal" }
                    link rel="icon" href="/console/icon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/console/style.css";
                }
                body {
                    a.skip href="#content" { "Skip to the content" }
                    header {
                        div.top {
                            nav aria-label="Journal" {
                                span.name { "merchantpay journal" }
                                ul {
                                    li { a href="/" { "Overview" } }
                                    li { a href="/metrics" { "Metrics" } }
                                }
                            }
                        }
                    }
                    main id="content" tabindex="-1" {
                        (self.content)
                        (self.search())
                    }
                    footer.foot {
                        p { "merchantpay " (env!("CARGO_PKG_VERSION")) ". These pages change nothing: use the commands in a shell." }
                    }
                }
            }
        };
        document.into_string()
    }

    fn search(&self) -> Markup {
        html! {
            section.card aria-labelledby="search" {
                h2 #search { "Search" }
                form method="get" action="/search" role="search" {
                    div.fields {
                        div.field {
                            label for="q" { "Reference, order id, or sum" }
                            input id="q" name="q" value=(self.searched) autocomplete="off" spellcheck="false" required;
                        }
                        button { "Search" }
                    }
                }
            }
        }
    }
}

/// A text from outside in one line.
pub(super) fn text(text: &str) -> Markup {
    html! { bdi { (visible(text, false)) } }
}

/// A moment of the database's clock.
pub(super) fn moment(ms: i64) -> Markup {
    let at = dates::text(ms);
    let (day, time) = at.split_once('T').unwrap_or((&at, ""));
    html! { time datetime=(at) { span { (day) } " " span { (time.replacen('Z', " UTC", 1)) } } }
}

/// A cell, which names its column if the table becomes cards.
pub(super) fn cell(label: &str, content: Markup) -> Markup {
    html! { td data-label=(label) { div { (content) } } }
}

/// A table with its caption.
pub(super) fn table(caption: &str, columns: &[&str], rows: &Markup) -> Markup {
    html! {
        table {
            caption { (caption) }
            thead { tr { @for column in columns { th scope="col" { (column) } } } }
            tbody { (rows) }
        }
    }
}

/// The page of a reference.
pub(super) fn link(reference: &str) -> Markup {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("reference", reference).finish();
    html! { a href={ "/attempts?" (query) } { (text(reference)) } }
}
