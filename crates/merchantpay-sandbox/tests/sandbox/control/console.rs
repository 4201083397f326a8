//! The files of the console and their guards. What the page does is tested in a browser.

use merchantpay_sandbox::Sandbox;

use crate::api::Api;
use crate::common::{ACCOUNT, awaiting, client, options, sandbox};

#[test]
fn page_loads_only_own_files_and_is_framed_by_nobody() {
    let sandbox = sandbox();
    let api = Api::of(&sandbox);
    let order_id = awaiting(&client(&sandbox), ACCOUNT);
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
