//! A page with the layout and the style of the sandbox's console.

use super::frame::{self, Frame, text, visible};
use hyper::StatusCode;
use maud::{Markup, html};

use crate::dates;

/// A page is allowed to load the style sheet and the icon. It is not allowed to run a script, and no other
/// site is allowed to show the page in a frame.
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

    /// The same page with a text in the search field.
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
        let foot = html! {
            "merchantpay " (env!("CARGO_PKG_VERSION")) ". These pages change nothing: use the commands in a shell."
        };
        let entries = [("/", "Overview"), ("#search", "Search"), ("/metrics", "Metrics")];
        let frame = Frame {
            site: "merchantpay journal",
            title: &self.title,
            label: "Journal",
            entries: entries.map(|(href, name)| (href, name, name == self.title)).to_vec(),
            foot,
            ..Frame::default()
        };
        let content = html! {
            (self.content)
            (self.search())
        };
        frame.document(&content).into_string()
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

/// Shows a moment of the database's clock.
pub(super) fn moment(ms: i64) -> Markup {
    frame::moment(&dates::text(ms))
}

/// A link to the page of a reference.
pub(super) fn link(reference: &str) -> Markup {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("reference", reference).finish();
    html! { a href={ "/attempts?" (query) } { (text(reference)) } }
}
