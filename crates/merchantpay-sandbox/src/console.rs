//! The console: one static page over the control API, and the QR code of a payment's deeplink. The program's other
//! pages have the same headers, style and check of the host.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use qrcode::render::svg::Color;
use qrcode::{EcLevel, QrCode};

use crate::app::AppState;
use crate::base::hosts::{OwnHosts, once};
use crate::base::read_up_to;

/// The page loads and runs only files of the sandbox, and no other site may show it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// A merchant's page may show the customer's page in a frame, where one can only pay in the sandbox.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors http: https:";

const PATHS: [&str; 9] = [
    "/",
    "/payments",
    "/payments/{id}",
    "/calls",
    "/calls/{id}",
    "/webhooks",
    "/webhooks/{id}",
    "/faults",
    "/receiver",
];

const SCRIPT: &str = "text/javascript; charset=utf-8";
const FILES: [(&str, &str, &str); 5] = [
    ("/console/page.js", SCRIPT, include_str!("console/page.js")),
    ("/console/parts.js", SCRIPT, PARTS),
    ("/console/views.js", SCRIPT, include_str!("console/views.js")),
    ("/console/style.css", "text/css; charset=utf-8", STYLE),
    ("/console/icon.svg", "image/svg+xml", ICON),
];

pub(crate) fn router(app: &Arc<AppState>) -> Router {
    let mut router = Router::new().route("/pay/{id}", get(pay_page)).route("/pay/{id}/qr.svg", get(qr_code));
    for path in PATHS {
        router = router.route(path, get(page));
    }
    for (path, content_type, text) in FILES {
        router = router.route(path, get(async move || file(content_type, text)));
    }
    router
        .layer(middleware::from_fn_with_state(Arc::clone(&app.own_hosts), check_host))
        .with_state(Arc::clone(app))
}

async fn page() -> Response {
    let mut response = Html(include_str!("console/index.html")).into_response();
    guard_page(response.headers_mut(), POLICY);
    response
}

async fn pay_page() -> Response {
    let mut response = page().await;
    let headers = response.headers_mut();
    headers.remove(header::X_FRAME_OPTIONS);
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(FRAME_POLICY));
    response
}

async fn qr_code(State(app): State<Arc<AppState>>, Path(order_id): Path<String>) -> Response {
    let deeplink = app.service.payments.with(&order_id, |payment| {
        payment.credentials.as_ref().map(|credentials| credentials.deeplink.clone())
    });
    let code = deeplink.flatten().filter(|link| !link.is_empty());
    match code.map(|link| QrCode::with_error_correction_level(link, EcLevel::M)) {
        // Dark dots on white in both colour schemes, because cameras read only this.
        Some(Ok(code)) => file("image/svg+xml", code.render::<Color<'_>>().min_dimensions(240, 240).build()),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

fn file(content_type: &'static str, text: impl Into<String>) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], text.into()).into_response();
    guard_file(response.headers_mut());
    response
}

/// Against DNS rebinding: another site's name may resolve to this machine.
async fn check_host(State(own_hosts): State<Arc<OwnHosts>>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    // No page takes a body. An unread one would end the connection behind the response.
    let _ = read_up_to(body, 0).await;
    if names_us(&head.headers, &own_hosts) {
        return next.run(Request::from_parts(head, Body::empty())).await;
    }
    let why = "This name is not the sandbox's. Open the console by the address that the sandbox printed.\n";
    (StatusCode::MISDIRECTED_REQUEST, why).into_response()
}

/// The parts of a page's script: elements, tables and texts without markup.
pub const PARTS: &str = include_str!("console/parts.js");

/// The style sheet of the console.
pub const STYLE: &str = include_str!("console/style.css");

/// The icon of the console, as SVG.
pub const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" height=\"16\" rx=\"3\" \
     fill=\"#ffd43b\"/><path d=\"M3 5h10M3 8h10M3 11h6\" stroke=\"#241c00\" stroke-width=\"1.6\"/></svg>";

/// Sets the headers of a page, which no other site may frame. `policy` limits the files that it loads.
pub fn guard_page(headers: &mut HeaderMap, policy: &'static str) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    guard_file(headers);
}

/// Sets the headers of every response, for pages and files.
pub fn guard_file(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: with that, browsers send the origin `null` with our own requests.
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

/// Whether the `Host` header names this listener.
pub fn names_us(headers: &HeaderMap, own_hosts: &OwnHosts) -> bool {
    matches!(once(headers, header::HOST.as_str()), Ok(Some(host)) if own_hosts.contains(host))
}
