//! The parts of every page: its frame, its label, its headers.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};

use crate::pages::{self, Frame};

/// The navigation entry to which a page belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Start,
    Payments,
    Calls,
    Webhooks,
    Faults,
    Receiver,
    /// The customer's page, which has no navigation.
    Frame,
    Nowhere,
}

/// A page with its status and headers.
pub(super) struct Page {
    pub(super) status: StatusCode,
    pub(super) section: Section,
    pub(super) title: String,
    pub(super) content: Markup,
    /// `true` if the script keeps the page current. For the answer to a form it does not, because this answer
    /// cannot be requested again.
    pub(super) live: bool,
}

impl Page {
    pub(super) fn new(section: Section, title: impl Into<String>, content: Markup) -> Page {
        Page { status: StatusCode::OK, section, title: title.into(), content, live: true }
    }

    /// The answer to a form.
    pub(super) fn answer(section: Section, title: impl Into<String>, content: Markup) -> Page {
        Page { live: false, ..Page::new(section, title, content) }
    }
}

/// The text that every page shows, so that nobody mistakes the sandbox for the service.
pub(super) const LABEL: &str = "Sandbox: no money moves here";

/// A page loads and runs only files of the sandbox, and no other site is allowed to show the page in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// A merchant's page is allowed to show the customer's frame, which can only pay in the sandbox.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors http: https:";

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let frame = self.section == Section::Frame;
        let mut response = (self.status, Html(self.document().into_string())).into_response();
        let headers = response.headers_mut();
        if frame {
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FRAME_POLICY));
            pages::guard_file(headers);
        } else {
            pages::guard_page(headers, POLICY);
        }
        response
    }
}

impl Page {
    fn document(&self) -> Markup {
        let frame = self.section == Section::Frame;
        let foot = html! {
            @if frame {
                "This page stands in for the one where a customer would pay."
            } @else {
                "merchantpay sandbox " (env!("CARGO_PKG_VERSION")) ". Updates: " span #connection { "by reloading" } "."
            }
        };
        let shown = ENTRIES.iter().filter(|_| !frame);
        let frame = Frame {
            site: "merchantpay sandbox",
            title: &self.title,
            label: "Console",
            entries: shown.map(|(section, href, name)| (*href, *name, *section == self.section)).collect(),
            band: Some(LABEL),
            foot,
            class: frame.then_some("frame"),
            script: Some("/console/script.js"),
            live: self.live,
        };
        frame.document(&self.content)
    }
}

/// The navigation.
const ENTRIES: [(Section, &str, &str); 6] = [
    (Section::Start, "/", "Start"),
    (Section::Payments, "/payments", "Payments"),
    (Section::Calls, "/calls", "Calls"),
    (Section::Webhooks, "/webhooks", "Webhooks"),
    (Section::Faults, "/faults", "Faults"),
    (Section::Receiver, "/receiver", "Receiver"),
];

/// A page with an error text.
pub(super) fn problem(status: StatusCode, why: &str) -> Page {
    let title = status.canonical_reason().unwrap_or("Error");
    let content = html! {
        h1 { (title) }
        p.error { (why) }
        p { a href="/payments" { "To the payments" } }
    };
    Page { status, section: Section::Nowhere, title: title.to_owned(), content, live: false }
}

pub(super) fn not_found(what: &str) -> Page {
    problem(
        StatusCode::NOT_FOUND,
        &format!("There is no such {what}. It may have been cleared, or the sandbox was started again."),
    )
}
