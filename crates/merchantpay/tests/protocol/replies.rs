//! What an error about a reply or a webhook says and does not say. Their codes and outcomes are in the vectors of
//! tests/contract, which the test `vectors` reads.

use crate::common::reply::{Reply, bare, refusal, signed};
use crate::common::{ACCOUNT, ORDER, payment_request, protocol, service, summary};
use merchantpay::{Code, Error, Outcome, Payment, Result, WebhookVerifier, operation};

fn status_error(reply: &Reply) -> Error {
    reply.open(protocol().prepare(operation::get_status(ORDER)).unwrap()).expect_err("the reply was accepted")
}

#[track_caller]
fn assert_reported(error: &Error, code: Code, outcome: Outcome, http_status: u16) {
    assert_eq!(summary(error), (code, outcome, Some(http_status)), "{error}");
    assert_eq!(
        error.body().is_some(),
        code != Code::Unverified && code != Code::Transport,
        "only a verified body is shown"
    );
}

#[test]
fn excerpt_of_a_proxys_page_is_one_short_printable_line() {
    let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>\n\u{1b}[31m<body>nginx</body></html>";
    let error = status_error(&bare(502, "text/html; charset=utf-8", page));
    assert_reported(&error, Code::Unverified, Outcome::Unknown, 502);
    assert_eq!(error.content_type(), Some("text/html; charset=utf-8"));
    let excerpt = error.excerpt().unwrap();
    assert!(excerpt.starts_with("<html> <head><title>502 Bad Gateway"), "{excerpt}");
    assert!(
        !error.message().contains(char::is_control) && !excerpt.contains(char::is_control),
        "{excerpt:?}"
    );
    assert!(error.message().contains("502") && error.reason().is_none() && error.description().is_none());

    let long = status_error(&bare(503, "text/plain", "нет связи ".repeat(500)));
    assert!((100..=201).contains(&long.excerpt().unwrap().chars().count()), "{:?}", long.excerpt());
    let binary = status_error(&bare(502, "application/octet-stream", [0, 159, 146, 150]));
    assert!(!binary.message().contains(char::is_control), "{binary}");
}

#[test]
fn unsigned_json_is_not_shown() {
    for (status, body) in [
        (401, r#"{"success":false,"errorDescription":"order not found"}"#),
        (403, r#" [{"account":"79990000000"}]"#),
    ] {
        for content_type in ["application/json", "text/plain"] {
            let error = status_error(&bare(status, content_type, body));
            assert_reported(&error, Code::Unverified, Outcome::Unknown, status);
            assert_eq!((error.content_type(), error.excerpt()), (Some(content_type), None));
            assert_eq!((error.description(), error.reason()), (None, None));
            assert!(!format!("{error} {error:?}").contains("order not found"), "{error}");
        }
    }
}

#[test]
fn unverified_text_is_in_no_message() {
    let request = payment_request();
    let prepared = || protocol().prepare(operation::new_payment(&request)).unwrap();
    let signature =
        prepared().request().headers().find(|(name, _)| *name == "X-Signature").unwrap().1.to_owned();
    let page = format!("<p>Ivanov, {ACCOUNT}, sent {signature}</p>");
    for (content_type, known) in [("text/ivanov", ""), ("text/HTML; by=Ivanov", ", text/html"), (&page, "")] {
        let error = bare(502, content_type, page.as_str()).open(prepared()).unwrap_err();
        assert_eq!(error.excerpt(), Some(page.as_str()));
        assert!(error.content_type().is_some_and(|shown| shown.starts_with(&content_type[..11])));
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(&format!("(HTTP 502{known})")), "{shown}");
        for text in ["Ivanov", "ivanov", ACCOUNT, &signature[..8]] {
            assert!(!shown.contains(text), "{text} in {shown}");
        }
    }
}

#[test]
fn refusal_by_status_says_what_to_check() {
    let prepared = || protocol().prepare(operation::get_status(ORDER)).unwrap();
    for (status, advice) in [
        (401, &["key id", "private key", "public key"][..]),
        (403, &["key id", "private key"]),
        (404, &["base URL"]),
    ] {
        let signed = refusal("Ivanov is unknown").status(status);
        let page = bare(status, "text/html", "<p>Ivanov is unknown</p>");
        for error in [signed, page].map(|reply| reply.open(prepared()).unwrap_err()) {
            let message = error.message();
            assert!(advice.iter().all(|part| message.contains(part)), "{status}: {message}");
            assert!(message.contains(&status.to_string()) && !message.contains("Ivanov"), "{message}");
        }
    }
    for status in [200, 400, 500] {
        let error = refusal("Ivanov is unknown").status(status).open(prepared()).unwrap_err();
        assert!(!error.message().contains("check"), "{status}: {error}");
    }
}

#[test]
fn refusals_text_is_shown_if_the_contract_has_it() {
    let message = |text: &str, status| {
        let prepared = protocol().prepare(operation::get_status(ORDER)).unwrap();
        refusal(text).status(status).open(prepared).unwrap_err().message().to_owned()
    };
    for text in ["order not found", "invalid signature", "invalid signature: the body was changed"] {
        assert!(message(text, 401).contains(text), "{text}");
    }
    assert!(!message("the signature is invalid", 401).contains("the signature is invalid"));
    // There is no advice about the HTTP status, because the reason is more exact.
    assert!(!message("payment could not be canceled", 403).contains("check"));
}

fn confirm_reply_with(field: &str) -> Result<Payment> {
    let body = format!(r#"{{"success":true,"orderId":"{ORDER}",{field}}}"#);
    signed(body).open(protocol().prepare(operation::confirm(ORDER)).unwrap())
}

#[test]
fn unknown_fields_are_kept_as_they_came() {
    let fields = r#""новое":{"a":[1, 2.50, -0, 1E-400]},"fee":0.10,"big":1e400,"none":null,"text":"a\"b""#;
    let payment = confirm_reply_with(fields).unwrap();
    assert_eq!(payment.unknown_fields(), ["новое", "fee", "big", "none", "text"]);
    for (name, value) in [
        ("новое", Some(r#"{"a":[1, 2.50, -0, 1E-400]}"#)),
        ("fee", Some("0.10")),
        ("big", Some("1e400")),
        ("none", Some("null")),
        ("text", Some(r#""a\"b""#)),
        ("orderId", Some(r#""order-1""#)),
        ("absent", None),
    ] {
        assert_eq!(payment.field(name).as_deref(), value, "{name}");
    }
}

#[test]
fn body_nested_too_deeply_is_malformed() {
    let depth = 200_000;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let field = |end| format!(r#""extra":{}1{}"#, open.repeat(depth), close.repeat(end));
        for end in [depth, depth - 1, 0] {
            let error = confirm_reply_with(&field(end)).expect_err(open);
            assert_reported(&error, Code::Malformed, Outcome::Unknown, 200);
            assert!(error.message().len() < 400, "{}", error.message().len());
        }
    }
}

#[test]
fn changed_byte_of_a_webhook_is_refused() {
    let body =
        format!(r#"{{"success":true,"orderId":"{ORDER}","status":"doneSuccess","payeeAccount":"2200"}}"#);
    let signature = service().private_key().sign(body.as_bytes()).to_base64();
    let verifier = WebhookVerifier::new(service().public_key());
    assert!(verifier.verify(body.as_bytes(), &signature, None).is_ok());
    let assert_unverified = |body: &[u8], signature: &str| {
        let error = verifier.verify(body, signature, None).expect_err(signature);
        assert_eq!(summary(&error), (Code::Unverified, Outcome::Unknown, None), "{error}");
        assert_eq!((error.body(), error.order_id(), error.excerpt()), (None, None, None), "{error}");
    };
    for at in 0..body.len() {
        let mut other = body.clone().into_bytes();
        other[at] ^= 1 << (at % 8);
        assert_unverified(&other, &signature);
    }
    for at in 0..signature.len() {
        let mut other = signature.clone().into_bytes();
        other[at] = if other[at] == b'B' { b'C' } else { b'B' };
        assert_unverified(body.as_bytes(), std::str::from_utf8(&other).unwrap());
    }
}

#[test]
fn error_names_encoding_empty_body_and_firewall() {
    for (reply, named) in [
        (
            signed("x").header("Content-Encoding", "gzip").body("\x1f\u{8b}"),
            &["Content-Encoding", "proxy"][..],
        ),
        (signed("x").body(""), &["it has no body"]),
        (bare(403, "text/html", "<h1>blocked</h1>"), &["firewall or a proxy", "key id"]),
    ] {
        let error = status_error(&reply);
        assert_eq!((error.code(), error.outcome()), (Code::Unverified, Outcome::Unknown), "{error}");
        let places: Vec<_> = named.iter().map(|part| error.message().find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{error}");
    }
}
