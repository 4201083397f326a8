//! Tests of the replies that are accepted, and of the errors of other replies. These tests use no socket; the
//! tests in `repeats` use sockets.

use crate::common::reply::{Reply, bare, refusal, signed, signed_by, success};
use crate::common::{
    ACCOUNT, KEY_ID, ORDER, SERVER_KEY_ID, merchant, payment_request, protocol, protocol_with_ids, service,
    summary,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use merchantpay::{
    AmountsRequest, Cancel, Code, Config, Confirm, Error, GetAvailableAmounts, GetStatus, Keypair,
    NewPayment, NewPaymentAsync, Outcome, PaymentMethod, PaymentRequest, Protocol, Reason,
};
use std::sync::Arc;

const STATUS_BODY: &str = r#"{"success":true,"orderId":"order-1","status":"doneSuccess","sum":1500.50}"#;

fn status_error(reply: &Reply) -> Error {
    reply.open(protocol().prepare(&GetStatus(ORDER)).unwrap()).expect_err("the reply was accepted")
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
fn a_reply_with_the_services_signature_is_accepted() {
    let reply = signed(STATUS_BODY);
    for reply in [
        reply.clone(),
        reply.clone().status(500),
        reply.clone().without("X-KeyId"),
        reply.without("Content-Type"),
    ] {
        let payment = reply.open(protocol().prepare(&GetStatus(ORDER)).unwrap()).unwrap();
        assert_eq!((payment.order_id(), payment.is_final(), payment.json()), (ORDER, true, STATUS_BODY));
    }
}

#[test]
fn header_names_are_compared_without_regard_to_case() {
    let mut reply = signed(STATUS_BODY);
    for (name, _) in &mut reply.headers {
        *name = name.to_uppercase();
    }
    assert!(reply.open(protocol_with_ids(&[SERVER_KEY_ID]).prepare(&GetStatus(ORDER)).unwrap()).is_ok());
}

#[test]
fn a_reply_without_the_services_signature_is_unverified() {
    let good = signed(STATUS_BODY);
    let signature = service().private_key().sign(STATUS_BODY.as_bytes()).to_base64();
    let raw = BASE64_STANDARD.decode(&signature).unwrap();
    // Searches for a body whose signature is different in base64 and in base64url.
    let differing = (0..)
        .map(|i| format!(r#"{{"success":true,"orderId":"order-1","n":{i}}}"#))
        .find(|body| service().private_key().sign(body.as_bytes()).to_base64().contains(['+', '/']));
    let differing = signed(differing.unwrap());
    let url_safe =
        service().private_key().sign(&differing.body).to_base64().replace('+', "-").replace('/', "_");
    let own = protocol().prepare(&GetStatus(ORDER)).unwrap();
    let own_signature =
        own.request().headers().find(|(name, _)| *name == "X-Signature").unwrap().1.to_owned();
    let own_body = own.request().body().to_vec();
    let mut flipped = raw.clone();
    flipped[0] ^= 1;

    let cases = [
        ("no signature", good.clone().without("X-Signature")),
        ("an empty signature", good.clone().with("X-Signature", "")),
        ("not base64", good.clone().with("X-Signature", &"!".repeat(88))),
        ("no padding", good.clone().with("X-Signature", signature.trim_end_matches('='))),
        ("63 bytes", good.clone().with("X-Signature", &BASE64_STANDARD.encode(&raw[..63]))),
        (
            "65 bytes",
            good.clone().with("X-Signature", &BASE64_STANDARD.encode([raw.as_slice(), &[0]].concat())),
        ),
        (
            "hexadecimal",
            good.clone()
                .with("X-Signature", &raw.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        ),
        ("base64url", differing.with("X-Signature", &url_safe)),
        ("one bit of the signature", good.clone().with("X-Signature", &BASE64_STANDARD.encode(&flipped))),
        ("quoted", good.clone().with("X-Signature", &format!("\"{signature}\""))),
        ("the signature twice", good.clone().header("X-Signature", &signature)),
        ("a second signature", good.clone().header("x-signature", &own_signature)),
        ("two in one", good.clone().with("X-Signature", &format!("{signature}, {signature}"))),
        ("another key", signed_by(Keypair::generate().unwrap().private_key(), STATUS_BODY)),
        ("the merchant's key", signed_by(merchant().private_key(), STATUS_BODY)),
        ("another body", good.clone().body(STATUS_BODY.replace("1500.50", "1500.51"))),
        ("a body with a line end", good.clone().body(format!("{STATUS_BODY}\n"))),
        ("an empty body", good.clone().body("")),
        ("the same JSON in another form", good.clone().body(STATUS_BODY.replace(":", ": "))),
        (
            "the request reflected",
            good.clone().with("X-Signature", &own_signature).with("X-KeyId", KEY_ID).body(&own_body),
        ),
        (
            "the request reflected without its id",
            good.clone().with("X-Signature", &own_signature).without("X-KeyId").body(&own_body),
        ),
        ("the merchant's key id", good.clone().with("X-KeyId", KEY_ID)),
        ("two key ids", good.clone().header("X-KeyId", SERVER_KEY_ID)),
    ];
    for (what, reply) in cases {
        let error = status_error(&reply);
        assert_eq!(summary(&error), (Code::Unverified, Outcome::Unknown, Some(200)), "{what}: {error}");
        assert_eq!(
            (error.order_id(), error.body(), error.description()),
            (Some(ORDER), None, None),
            "{what}"
        );
    }
}

#[test]
fn where_key_ids_are_configured_the_reply_must_carry_one_of_them() {
    let good = signed(STATUS_BODY);
    for (ids, reply, accepted) in [
        (vec![SERVER_KEY_ID], good.clone(), true),
        (vec!["service-0", SERVER_KEY_ID], good.clone(), true),
        (vec!["service-0"], good.clone(), false),
        (vec!["SERVICE-1"], good.clone(), false),
        (vec![SERVER_KEY_ID], good.clone().without("X-KeyId"), false),
        (vec![SERVER_KEY_ID], good.clone().with("X-KeyId", ""), false),
        (vec![], good.clone().without("X-KeyId"), true),
        (vec![], good.with("X-KeyId", "any"), true),
    ] {
        let opened = reply.open(protocol_with_ids(&ids).prepare(&GetStatus(ORDER)).unwrap());
        assert_eq!(opened.is_ok(), accepted, "{ids:?} {:?}", reply.headers);
        if let Err(error) = opened {
            assert_reported(&error, Code::Unverified, Outcome::Unknown, 200);
        }
    }
}

#[test]
fn replies_signed_with_either_key_verify_during_rotation() {
    let (new, wrong_key) = (Keypair::generate().unwrap(), Keypair::generate().unwrap());
    let keys = [service().public_key(), new.public_key()];
    let protocol =
        Protocol::new("https://pay.example", KEY_ID, Arc::new(merchant().private_key().clone()), &keys, &[])
            .unwrap();
    for (key, accepted) in [(service(), true), (&new, true), (&wrong_key, false)] {
        let opened =
            signed_by(key.private_key(), STATUS_BODY).open(protocol.prepare(&GetStatus(ORDER)).unwrap());
        assert_eq!(opened.is_ok(), accepted);
    }
}

#[test]
fn a_proxys_page_is_unverified_and_can_be_recognised() {
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
fn an_unsigned_refusal_is_unverified_and_its_json_is_not_shown() {
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
fn a_page_that_echoes_the_request_gives_no_secret_away() {
    let request = payment_request();
    let prepared = protocol().prepare(&NewPayment(&request)).unwrap();
    let signature = signature_of(&request);
    let padding = 4096 - "<pre>".len() - signature.len() / 2;
    for page in [
        format!("<pre>{signature} {ACCOUNT}</pre>"),
        format!("you sent {}", String::from_utf8_lossy(prepared.request().body())),
        // The spaces move the signature to byte 4096 of the page. A signature that is cut there must not be
        // shown either.
        format!("<pre>{}{signature}{ACCOUNT}", " ".repeat(padding)),
        format!("<pre>{}{ACCOUNT}", " ".repeat(4096 - 5 - 6)),
        format!("<pre>{}{signature}", "x".repeat(195)),
    ] {
        let prepared = protocol().prepare(&NewPayment(&request)).unwrap();
        let error = bare(502, "text/html", page).open(prepared).unwrap_err();
        assert_reported(&error, Code::Unverified, Outcome::Unknown, 502);
        let shown = format!("{error} {error:?} {:?}", error.excerpt());
        assert!(!shown.contains(&ACCOUNT[..6]) && !shown.contains(&signature[..8]), "{shown}");
    }
}

#[test]
fn a_page_that_names_a_person_is_in_the_excerpt_alone() {
    let page = bare(502, "text/ivanov", "<p>Ivanov is blocked</p>");
    let error = page.open(protocol().prepare(&NewPayment(&payment_request())).unwrap()).unwrap_err();
    assert!(error.excerpt().is_some_and(|excerpt| excerpt.contains("Ivanov")));
    assert_eq!(error.content_type(), Some("text/ivanov"));
    assert!(!format!("{error} {error:?}").to_lowercase().contains("ivanov"), "{error} {error:?}");
}

#[test]
fn a_refusal_by_its_status_says_what_to_check() {
    let prepared = || protocol().prepare(&GetStatus(ORDER)).unwrap();
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
fn a_refusals_own_text_is_shown_if_the_contract_has_it_or_it_is_about_the_signature() {
    let message = |text: &str, status| {
        let prepared = protocol().prepare(&GetStatus(ORDER)).unwrap();
        refusal(text).status(status).open(prepared).unwrap_err().message().to_owned()
    };
    for text in ["order not found", "invalid signature", "invalid signature: the body was changed"] {
        assert!(message(text, 401).contains(text), "{text}");
    }
    assert!(!message("the signature is invalid", 401).contains("the signature is invalid"));
    // There is no advice about the HTTP status, because the reason is more exact.
    assert!(!message("payment could not be canceled", 403).contains("check"));
}

#[test]
fn a_page_that_echoes_an_account_of_letters_gives_none_away() {
    let request = PaymentRequest::new(1, PaymentMethod::Card, "ivan.petrov");
    for page in ["<p>ivan.petrov is blocked</p>", "<p>IVAN.PETROV IS BLOCKED</p>"] {
        let error = bare(502, "text/html", page)
            .open(protocol().prepare(&NewPayment(&request)).unwrap())
            .unwrap_err();
        let excerpt = error.excerpt().unwrap().to_lowercase();
        assert!(excerpt.contains("is blocked") && !excerpt.contains("petrov"), "{excerpt}");
    }
}

#[test]
fn a_page_that_echoes_the_account_is_shown_without_it_for_each_operation_that_has_one() {
    // The account has only letters, because long numbers are hidden on every page.
    let account = "ivan.petrov";
    let amounts = AmountsRequest::new(1, PaymentMethod::Card).customer_account(account);
    let payment = PaymentRequest::new(1, PaymentMethod::Card, account);
    let later = payment.clone().credentials_webhook_url("https://shop.example/credentials");
    let page = || bare(502, "text/html", format!("<p>{account} is blocked</p>"));
    let protocol = protocol();
    let errors = [
        page().open(protocol.prepare(&GetAvailableAmounts(&amounts)).unwrap()).unwrap_err(),
        page().open(protocol.prepare(&NewPayment(&payment)).unwrap()).unwrap_err(),
        page().open(protocol.prepare(&NewPaymentAsync(&later)).unwrap()).unwrap_err(),
    ];
    for (place, error) in errors.iter().enumerate() {
        let excerpt = error.excerpt().unwrap();
        assert!(excerpt.contains("is blocked") && !excerpt.contains("petrov"), "{place}: {excerpt}");
    }
}

#[test]
fn a_page_that_echoes_the_request_escaped_gives_no_secret_away() {
    // The escapes of Go's html/template, of the query of a URL, and of JSON writers.
    let escapes: [&[(&str, &str)]; 3] = [
        &[("+", "&#43;"), ("/", "&#x2F;"), ("=", "&#61;")],
        &[("+", "%2B"), ("/", "%2F"), ("=", "%3D")],
        &[("+", "\\u002b"), ("/", "\\/"), ("=", "\\u003d")],
    ];
    // Tries requests until the middle of a signature contains `+` and `/`, which must be escaped.
    let request = (0..)
        .map(|n| PaymentRequest::new(1, PaymentMethod::Card, format!("+79001234567/{n}")))
        .find(|request| {
            let signature = signature_of(request);
            signature[20..60].contains('+') && signature[20..60].contains('/')
        });
    let request = request.unwrap();
    let signature = signature_of(&request);
    let longest = signature.split(['+', '/', '=']).max_by_key(|part| part.len()).unwrap();
    for escapes in escapes {
        let mut page = format!("<p>{signature}</p><p>+79001234567</p>");
        for (plain, escaped) in escapes {
            page = page.replace(plain, escaped);
        }
        let error = bare(502, "text/html", page)
            .open(protocol().prepare(&NewPayment(&request)).unwrap())
            .unwrap_err();
        let shown = format!("{error} {error:?} {:?}", error.excerpt());
        assert!(!shown.contains(ACCOUNT) && !shown.contains(longest), "{shown}");
    }
}

fn signature_of(request: &PaymentRequest) -> String {
    let prepared = protocol().prepare(&NewPayment(request)).unwrap();
    prepared.request().headers().find(|(name, _)| *name == "X-Signature").unwrap().1.to_owned()
}

#[test]
fn a_content_type_that_echoes_the_request_gives_no_secret_away() {
    let request = payment_request();
    let prepared = protocol().prepare(&NewPayment(&request)).unwrap();
    let signature = signature_of(&request);
    let error =
        bare(502, &format!("text/html; sent={signature}; by={ACCOUNT}"), "x").open(prepared).unwrap_err();
    let shown = format!("{error} {error:?} {:?}", error.content_type());
    assert!(!shown.contains(ACCOUNT) && !shown.contains(&signature[..8]), "{shown}");
}

#[test]
fn a_redirect_is_a_transport_error_even_if_it_is_signed() {
    for status in [301, 302, 303, 307, 308] {
        for reply in [
            success().status(status),
            bare(status, "text/html", "moved").header("Location", "http://elsewhere.example/"),
        ] {
            assert_reported(&status_error(&reply), Code::Transport, Outcome::Unknown, status);
        }
    }
}

#[test]
fn a_reply_for_another_order_is_malformed() {
    let replies = [
        r#"{"success":true,"orderId":"order-2","status":"doneSuccess"}"#,
        r#"{"success":true,"orderId":"ORDER-1"}"#,
        r#"{"success":true,"orderId":"order-1 "}"#,
        r#"{"success":true,"status":"doneSuccess"}"#,
        r#"{"success":true,"orderId":null}"#,
        r#"{"success":true,"orderId":""}"#,
        r#"{"success":true,"orderId":1}"#,
        r#"{"success":false,"orderId":"order-2","errorDescription":"payment could not be canceled"}"#,
        r#"{"orderId":"order-2","error":"invalid"}"#,
    ];
    for body in replies {
        let cancel = signed(body).open(protocol().prepare(&Cancel(ORDER)).unwrap()).expect_err(body);
        let confirm = signed(body).open(protocol().prepare(&Confirm(ORDER)).unwrap()).expect_err(body);
        for error in [cancel, confirm, status_error(&signed(body))] {
            assert_reported(&error, Code::Malformed, Outcome::Unknown, 200);
            assert_eq!((error.body(), error.order_id()), (Some(body.as_bytes()), Some(ORDER)), "{body}");
            assert_eq!(error.reason(), None, "{body}");
        }
    }
    // The same order id, with an escaped letter.
    let escaped = signed(r#"{"success":true,"orderId":"\u006frder-1"}"#);
    assert_eq!(escaped.open(protocol().prepare(&Cancel(ORDER)).unwrap()).unwrap().order_id(), ORDER);
}

#[test]
fn a_verified_refusal_is_rejected_with_its_reason() {
    for reason in Reason::ALL {
        let reply = refusal(reason.text()).status(403);
        let error = status_error(&reply);
        assert_reported(&error, Code::Rejected, Outcome::Rejected, 403);
        assert_eq!((error.reason(), error.description()), (Some(*reason), Some(reason.text())));
        assert_eq!((error.body(), error.order_id()), (Some(reply.body.as_slice()), Some(ORDER)));
        assert!(error.message().contains(reason.text()));
    }
    let texts: Vec<_> = Reason::ALL.iter().map(|reason| reason.text()).collect();
    let contract = [
        "invalid currency",
        "invalid orderId",
        "order not found",
        "invalid file format",
        "payment could not be canceled",
    ];
    assert_eq!(texts, contract);
}

#[test]
fn a_refusal_in_any_of_its_forms_is_rejected() {
    for (body, description, order_id) in [
        (r#"{"success":false,"errorDescription":"no payee"}"#, Some("no payee"), None),
        (
            r#"{"success":false,"orderId":"order-9","errorDescription":"no payee"}"#,
            Some("no payee"),
            Some("order-9"),
        ),
        (r#"{"success":false}"#, None, None),
        (r#"{"success":false,"errorDescription":null}"#, None, None),
        (r#"{"success":false,"errorDescription":""}"#, None, None),
        (r#"{"error":"sum must be positive"}"#, Some("sum must be positive"), None),
        (r#"{"success":null,"error":"x"}"#, Some("x"), None),
        (r#"{"success":false,"errorDescription":"a\r\nb\u001b"}"#, Some("a b"), None),
        (r#"{"success":false,"errorDescription":"Order not found"}"#, Some("Order not found"), None),
    ] {
        let error =
            signed(body).open(protocol().prepare(&NewPayment(&payment_request())).unwrap()).expect_err(body);
        assert_reported(&error, Code::Rejected, Outcome::Rejected, 200);
        assert_eq!(
            (error.description(), error.order_id(), error.reason()),
            (description, order_id, None),
            "{body}"
        );
    }
}

#[test]
fn the_merchants_own_key_or_id_cannot_stand_for_the_services() {
    let signer = || merchant().private_key().clone();
    let own_key = merchantpay::Client::new(Config::new(
        "https://pay.example",
        KEY_ID,
        signer(),
        merchant().public_key(),
    ));
    assert_eq!(own_key.err().unwrap().code(), Code::InvalidKey);
    let second = crate::common::config("https://pay.example").server_public_key(merchant().public_key());
    assert_eq!(merchantpay::Client::new(second).err().unwrap().code(), Code::InvalidKey);
    let own_id = merchantpay::Client::new(crate::common::config("https://pay.example").server_key_id(KEY_ID));
    assert_eq!(own_id.err().unwrap().code(), Code::InvalidArgument);
}
