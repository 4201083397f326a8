//! What a browser sees.

use axum::response::Html;

/// The customer's payment frame, behind a payment's deeplink.
pub(crate) fn frame(order_id: &str) -> Html<String> {
    Html(page(&format!("<h1>Payment {}</h1><p>Here the customer would pay. This is a sandbox: no money moves.</p>", escape(order_id))))
}

pub(crate) fn front() -> Html<String> {
    Html(page("<h1>merchantpay sandbox</h1><p>A simulator of the Merchant Payment Acceptance API. No money moves here.</p>"))
}

fn page(body: &str) -> String {
    format!("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>merchantpay sandbox</title>{body}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
