//! Requests to the merchant API that a page of another site can send, and the faults that they leave alone.

use std::sync::Arc;

use merchantpay::{Protocol, PublicKey, Signature, operation};
use merchantpay_sandbox::Sandbox;
use serde_json::Value;

use crate::api::{Api, Reply};
use crate::common::{awaiting, client, sandbox};

const STATUS: &str = "/api/v1/merchant/pay/status";

/// The headers and the body of a genuine request for a payment's status.
fn signed(sandbox: &Sandbox, order_id: &str) -> (Vec<(String, String)>, String) {
    let key = sandbox.merchant_private_key().unwrap().clone();
    let protocol = Protocol::new(
        sandbox.url(),
        sandbox.merchant_key_id(),
        Arc::new(key),
        &[sandbox.server_public_key()],
        &[],
    );
    let prepared = protocol.unwrap().prepare(operation::get_status(order_id)).unwrap();
    let request = prepared.request();
    let headers = request.headers().map(|(name, value)| (name.to_owned(), value.to_owned()));
    (headers.collect(), String::from_utf8(request.body().to_vec()).unwrap())
}

pub fn is_signed(reply: &Reply, key: &PublicKey) -> bool {
    Signature::from_base64(reply.header("x-signature")).is_some_and(|text| key.verifies(&reply.bytes, &text))
}

/// Every kind of fault, planned once.
fn plan_all(api: &Api) -> Value {
    for kind in api.get("/sandbox")["faultKinds"].as_array().unwrap() {
        let more = match kind.as_str().unwrap() {
            "latency" => r#","latencyMs":1"#,
            "oversized" => r#","bytes":9"#,
            _ => "",
        };
        api.change("/sandbox/faults", &format!(r#"{{"kind":{kind}{more}}}"#));
    }
    api.change("/sandbox/faults", r#"{"kind":"unsigned","probability":1.0}"#);
    api.get("/sandbox/faults")
}

#[test]
fn foreign_origin_or_host_is_refused_although_signed() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let order_id = awaiting(&client(&sandbox), "stays-pending");
    let planned = plan_all(&api);
    let (signature, body) = signed(&sandbox, &order_id);
    let before = (sandbox.requests("getStatus"), api.get("/sandbox/exchanges"));
    let port = sandbox.address().port();
    for foreign in [
        ("Origin", "https://evil.example".to_owned()),
        ("Origin", "null".to_owned()),
        ("Origin", format!("http://localhost:{}", port ^ 1)),
        ("Origin", format!("https://127.0.0.1:{port}")),
        ("Sec-Fetch-Site", "cross-site".to_owned()),
        ("Sec-Fetch-Site", "same-site".to_owned()),
        ("Host", "evil.example".to_owned()),
        ("Host", format!("evil.example:{port}")),
        ("Host", format!("127.0.0.1.evil.example:{port}")),
        ("Host", "192.0.2.1".to_owned()),
    ] {
        let mut headers: Vec<(&str, &str)> =
            signature.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        headers.push((foreign.0, &foreign.1));
        for method in ["POST", "GET"] {
            let reply = api.send(
                method,
                STATUS,
                &headers,
                Some(&body).filter(|_| method == "POST").map(|body| &**body),
            );
            assert_eq!(reply.status, 403, "{method} {foreign:?}");
            assert!(is_signed(&reply, &sandbox.server_public_key()), "{foreign:?}");
            assert_eq!(reply.header("access-control-allow-origin"), "", "{foreign:?}");
        }
    }
    assert_eq!(api.get("/sandbox/faults"), planned);
    assert_eq!((sandbox.requests("getStatus"), api.get("/sandbox/exchanges")), before);

    api.send("DELETE", "/sandbox/faults", &[], None);
    for own in [("Origin", sandbox.url().to_owned()), ("Host", format!("localhost:{port}"))] {
        let mut headers: Vec<(&str, &str)> =
            signature.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        headers.push((own.0, &own.1));
        assert_eq!(api.send("POST", STATUS, &headers, Some(&body)).status, 200, "{own:?}");
    }
}

#[test]
fn unverified_request_uses_up_no_fault() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let client = client(&sandbox);
    let order_id = awaiting(&client, "stays-pending");
    let planned = plan_all(&api);
    let (signature, body) = signed(&sandbox, &order_id);
    let changed = format!("{body} ");
    let headers: Vec<(&str, &str)> =
        signature.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let key_id: Vec<(&str, &str)> =
        headers.iter().copied().filter(|(name, _)| name.eq_ignore_ascii_case("x-keyid")).collect();
    for (method, headers, body, status) in [
        ("POST", &[][..], "{}", 401),
        ("POST", &key_id[..], &body, 401),
        ("POST", &headers[..], &changed, 401),
        ("POST", &headers[..], "", 401),
        ("GET", &[][..], "", 405),
    ] {
        let body = Some(body).filter(|_| method == "POST");
        assert_eq!(api.send(method, STATUS, headers, body).status, status, "{method} {headers:?}");
    }
    assert_eq!(api.get("/sandbox/faults"), planned);

    assert_eq!(client.get_status(&order_id).unwrap_err().code(), merchantpay::Code::Unverified);
    assert_eq!(api.get("/sandbox/faults")["faults"].as_array().unwrap().len(), 15);
}
