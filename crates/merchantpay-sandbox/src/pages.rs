//! The parts of the console that pages of the program share: protections, look, and safe display of outside text.

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

/// The headers of a page that no other site may frame, and whose policy says what it may load.
pub fn guard_page(headers: &mut HeaderMap, policy: &'static str) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    guard_file(headers);
}

/// The headers of whatever is served, be it a page or a file.
pub fn guard_file(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: browsers would then call the origin of our own forms `null`.
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

/// If a request names this machine's own listener. Another name may have been made to resolve to it (DNS rebinding).
pub fn names_us(headers: &HeaderMap, own_hosts: &OwnHosts) -> bool {
    once(headers, header::HOST.as_str()).is_some_and(|host| own_hosts.contains(host))
}

/// A header that is not repeated and is text.
pub fn once<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// Control characters and directional marks by their code points. `lines` keeps line breaks and tabs.
pub fn visible(text: &str, lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        let mark = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        if lines && character == '\r' {
            // Ends every line of a multipart body.
            shown.push_str("\\r");
        } else if mark || character.is_control() && !(lines && matches!(character, '\n' | '\t')) {
            let _ = write!(shown, "\\u{{{:x}}}", character as u32);
        } else {
            shown.push(character);
        }
    }
    shown
}
