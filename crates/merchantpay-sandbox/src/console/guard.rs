//! Decides which requests can use the console: requests of the developer's own browser, from the console's
//! own pages.
//!
//! The console has no login, because it is for the developer of one machine. Two checks keep pages of other
//! sites from using the console through the developer's browser. The host name of the request must be the
//! sandbox's own, against DNS rebinding. A change must come from a page of the console, against cross-site
//! request forgery.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::layout;
use crate::base::own_hosts::OwnHosts;
use crate::pages::{names_us, once};

/// Passes a request on, or refuses it with a reason.
pub(super) async fn check(State(own_hosts): State<Arc<OwnHosts>>, request: Request, next: Next) -> Response {
    if !names_us(request.headers(), &own_hosts) {
        let why = "This name is not the sandbox's. Open the console by the address that the sandbox printed when it started.";
        return layout::problem(StatusCode::MISDIRECTED_REQUEST, why).into_response();
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads && !is_our_page(&own_hosts, request.headers()) {
        let why = "Only the console's own pages may press its buttons. Reload the page and try again.";
        return layout::problem(StatusCode::FORBIDDEN, why).into_response();
    }
    next.run(request).await
}

/// Returns `true` if a page of this origin sent the form. Every browser sends `Sec-Fetch-Site` or `Origin`; a
/// request with neither header is refused.
fn is_our_page(own_hosts: &OwnHosts, headers: &HeaderMap) -> bool {
    if headers.contains_key("sec-fetch-site") {
        return once(headers, "sec-fetch-site") == Some("same-origin");
    }
    let headers = (once(headers, header::ORIGIN.as_str()), once(headers, header::HOST.as_str()));
    matches!(headers, (Some(origin), Some(host)) if own_hosts.is_origin(origin, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn is_our_page(headers: &HeaderMap) -> bool {
        super::is_our_page(&OwnHosts::new([127, 0, 0, 1].into(), Vec::new()), headers)
    }

    #[test]
    fn only_a_page_of_the_same_origin_may_send_a_form() {
        let host = ("host", "localhost:8700");
        for ours in [("sec-fetch-site", "same-origin"), ("origin", "http://localhost:8700")] {
            assert!(is_our_page(&headers(&[host, ours])), "{ours:?}");
        }
        for foreign in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "none"),
            ("origin", "http://localhost:8701"),
            ("origin", "https://localhost:8700"),
            ("origin", "null"),
            ("accept", "text/html"),
        ] {
            assert!(!is_our_page(&headers(&[host, foreign])), "{foreign:?}");
        }
        // `Sec-Fetch-Site: cross-site` leads to a refusal, even with an `Origin` that would be accepted.
        assert!(!is_our_page(&headers(&[
            host,
            ("sec-fetch-site", "cross-site"),
            ("origin", "http://localhost:8700")
        ])));
    }
}
