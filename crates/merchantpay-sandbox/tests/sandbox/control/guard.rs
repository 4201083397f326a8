//! The callers that the control API accepts.

use merchantpay_sandbox::{Options, Sandbox, SettingsFormat};

use crate::api::Api;
use crate::common::{ACCOUNT, awaiting, client, sandbox};

#[test]
fn rejects_pages_of_other_sites() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let own = sandbox.url().to_owned();
    let port = own.rsplit(':').next().unwrap();
    let (rebound, neighbour) = (format!("evil.example:{port}"), "http://localhost:3000".to_owned());
    let cases: [(&[(&str, &str)], u16); 9] = [
        (&[], 200),
        (&[("Origin", &own), ("Sec-Fetch-Site", "same-origin")], 200),
        (&[("Sec-Fetch-Site", "none")], 200),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", &neighbour)], 403),
        (&[("Origin", "null")], 403),
        (&[("Sec-Fetch-Site", "cross-site")], 403),
        (&[("Sec-Fetch-Site", "same-site")], 403),
        (&[("Host", &rebound)], 403),
    ];
    for (headers, status) in cases {
        for path in ["/sandbox", "/sandbox/payments", "/sandbox/events-that-are-not", "/sandbox/faults"] {
            let expected = if status == 200 && path.contains("not") { 404 } else { status };
            let reply = api.send("GET", path, headers, None);
            assert_eq!(reply.status, expected, "{headers:?} {path}");
            assert_eq!(reply.header("access-control-allow-origin"), "");
        }
        let json = [headers, &[("Content-Type", "application/json")]].concat();
        let reply = api.send("POST", "/sandbox/faults", &json, Some(r#"{"kind":"unsigned"}"#));
        assert_eq!(reply.status, if status == 200 { 201 } else { 403 }, "{headers:?}");
        assert_eq!(api.send("DELETE", "/sandbox/faults", headers, None).status, status, "{headers:?}");
    }
}

#[test]
fn rejects_unknown_fields_and_other_content_types() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let order_id = awaiting(&client(&sandbox), ACCOUNT);
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let reply = api.send(
            "POST",
            "/sandbox/faults",
            &[("Content-Type", content_type)],
            Some(r#"{"kind":"unsigned"}"#),
        );
        assert_eq!(
            (reply.status, reply.json()["error"]["code"].as_str()),
            (415, Some("contentType")),
            "{content_type:?}"
        );
    }
    let customer = format!("/sandbox/payments/{order_id}/customer");
    let cases = [
        (customer.as_str(), "", 400),
        (&customer, "[]", 400),
        (&customer, "{}", 400),
        (&customer, r#"{"pays":"all"}"#, 400),
        (&customer, r#"{"pays":"less","sum":"1"}"#, 400),
        (&customer, r#"{"sum":1400.5}"#, 400),
        (&customer, r#"{"sum":"-1"}"#, 400),
        (&customer, r#"{"pays":"less","more":1}"#, 400),
        ("/sandbox/payments/sb-nobody/customer", r#"{"pays":"less"}"#, 404),
        ("/sandbox/payments/sb-nobody/operator", r#"{"action":"approve"}"#, 404),
        ("/sandbox/webhooks/1", r#"{"action":"resend"}"#, 404),
        ("/sandbox/faults", r#"{"kind":"latency"}"#, 400),
        ("/sandbox/faults", r#"{"kind":"unsigned","latencyMs":5}"#, 400),
        ("/sandbox/faults", r#"{"kind":"unsigned","times":0}"#, 400),
        ("/sandbox/faults", r#"{"kind":"unsigned","probability":1.5}"#, 400),
        ("/sandbox/faults", r#"{"kind":"unsigned","operation":"pay"}"#, 400),
        ("/sandbox/faults", r#"{"kind":"unsigned","seed":5}"#, 400),
        ("/sandbox/clock", r#"{"advanceMs":5}"#, 409),
        ("/sandbox/clock", r#"{"advanceMs":-5}"#, 400),
        ("/sandbox/nothing", "{}", 404),
        ("/sandbox/exchanges", "{}", 405),
    ];
    for (path, body, status) in cases {
        assert_eq!(api.refused(path, body).0, status, "{path} {body}");
    }
    assert!(
        api.payment(&order_id)["sum"] == "1500.50"
            && api.get("/sandbox/faults")["faults"] == serde_json::json!([])
    );
    assert_eq!(api.send("GET", "/sandbox/payments?colour=red", &[], None).status, 400);
}

#[test]
fn large_body_gets_its_refusal() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let large = format!("{{\"kind\":\"{}\"}}", "x".repeat(3_000_000));
    for _ in 0..20 {
        assert_eq!(api.refused("/sandbox/faults", &large).0, 400);
        assert_eq!(api.refused("/sandbox/webhooks/99", r#"{"action":"resend"}"#).0, 404);
        assert_eq!(
            api.send("POST", "/sandbox/faults", &[("Origin", "http://evil.example")], Some(&large)).status,
            403
        );
    }
}

#[test]
fn overview_has_no_private_key() {
    let sandbox = sandbox();
    let about = Api::of(&sandbox).get("/sandbox");
    assert_eq!(
        (&about["sandbox"], &about["merchant"]["keyId"]),
        (&true.into(), &sandbox.merchant_key_id().into())
    );
    let private = sandbox.merchant_private_key().unwrap().to_base64();
    assert!(!about.to_string().contains(private.as_str()));
}

#[test]
fn answers_configured_hosts_only() {
    let options = Options {
        public_url: Some("https://pay.test/".to_owned()),
        allowed_hosts: vec!["sandbox".to_owned()],
        ..Options::default()
    };
    let sandbox = Sandbox::start(options).unwrap();
    assert_eq!(sandbox.url(), "https://pay.test");
    let settings = sandbox.settings();
    assert!(settings.text(SettingsFormat::Shell).contains("MERCHANTPAY_BASE_URL=https://pay.test\n"));
    let api = Api::at(format!("http://{}", sandbox.address()));
    for (host, origin, status) in [
        ("pay.test", "https://pay.test", 200),
        ("sandbox:8700", "http://sandbox:8700", 200),
        ("pay.test", "https://sandbox", 403),
        ("other", "http://other", 403),
    ] {
        let reply = api.send("GET", "/sandbox", &[("Host", host), ("Origin", origin)], None);
        assert_eq!(reply.status, status, "{host} {origin}");
        let page = api.send("GET", "/payments", &[("Host", host)], None);
        assert_eq!(page.status == 200, host != "other", "the console, too: {host}");
        assert_eq!(api.send("GET", "/healthz", &[("Host", host)], None).bytes, b"ok\n");
    }
    for url in ["pay.test", "https://pay.test/below", "https://user:secret@pay.test"] {
        let options = Options { public_url: Some(url.to_owned()), ..Options::default() };
        assert_eq!(Sandbox::start(options).unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{url}");
    }
}
