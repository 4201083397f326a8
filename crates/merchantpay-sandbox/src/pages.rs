//! What the console shares with the program's other pages: headers, style, and the check of the host.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

pub use crate::base::hosts::OwnHosts;

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
        // own requests.
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

/// Returns `true` if a request names this machine's own listener.
pub fn names_us(headers: &HeaderMap, own_hosts: &OwnHosts) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next().filter(|_| hosts.next().is_none());
    host.and_then(|host| host.to_str().ok()).is_some_and(|host| own_hosts.contains(host))
}
