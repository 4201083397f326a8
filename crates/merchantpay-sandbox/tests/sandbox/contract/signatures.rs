//! Every request is checked and every reply is signed (contract, section 5). These tests write the requests
//! themselves, because the client never sends a wrong request.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use merchantpay::{BASE_PATH, Keypair, OPERATIONS, PrivateKey, Signature};
use merchantpay_sandbox::Sandbox;

use crate::common::sandbox;

pub struct Raw {
    pub status: u16,
    pub body: String,
}

/// Posts these bytes, and checks that the reply is signed, whatever its status is.
pub fn post(sandbox: &Sandbox, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Raw {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let mut request = agent.post(format!("{}{BASE_PATH}{path}", sandbox.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.send(body).unwrap();
    let bytes = response.body_mut().read_to_vec().unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(header("x-keyid").as_deref(), Some(sandbox.server_key_id()), "{path}");
    assert_eq!(header("content-type").as_deref(), Some("application/json"), "{path}");
    let signature = Signature::from_base64(&header("x-signature").unwrap()).unwrap();
    assert!(sandbox.server_public_key().verifies(&bytes, &signature), "{path}");
    Raw { status: response.status().as_u16(), body: String::from_utf8(bytes).unwrap() }
}

/// Like [`post`], signed with the merchant's key.
pub fn signed(sandbox: &Sandbox, path: &str, content_type: &str, body: &[u8]) -> Raw {
    let signature = sandbox.merchant_private_key().unwrap().sign(body).to_base64();
    let headers =
        [("X-KeyId", sandbox.merchant_key_id()), ("X-Signature", &signature), ("Content-Type", content_type)];
    post(sandbox, path, &headers, body)
}

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
            assert!(raw.status == 401 && raw.body.starts_with(begins), "{path}: {}", raw.body);
        }
    }
    let raw = post(&sandbox, "/status", &[("X-KeyId", id), ("X-Signature", &good)], body);
    assert_eq!(raw.status, 404, "and the right one is let through: {}", raw.body);
}

/// Sends these bytes, closes the sending side, and reads the whole answer.
fn exchange(sandbox: &Sandbox, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(sandbox.url().trim_start_matches("http://")).unwrap();
    stream.write_all(bytes).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn large_and_broken_bodies_differ() {
    let sandbox = sandbox();
    let raw =
        signed(&sandbox, "/receipt/attach", "multipart/form-data; boundary=x", &vec![b'x'; 40 * 1024 * 1024]);
    assert_eq!(
        (raw.status, raw.body.as_str()),
        (413, r#"{"success":false,"errorDescription":"the request is too large"}"#)
    );
    let head = format!("POST {BASE_PATH}/status HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n");
    let reply = exchange(&sandbox, format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n").as_bytes());
    assert!(reply.starts_with("HTTP/1.1 400 ") && reply.contains("invalid request body"), "{reply}");
    assert_eq!(sandbox.requests("attachReceipt") + sandbox.requests("getStatus"), 0);
}
