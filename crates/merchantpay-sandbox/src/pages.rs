//! The parts of the console that the program's other pages share: protection, style, and safe display of
//! untrusted text.

mod frame;
mod parts;

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

pub use crate::base::own_hosts::OwnHosts;
pub use frame::Frame;
pub use parts::{cell, head, moment, text};

/// The style sheet of the console.
pub const STYLE: &str = include_str!("console/style.css");

/// The icon of the console, as SVG.
pub const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" height=\"16\" rx=\"3\" \
     fill=\"#ffd43b\"/><path d=\"M3 5h10M3 8h10M3 11h6\" stroke=\"#241c00\" stroke-width=\"1.6\"/></svg>";

/// Sets the headers of a page: no other site is allowed to show the page in a frame, and `policy` limits the
/// files that the page loads.
pub fn guard_page(headers: &mut HeaderMap, policy: &'static str) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    guard_file(headers);
}

/// Sets the headers of every response, for pages and files.
pub fn guard_file(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The policy is not `no-referrer`: with that policy browsers would send the origin `null` with our
        // own forms.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=(), payment=()",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// Returns `true` if a request names this machine's own listener. By DNS rebinding, another site's name may
/// resolve to this machine.
pub fn names_us(headers: &HeaderMap, own_hosts: &OwnHosts) -> bool {
    once(headers, header::HOST.as_str()).is_some_and(|host| own_hosts.contains(host))
}

/// The value of a header; `None` if the header is repeated or is not text.
pub fn once<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// Replaces control characters and directional marks by their code points. If `lines` is true, line breaks
/// and tabs stay.
pub fn visible(text: &str, lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let mark = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if lines && character == '\r' {
            // Every line of a multipart body ends with a carriage return, which would otherwise be invisible.
            shown.push_str("\\r");
        } else if mark || character.is_control() && !(lines && matches!(character, '\n' | '\t')) {
            let _ = write!(shown, "\\u{{{:x}}}", character as u32);
        } else {
            shown.push(character);
        }
    }
    shown
}
