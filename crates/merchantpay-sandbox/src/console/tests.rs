//! Tests the pages with a control API that returns the most hostile texts that a merchant could send.

use crate::base::own_hosts::OwnHosts;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use axum::response::IntoResponse as _;
use axum::routing::any;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::*;

/// Markup that the console must escape everywhere.
const MARKUP: &str = "\"'><img src=x onerror=alert(1)></pre><script>alert(2)</script>&amp;";
/// A text that a merchant or customer may have written: markup, and a character that changes the writing
/// direction.
const HOSTILE: &str = "\"'><img src=x onerror=alert(1)></pre><script>alert(2)</script>&amp;\u{202e}";
const PAGES: [&str; 12] = [
    "/",
    "/?format=%3Cb%3E",
    "/receiver",
    "/payments",
    "/payments?status=%3Cb%3E&search=%22%3E%3Cimg%20src=x%3E&before=%3Cb%3E",
    "/payments/sb-1",
    "/calls",
    "/calls/1",
    "/webhooks",
    "/webhooks/1",
    "/faults",
    "/pay/sb-1",
];

/// A document with every name that a page reads, and a hostile text in every place in which the control API
/// could have such a text.
fn document() -> Value {
    let bytes = json!({"size": 1, "truncated": false, "text": HOSTILE, "base64": STANDARD.encode(HOSTILE)});
    let message = json!({
        "method": MARKUP, "path": HOSTILE, "headers": [[HOSTILE, HOSTILE]], "keyId": HOSTILE, "signature": HOSTILE, "body": bytes,
        "httpStatus": 200,
    });
    let mut document = json!({
        "id": 1, "httpStatus": 200, "attempts": 2, "copyOf": 7, "verified": false, "held": true, "final": true, "orderExists": true, "next": MARKUP,
        "request": message, "reply": message,
        "receiptList": [{"id": 1, "name": HOSTILE, "url": "/sandbox/x", "contentType": "image/png", "kept": true}],
        "attemptList": [
            {"attempt": 1, "error": HOSTILE, "httpStatus": null},
            {"attempt": 2, "httpStatus": 500, "headers": [[HOSTILE, HOSTILE]], "body": bytes},
        ],
        "actions": {"merchant": ["confirm"], "customer": ["exactly", "less"], "operator": ["approve", "hold"]},
        "operations": [MARKUP], "faultKinds": [MARKUP], "webhookActions": [MARKUP], "testAccounts": [{"account": MARKUP, "effect": MARKUP}],
        "stories": [{"name": MARKUP, "title": MARKUP, "events": MARKUP, "advice": MARKUP}], "receiver": MARKUP,
        "checks": [{"kind": MARKUP, "content": MARKUP, "expected": MARKUP, "error": HOSTILE, "webhook": 1, "advice": MARKUP}],
        "cause": MARKUP, "hint": MARKUP, "privateKey": HOSTILE, "publicKey": HOSTILE, "keyId": HOSTILE,
        "formats": [{"name": MARKUP, "description": MARKUP, "text": HOSTILE}],
        "merchant": {"keyId": HOSTILE, "publicKey": MARKUP}, "server": {"keyId": HOSTILE, "publicKey": MARKUP},
        "mode": "manual", "clock": {"mode": "manual", "now": MARKUP, "nextTimerAt": MARKUP},
        "nextWebhooks": [{"action": MARKUP, "times": 2}],
        "timeline": [{"at": MARKUP, "by": MARKUP, "cause": MARKUP, "state": MARKUP, "status": MARKUP, "sum": MARKUP}],
        "credentials": {"payeeAccount": HOSTILE, "payeeAccountBank": HOSTILE, "payeeName": HOSTILE, "dealSum": MARKUP,
            "deeplink": "javascript:alert(3)"},
    });
    for name in [
        "customerAccount",
        "payerBank",
        "merchantId",
        "paymentMethod",
        "testAccount",
        "url",
        "token",
        "credentialsWebhookUrl",
    ] {
        document[name] = HOSTILE.into();
    }
    for name in [
        "status",
        "state",
        "sum",
        "requestedSum",
        "currency",
        "operation",
        "kind",
        "action",
        "createdAt",
        "changedAt",
        "at",
        "now",
        "createdBy",
        "fault",
        "orderId",
    ] {
        document[name] = MARKUP.into();
    }
    document["statusWebhookUrl"] = "javascript:alert(4)".into();
    let row = document.clone();
    for list in ["payments", "exchanges", "webhooks", "exchangeList", "webhookList", "faults"] {
        document[list] = json!([row]);
    }
    document
}

async fn ask(request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    let control = Router::new().fallback(any(async || document().to_string().into_response()));
    let own_hosts = OwnHosts::new([127, 0, 0, 1].into(), Vec::new());
    let Ok(response) = tower_service::Service::call(&mut router(control, own_hosts.into()), request).await;
    let (head, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    (head.status, head.headers, String::from_utf8(body.to_vec()).unwrap())
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).header("host", "localhost:8700").body(Body::empty()).unwrap()
}

#[tokio::test]
async fn nothing_that_came_from_outside_becomes_markup() {
    for path in PAGES {
        let (status, _, page) = ask(get(path)).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        for hostile in
            ["<img src=x", "<script>alert", "<b>", "href=\"javascript:", "\u{202e}", " onerror=alert(1)\""]
        {
            assert!(!page.contains(hostile), "{path}: {hostile}");
        }
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;") || path.contains("=%3Cb%3E"), "{path}");
    }
}

#[tokio::test]
async fn every_page_says_that_it_is_a_sandbox() {
    for path in PAGES.into_iter().chain(["/payments/no%20id", "/calls/x", "/pay/%22", "/webhooks/x"]) {
        let (_, _, page) = ask(get(path)).await;
        assert!(page.contains(layout::LABEL), "{path}");
        assert!(
            page.contains("<html lang=\"en\">")
                && page.contains("<h1>")
                && page.contains("<main id=\"content\""),
            "{path}"
        );
    }
}

#[tokio::test]
async fn no_page_may_run_or_load_what_is_not_ours_or_be_framed() {
    for path in PAGES.into_iter().chain(["/calls/x"]) {
        let (_, headers, page) = ask(get(path)).await;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "same-origin", "{path}");
        assert_eq!(headers["cache-control"], "no-store", "{path}");
        // Another site is allowed to show the customer's page in a frame.
        let frame = path.starts_with("/pay/");
        assert_eq!(policy.contains("frame-ancestors 'none'"), !frame, "{path}");
        assert_eq!(headers.contains_key("x-frame-options"), !frame, "{path}");
        for inline in ["<style", " style=", " onclick=", "<script>"] {
            assert!(!page.contains(inline), "{path}: {inline}");
        }
    }
}

#[tokio::test]
async fn a_form_is_taken_from_our_own_pages_alone() {
    let forms = [
        "/keys",
        "/stories",
        "/payments",
        "/payments/sb-1/merchant",
        "/payments/clear",
        "/calls/clear",
        "/webhooks/clear",
        "/payments/sb-1/customer",
        "/payments/sb-1/operator",
        "/payments/sb-1/webhooks",
        "/payments/sb-1/webhooks/clear",
        "/payments/sb-1/clock",
        "/webhooks/1",
        "/faults",
        "/faults/clear",
        "/faults/1/clear",
        "/clock",
        "/pay/sb-1",
    ];
    for path in forms {
        let form = |headers: &[(&str, &str)]| {
            let mut request = Request::builder().method(Method::POST).uri(path);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            request.body(Body::from("action=approve&story=paid")).unwrap()
        };
        let host = ("host", "localhost:8700");
        let (status, headers, _) = ask(form(&[host, ("sec-fetch-site", "same-origin")])).await;
        assert_eq!(status, StatusCode::SEE_OTHER, "{path}");
        assert!(headers["location"].to_str().unwrap().starts_with('/'), "{path}");
        for foreign in [
            ("sec-fetch-site", "cross-site"),
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("accept", "*/*"),
        ] {
            assert_eq!(ask(form(&[host, foreign])).await.0, StatusCode::FORBIDDEN, "{path} {foreign:?}");
        }
        let rebound = [
            ("host", "evil.example:8700"),
            ("origin", "http://evil.example:8700"),
            ("sec-fetch-site", "same-origin"),
        ];
        assert_eq!(ask(form(&rebound)).await.0, StatusCode::MISDIRECTED_REQUEST, "{path}");
    }
}

#[tokio::test]
async fn the_answers_to_forms_are_pages_that_nothing_hostile_gets_into() {
    let escaped = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(
            ["url", "orderId", "body", "signature", "keyId", "publicKey"].map(|name| (name, HOSTILE)),
        )
        .finish();
    for path in ["/receiver"] {
        let form = |site: &'static str| {
            let request = Request::post(path).header("host", "localhost").header("sec-fetch-site", site);
            request.body(Body::from(escaped.clone())).unwrap()
        };
        assert_eq!(ask(form("cross-site")).await.0, StatusCode::FORBIDDEN, "{path}");
        let (status, _, page) = ask(form("same-origin")).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        for hostile in ["<img src=x", "<script>alert"] {
            assert!(!page.contains(hostile), "{path}: {hostile}");
        }
        assert!(!page.contains("data-live"), "{path}: the script would ask for it again");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    for path in ["/payments/no%20id", "/payments/..%2F..%2Ffaults", "/calls/-1", "/webhooks/x", "/pay/a%3Fb"]
    {
        assert_eq!(ask(get(path)).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    let wrong = Request::builder()
        .method(Method::DELETE)
        .uri("/")
        .header("host", "localhost")
        .header("sec-fetch-site", "same-origin");
    assert_eq!(ask(wrong.body(Body::empty()).unwrap()).await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn a_script_and_a_style_are_files_of_ours() {
    for (path, content_type) in [
        ("/console/script.js", "text/javascript"),
        ("/console/style.css", "text/css"),
        ("/console/icon.svg", "image/svg+xml"),
    ] {
        let (status, headers, _) = ask(get(path)).await;
        assert_eq!(status, StatusCode::OK);
        assert!(headers["content-type"].to_str().unwrap().starts_with(content_type), "{path}");
    }
    assert!(include_str!("script.js").lines().count() < 200);
}
