//! The exact errors (contract, sections 4 and 7).

use merchantpay::Reason;

use crate::common::{ACCOUNT, awaiting, client, sandbox};
use crate::contract::signatures::signed;

const JSON: &str = "application/json";

#[test]
fn error_bodies_are_exact() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let order_id = awaiting(&client, ACCOUNT);
    client.cancel(&order_id).unwrap();
    let description = |text: &str| format!(r#"{{"success":false,"errorDescription":"{text}"}}"#);
    let payment = |fields: &str| {
        format!(r#"{{"sum":10,"currency":"RUB","paymentMethod":"sbp","customerAccount":"1"{fields}}}"#)
    };
    for (path, body, status, expected) in [
        (
            "/new",
            r#"{"sum":10,"currency":"USD","paymentMethod":"sbp","customerAccount":"1"}"#.to_owned(),
            400,
            description("invalid currency"),
        ),
        (
            "/new-async",
            r#"{"sum":10,"paymentMethod":"sbp","customerAccount":"1"}"#.to_owned(),
            400,
            description("invalid currency"),
        ),
        (
            "/available",
            r#"{"sum":10,"currency":"EUR","paymentMethod":"sbp"}"#.to_owned(),
            400,
            description("invalid currency"),
        ),
        ("/confirm", r#"{"orderId":""}"#.to_owned(), 400, description("invalid orderId")),
        ("/cancel", r#"{"orderId":"a b"}"#.to_owned(), 400, description("invalid orderId")),
        ("/status", r#"{"orderId":7}"#.to_owned(), 400, description("invalid orderId")),
        ("/status", r#"{"orderId":"sb-nobody"}"#.to_owned(), 404, description("order not found")),
        ("/confirm", r#"{"orderId":"sb-nobody"}"#.to_owned(), 404, description("order not found")),
        (
            "/cancel",
            r#"{"orderId":"sb-nobody"}"#.to_owned(),
            404,
            r#"{"success":false,"orderId":"sb-nobody","errorDescription":"order not found"}"#.to_owned(),
        ),
        (
            "/cancel",
            format!(r#"{{"orderId":"{order_id}"}}"#),
            403,
            format!(
                r#"{{"success":false,"orderId":"{order_id}","errorDescription":"payment could not be canceled"}}"#
            ),
        ),
        ("/new", payment(r#","statusWebhookUrl":"ftp://x""#), 400, description("invalid statusWebhookUrl")),
        ("/new-async", payment(""), 400, description("invalid credentialsWebhookUrl")),
        ("/new", payment(r#","sum":20"#), 400, description("invalid request body")),
        ("/new", payment("").replace("10", "\"10\""), 400, description("invalid sum")),
        ("/new", payment("").replace("10", "9999999999999999999999999999"), 400, description("invalid sum")),
        ("/new", payment("").replace("sbp", "cash"), 400, description("invalid paymentMethod")),
        ("/new", payment("").replace("\"1\"", "\"\""), 400, description("invalid customerAccount")),
    ] {
        let raw = signed(&sandbox, path, JSON, body.as_bytes());
        assert_eq!((raw.status, raw.body), (status, expected), "{path} {body}");
    }
}

#[test]
fn available_has_simplified_errors() {
    let sandbox = sandbox();
    for body in [
        "",
        "{",
        "[]",
        r#"{"sum":0,"currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"sum":-1.5,"currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"sum":"10","currency":"RUB","paymentMethod":"sbp"}"#,
        r#"{"currency":"RUB","paymentMethod":"sbp"}"#,
    ] {
        let raw = signed(&sandbox, "/available", JSON, body.as_bytes());
        assert_eq!(raw.status, 400);
        assert!(
            raw.body.starts_with(r#"{"error":""#) && !raw.body.contains("success"),
            "{body}: {}",
            raw.body
        );
    }
}

#[test]
fn rejects_receipts_of_other_formats() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let order_id = awaiting(&client, "arbitration");
    let form = |id: &str, file: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"orderId\"\r\n\r\n{id}\r\n{file}--x--\r\n")
    };
    let file = |content_type: &str, data: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\nContent-Type: {content_type}\r\n\r\n{data}\r\n"
        )
    };
    for (body, status, text) in [
        (form(&order_id, &file("text/plain", "x")), 400, Reason::InvalidFileFormat.text()),
        (
            form(&order_id, &(file("image/png", "x") + &file("image/gif", "x"))),
            400,
            Reason::InvalidFileFormat.text(),
        ),
        (form(&order_id, ""), 400, Reason::InvalidFileFormat.text()),
        (form("", &file("image/png", "x")), 400, Reason::InvalidOrderId.text()),
        (form("sb-nobody", &file("image/png", "x")), 404, Reason::OrderNotFound.text()),
        ("no form".to_owned(), 400, "invalid request body"),
    ] {
        let raw = signed(&sandbox, "/receipt/attach", "multipart/form-data; boundary=x", body.as_bytes());
        assert_eq!(
            (raw.status, raw.body),
            (status, format!(r#"{{"success":false,"errorDescription":"{text}"}}"#)),
            "{body}"
        );
    }
}
