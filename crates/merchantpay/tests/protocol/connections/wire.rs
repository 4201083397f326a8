//! The bytes that are written to the socket: one signed POST with exactly the prepared body.

use std::collections::BTreeSet;

use crate::common::reply::success;
use crate::common::server::{Answer, Server};
use crate::common::{
    KEY_ID, ORDER, client, config, every_call, merchant, payment_request, protocol, summary,
};
use merchantpay::{Client, Code, Outcome, Signature, operation};

#[test]
fn request_is_one_signed_post() {
    for (path, call) in every_call() {
        let server = Server::replying(success());
        call(&Client::new(config(&server.url()).user_agent("till/7 (shop)")).unwrap()).unwrap();
        let host = server.address().to_string();
        let log = server.finish();
        assert_eq!((log.requests.len(), log.connections), (1, 1), "{path}");
        let request = &log.requests[0];
        let target = format!("/api/v1/merchant/pay{path}");
        assert_eq!((request.method.as_str(), &request.target), ("POST", &target));
        let signature = Signature::from_base64(request.header("X-Signature").unwrap()).unwrap();
        assert!(merchant().public_key().verifies(&request.body, &signature), "{path}");
        let content_type = request.header("Content-Type").unwrap();
        let multipart = "multipart/form-data; boundary=";
        let expected = if path == "/receipt/attach" { multipart } else { "application/json" };
        assert!(content_type.starts_with(expected), "{path}: {content_type}");
        let length = request.body.len().to_string();
        for (name, value) in [
            ("Host", host.as_str()),
            ("X-KeyId", KEY_ID),
            ("Content-Length", &length),
            ("Accept", "application/json"),
            ("User-Agent", "till/7 (shop)"),
        ] {
            assert_eq!(request.header(name), Some(value), "{path}");
        }
        assert!(request.header("Accept-Encoding").is_none_or(|value| value == "identity"), "{path}");
        let names: BTreeSet<_> = request.headers.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        let known = "accept accept-encoding content-length content-type host user-agent x-keyid x-signature";
        assert!(names.iter().all(|name| known.split(' ').any(|known| known == name)), "{path}: {names:?}");
    }
}

#[test]
fn what_is_prepared_is_what_is_sent() {
    let request = payment_request();
    let prepared = protocol().prepare(operation::new_payment(&request)).unwrap();
    let server = Server::replying(success());
    client(&server.url()).new_payment(&request).unwrap();
    let sent = server.finish().requests.remove(0);
    assert_eq!(sent.body, prepared.request().body());
    for (name, value) in prepared.request().headers() {
        assert_eq!(sent.header(name), Some(value), "{name}");
    }
    assert_eq!(sent.header("User-Agent"), Some(concat!("merchantpay/", env!("CARGO_PKG_VERSION"))));
    assert_eq!(prepared.request().url(), "https://pay.example/api/v1/merchant/pay/new");
}

#[test]
fn prefix_of_the_base_url_is_kept() {
    let server = Server::replying(success());
    let by_name = format!("HTTP://localhost:{}", server.address().port());
    for suffix in ["", "//", "/gate/", "/a%20b/c"] {
        client(&format!("{by_name}{suffix}")).get_status(ORDER).unwrap();
    }
    let requests = server.finish().requests;
    let targets: Vec<_> = requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(
        targets,
        ["", "", "/gate", "/a%20b/c"].map(|prefix| format!("{prefix}/api/v1/merchant/pay/status"))
    );
    assert!(requests.iter().all(|request| request.header("Host") == by_name.strip_prefix("HTTP://")));
}

/// ureq does not read chunks with long extensions, although they are valid HTTP (docs/threat-model.md, *What HTTP the
/// library does not read*).
#[test]
fn chunks_with_long_extensions_are_a_transport_error() {
    for (extension, is_read) in [("", true), (";a=b", true), (";a-name-of-an-extension=and-its-value", false)]
    {
        let reply = success();
        let chunk =
            [format!("{:x}{extension}\r\n", reply.body.len()).as_bytes(), &reply.body, b"\r\n0\r\n\r\n"]
                .concat();
        let bytes = [reply.head().as_bytes(), b"Transfer-Encoding: chunked\r\n\r\n", &chunk].concat();
        let server = Server::start(move |_| Answer::Bytes(bytes.clone()));
        let result = client(&server.url()).confirm(ORDER);
        assert_eq!(result.is_ok(), is_read, "{extension}: {result:?}");
        if let Err(error) = result {
            assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, Some(200)), "{error}");
        }
        assert_eq!(server.finish().requests.len(), 1, "{extension}");
    }
}
