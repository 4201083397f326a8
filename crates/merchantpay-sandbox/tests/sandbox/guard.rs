//! The callers that the sandbox answers, and what a page of another site cannot do.

use crate::*;

const STATUS: &str = "/api/v1/merchant/pay/status";

/// The signature and the body.
fn status_request(sandbox: &Sandbox, order_id: &str) -> (String, String) {
    let body = json!({"orderId": order_id}).to_string();
    (sandbox.merchant_private_key().unwrap().sign(body.as_bytes()).to_base64(), body)
}

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
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let reply = api.send(
            "POST",
            "/sandbox/faults",
            &[("Content-Type", content_type)],
            Some(r#"{"kind":"unsigned"}"#),
        );
        assert_eq!(reply.status, 415, "{content_type:?}");
        assert_eq!(reply.json()["error"]["code"], "contentType");
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
    assert_eq!(api.payment(&order_id)["sum"], "1500.50");
    assert_eq!(api.get("/sandbox/faults")["faults"], json!([]));
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
        let foreign = [("Origin", "http://evil.example")];
        assert_eq!(api.send("POST", "/sandbox/faults", &foreign, Some(&large)).status, 403);
    }
}

#[test]
fn answers_configured_hosts_only() {
    let options = Options {
        public_url: Some("https://pay.test/".to_owned()),
        // An empty name is nobody's.
        allowed_hosts: vec!["sandbox".to_owned(), String::new()],
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
        ("localhost:evil.example", "http://localhost:evil.example", 403),
    ] {
        let reply = api.send("GET", "/sandbox", &[("Host", host), ("Origin", origin)], None);
        assert_eq!(reply.status, status, "{host} {origin}");
        let page = api.send("GET", "/payments", &[("Host", host)], None);
        let is_own = !["other", "localhost:evil.example"].contains(&host);
        assert_eq!(page.status == 200, is_own, "the console, too: {host}");
        assert_eq!(api.send("GET", "/healthz", &[("Host", host)], None).bytes, b"ok\n");
    }
    for url in [
        "pay.test",
        "ftp://pay.test",
        "https://pay.test/below",
        "https://pay.test/?a",
        "https://user:secret@pay.test",
    ] {
        let options = Options { public_url: Some(url.to_owned()), ..Options::default() };
        assert_eq!(Sandbox::start(options).unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{url}");
    }
}

#[test]
fn foreign_origin_or_host_is_refused_although_signed() {
    let (sandbox, client, api) = started(options());
    let order_id = awaiting(&client, "stays-pending");
    let planned = plan_all(&api);
    let (signature, body) = status_request(&sandbox, &order_id);
    let signed = [("X-KeyId", sandbox.merchant_key_id()), ("X-Signature", &*signature)];
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
        let headers = [&signed[..], &[(foreign.0, &*foreign.1)]].concat();
        for method in ["POST", "GET"] {
            let sent = Some(&*body).filter(|_| method == "POST");
            let reply = api.send(method, STATUS, &headers, sent);
            assert_eq!(reply.status, 403, "{method} {foreign:?}");
            assert!(is_signed(&reply, &sandbox.server_public_key()), "{foreign:?}");
            assert_eq!(reply.header("access-control-allow-origin"), "", "{foreign:?}");
        }
    }
    assert_eq!(api.get("/sandbox/faults"), planned);
    assert_eq!((sandbox.requests("getStatus"), api.get("/sandbox/exchanges")), before);

    api.send("DELETE", "/sandbox/faults", &[], None);
    for own in [("Origin", sandbox.url().to_owned()), ("Host", format!("localhost:{port}"))] {
        let headers = [&signed[..], &[(own.0, &*own.1)]].concat();
        assert_eq!(api.send("POST", STATUS, &headers, Some(&body)).status, 200, "{own:?}");
    }
}

#[test]
fn unverified_request_uses_up_no_fault() {
    let (sandbox, client, api) = started(options());
    let order_id = awaiting(&client, "stays-pending");
    let planned = plan_all(&api);
    let (signature, body) = status_request(&sandbox, &order_id);
    let changed = format!("{body} ");
    let signed = [("X-KeyId", sandbox.merchant_key_id()), ("X-Signature", &*signature)];
    for (method, headers, body, status) in [
        ("POST", &[][..], "{}", 401),
        ("POST", &signed[..1], &body, 401),
        ("POST", &signed, &changed, 401),
        ("POST", &signed, "", 401),
        ("GET", &[][..], "", 405),
    ] {
        let body = Some(body).filter(|_| method == "POST");
        assert_eq!(api.send(method, STATUS, headers, body).status, status, "{method} {headers:?}");
    }
    assert_eq!(api.get("/sandbox/faults"), planned);

    assert_eq!(client.get_status(&order_id).unwrap_err().code(), merchantpay::Code::Unverified);
    assert_eq!(api.get("/sandbox/faults")["faults"].as_array().unwrap().len(), 15);
}

#[test]
fn page_loads_only_own_files_unframed() {
    let (_sandbox, client, api) = started(options());
    let order_id = awaiting(&client, ACCOUNT);
    let (pay, qr) = (format!("/pay/{order_id}"), format!("/pay/{order_id}/qr.svg"));
    for path in [
        "/",
        "/payments",
        "/payments/x",
        "/calls",
        "/calls/1",
        "/webhooks",
        "/webhooks/1",
        "/faults",
        "/receiver",
        &pay,
    ] {
        let reply = api.send("GET", path, &[], None);
        assert_eq!((reply.status, reply.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}");
        assert!(!policy.contains("unsafe") && policy.contains("base-uri 'none'"), "{path}");
        let is_framed = path == pay;
        assert_eq!(policy.contains("frame-ancestors 'none'"), !is_framed, "{path}");
        assert_eq!(reply.header("x-frame-options"), if is_framed { "" } else { "DENY" }, "{path}");
        let page = String::from_utf8(reply.bytes.clone()).unwrap();
        assert!(page.contains("Sandbox: no money moves here") && page.contains("<html lang=\"en\">"));
        for inline in ["<style", " style=", " onclick=", "<script>"] {
            assert!(!page.contains(inline), "{inline}");
        }
    }
    let files = [
        ("/console/page.js", "text/javascript; charset=utf-8"),
        ("/console/parts.js", "text/javascript; charset=utf-8"),
        ("/console/views.js", "text/javascript; charset=utf-8"),
        ("/console/style.css", "text/css; charset=utf-8"),
        ("/console/icon.svg", "image/svg+xml"),
        (&qr, "image/svg+xml"),
    ];
    for (path, content_type) in files {
        let reply = api.send("GET", path, &[], None);
        assert_eq!((reply.status, reply.header("content-type")), (200, content_type), "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), value, "{path}");
        }
    }
    assert_eq!(api.send("GET", "/pay/sb-nobody/qr.svg", &[], None).status, 404);
}

#[test]
fn console_answers_its_own_names_and_only_reads() {
    let sandbox = Sandbox::start(options()).unwrap();
    let api = Api::of(&sandbox);
    for path in ["/", "/pay/x", "/console/page.js"] {
        assert_eq!(api.send("GET", path, &[("Host", "evil.example")], None).status, 421, "{path}");
        assert_eq!(api.send("POST", path, &[], Some("action=fail")).status, 405, "{path}");
    }
}

#[test]
fn refused_page_leaves_its_connection_usable() {
    let sandbox = sandbox();
    let mut stream = TcpStream::connect(sandbox.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut wait_for = |request: &str, end: &str| {
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        while !reply.ends_with(end.as_bytes()) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap_or_else(|error| panic!("{error}: {reply:?}"));
            reply.extend(byte);
        }
        String::from_utf8(reply).unwrap()
    };
    for (host, status) in [("localhost", 405), ("evil.example", 421)] {
        let head =
            format!("POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
        // A body that is not read would end the connection behind the response.
        assert!(wait_for(&head, "\r\n\r\n").starts_with("HTTP/1.1 100 "), "{host}");
        assert!(wait_for("action=fail", "\r\n").starts_with(&format!("HTTP/1.1 {status} ")), "{host}");
        assert!(
            wait_for("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "\r\n\r\nok\n").contains(" 200 OK")
        );
    }
}

#[test]
fn host_must_be_own_address_or_name() {
    for (listens_on, hosts) in [
        ("127.0.0.1:0", [("LOCALHOST", 200), ("[::1]:8700", 200), ("192.168.0.7:8700", 403)]),
        ("127.0.0.1:0", [("localhost:evil.example", 403), ("[::1]x", 403), ("localhost.evil.example", 403)]),
        ("0.0.0.0:0", [("192.168.0.7:8700", 200), ("localhost", 200), ("evil.example", 403)]),
    ] {
        let sandbox = Sandbox::start(Options { address: listens_on.parse().unwrap(), ..options() }).unwrap();
        let api = Api::at(format!("http://127.0.0.1:{}", sandbox.address().port()));
        for (host, status) in hosts {
            let reply = api.send("GET", "/sandbox", &[("Host", host)], None);
            assert_eq!(reply.status, status, "{listens_on} {host}");
        }
    }
}

#[test]
fn absolute_target_names_the_host() {
    let sandbox = sandbox();
    let own = sandbox.address();
    for (target, path, status) in [
        (own.to_string(), "/sandbox", 200),
        ("evil.example".to_owned(), "/sandbox", 403),
        ("evil.example".to_owned(), "/", 421),
        ("evil.example".to_owned(), STATUS, 403),
        (format!("{own}@evil.example"), "/sandbox", 403),
    ] {
        let request =
            format!("GET http://{target}{path} HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n");
        let reply = raw(&sandbox, &request);
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{target}{path}: {reply}");
    }
}

#[test]
fn slow_and_silent_clients_keep_nobody_out() {
    let deadline = Duration::from_millis(500);
    let sandbox = Sandbox::start(Options { client_deadline: deadline, ..options() }).unwrap();
    assert!(!raw(&sandbox, "GET /sandbox HTTP/1.1\r\nHost").contains("200"));
    let body = format!("POST {STATUS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{{");
    assert!(raw(&sandbox, &body).starts_with("HTTP/1.1 400 "));
    let started = std::time::Instant::now();
    let silent: Vec<_> = (0..256).map(|_| TcpStream::connect(sandbox.address()).unwrap()).collect();
    assert_eq!(Api::of(&sandbox).send("GET", "/healthz", &[], None).status, 200);
    assert!(started.elapsed() >= deadline, "256 connections are the most");
    drop(silent);
}

#[test]
fn remote_webhooks_go_only_to_named_hosts() {
    let webhook_hosts = ["shop", "pay.test:8080", "192.0.2.7", "::1"].map(str::to_owned).to_vec();
    let options = Options { allow_remote: true, webhook_hosts, pace: PATIENCE, ..options() };
    let sandbox = Sandbox::start(options).unwrap();
    let api = Api::of(&sandbox);
    let own = format!("{}/sandbox/receiver", sandbox.url());
    for (url, allowed) in [
        ("http://shop/hook", true),
        ("https://SHOP:8443/hook?a", true),
        ("http://pay.test:8080/", true),
        ("http://pay.test/", false),
        ("http://192.0.2.7:1/", true),
        ("http://[::1]:9/", true),
        (&own, true),
        (&format!("{own}?"), false),
        ("http://shop@127.0.0.1/", false),
        ("http://shop:80@127.0.0.1/", false),
        ("http://shop.evil.example/", false),
        ("http://shop./", false),
        ("http://127.0.0.1#shop", false),
        ("http://169.254.169.254/", false),
    ] {
        let order =
            json!({"sum": "1", "paymentMethod": "sbp", "customerAccount": "1", "statusWebhookUrl": url});
        let reply = api.post("/sandbox/payments", &order.to_string());
        assert_eq!(reply.status, if allowed { 200 } else { 403 }, "{url}");
    }
}
