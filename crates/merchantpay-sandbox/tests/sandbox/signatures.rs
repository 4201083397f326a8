//! Every request is checked, and every reply is signed (contract, section 5).

use crate::*;

#[test]
fn every_operation_rejects_bad_signatures() {
    let sandbox = sandbox();
    let key: &PrivateKey = sandbox.merchant_private_key().unwrap();
    let body = br#"{"orderId":"sb-1"}"#;
    let id = sandbox.merchant_key_id();
    let good = key.sign(body).to_base64();
    let other_body = key.sign(b"{}").to_base64();
    let wrong_key = Keypair::generate().unwrap().private_key().sign(body).to_base64();
    let url_safe = good.replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned();
    for path in OPERATIONS.iter().map(|operation| operation.path) {
        for headers in [
            vec![],
            vec![("X-KeyId", id)],
            vec![("X-Signature", good.as_str())],
            vec![("X-KeyId", "somebody"), ("X-Signature", &good)],
            vec![("X-KeyId", id), ("X-Signature", &other_body)],
            vec![("X-KeyId", id), ("X-Signature", &wrong_key)],
            vec![("X-KeyId", id), ("X-Signature", &url_safe)],
            vec![("X-KeyId", id), ("X-Signature", &good), ("X-Signature", &good)],
        ] {
            let raw = post(&sandbox, path, &headers, body);
            let begins = r#"{"success":false,"errorDescription":"invalid signature ("#;
            assert!(raw.status == 401 && raw.text().starts_with(begins), "{path}: {}", raw.text());
        }
    }
    let raw = post(&sandbox, "/status", &[("X-KeyId", id), ("X-Signature", &good)], body);
    assert_eq!(raw.status, 404, "and the right one is let through: {}", raw.text());
}

#[test]
fn broken_body_is_refused() {
    let sandbox = sandbox();
    let head = format!("POST {BASE_PATH}/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
    let reply = raw(&sandbox, &format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n"));
    assert!(reply.starts_with("HTTP/1.1 400 ") && reply.contains("invalid request body"), "{reply}");
    assert_eq!(sandbox.requests("getStatus"), 0);
}

#[test]
fn refusal_names_its_cause_and_shows_the_signed_bytes() {
    let sandbox = sandbox();
    let (api, id) = (Api::of(&sandbox), sandbox.merchant_key_id());
    let sign = |content: &str| sandbox.merchant_private_key().unwrap().sign(content.as_bytes()).to_base64();
    let (body, python) =
        (r#"{"orderId":"sb-1","note":"тест"}"#, r#"{"orderId": "sb-1", "note": "\u0442\u0435\u0441\u0442"}"#);
    let (good, changed, unknown) = (sign(body), sign(python), sign("another"));
    for (cause, headers) in [
        (Some("missing_signature"), vec![("X-KeyId", id)]),
        (Some("repeated_signature"), vec![("X-KeyId", id), ("X-Signature", &good), ("X-Signature", &good)]),
        (Some("signature_encoding"), vec![("X-KeyId", id), ("X-Signature", &good[..80])]),
        (Some("key_id"), vec![("X-Signature", &good)]),
        (Some("not_explained"), vec![("X-KeyId", id), ("X-Signature", &unknown)]),
        (Some("body_changed"), vec![("X-KeyId", id), ("X-Signature", &changed)]),
        (None, vec![("X-KeyId", id), ("X-Signature", &good)]),
    ] {
        let reply = api.send("POST", &format!("{BASE_PATH}/status"), &headers, Some(body));
        let newest = api.get("/sandbox/exchanges?limit=1")["exchanges"][0]["id"].clone();
        let record = api.get(&format!("/sandbox/exchanges/{newest}"));
        let explanation = &record["explanation"];
        assert_eq!((record["cause"].as_str(), record["verified"].as_bool()), (cause, Some(cause.is_none())));
        assert_eq!(record["request"]["body"]["text"], body, "the bytes that came");
        let description = reply.json()["errorDescription"].clone();
        let Some(cause) = cause else {
            assert_eq!(
                (reply.status, description, explanation),
                (404, json!("order not found"), &Value::Null)
            );
            continue;
        };
        let hint = explanation["hint"].as_str().unwrap();
        assert_eq!((reply.status, description), (401, json!(format!("invalid signature ({cause}): {hint}"))));
        let signed = [&explanation["signed"]["text"], &explanation["firstDifference"]];
        let expected =
            if cause == "body_changed" { [json!(python), json!(11)] } else { [Value::Null, Value::Null] };
        assert_eq!(json!(signed), json!(expected), "{cause}");
    }
}

#[test]
fn unknown_endpoints_are_refused_and_recorded() {
    let sandbox = Sandbox::start(options()).unwrap();
    let api = Api::of(&sandbox);
    let newest = || api.get("/sandbox/exchanges")["exchanges"].clone();
    let pay = "/api/v1/merchant/pay";
    let none = "no such endpoint: ";
    let at = |known: &str| format!("{none}{known}; the base URL is the part before it");
    let below = format!("{none}the endpoints are below {pay}");
    for (method, path, status, description) in [
        ("POST", format!("{pay}{pay}/new"), 404, at("newPayment is at /api/v1/merchant/pay/new")),
        ("POST", format!("{pay}/getStatus"), 404, at("getStatus is at /api/v1/merchant/pay/status")),
        ("POST", format!("{pay}/status/"), 404, at("getStatus is at /api/v1/merchant/pay/status")),
        ("POST", "/pay".to_owned(), 404, below),
        ("PUT", format!("{pay}/confirm"), 405, "only POST is allowed".to_owned()),
    ] {
        let reply = api.send(method, &path, &[("X-KeyId", "shop")], Some("{}"));
        assert_eq!(
            (reply.status, reply.json()["errorDescription"].as_str()),
            (status, Some(description.as_str()))
        );
        assert!(is_signed(&reply, &sandbox.server_public_key()), "{method} {path}");
        let record = &newest()[0];
        assert_eq!((record["method"].as_str(), record["path"].as_str()), (Some(method), Some(path.as_str())));
        assert_eq!(fields(&record, ["httpStatus", "cause"]), json!([status, "missing_signature"]));
    }
    let large = "x".repeat(33 * 1024 * 1024);
    assert_eq!(api.send("POST", &format!("{pay}/new"), &[], Some(&large)).status, 413);
    let record = &newest()[0];
    assert_eq!(fields(&record, ["operation", "verified"]), json!(["newPayment", null]));
    let before = newest();
    assert_eq!(api.send("GET", "/apple-touch-icon.png", &[], None).status, 404);
    assert_eq!(newest(), before, "a browser that looks for an icon is not a merchant");
}
