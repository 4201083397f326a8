//! Causes of refused signatures. The merchant's program is a shell with openssl, independent of this library.

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use merchantpay::{BASE_PATH, PrivateKey, PublicKey};
use merchantpay_sandbox::{Options, Sandbox};
use serde_json::Value;

use crate::api::Api;
use crate::common::options;
use crate::control::foreign::is_signed;

fn openssl(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let mut command = Command::new("openssl");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("openssl is installed");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    output.stdout
}

/// A key pair that openssl made.
struct ForeignKey {
    folder: std::path::PathBuf,
    pem: String,
}

impl ForeignKey {
    fn generate(name: &str) -> ForeignKey {
        let folder = std::env::temp_dir().join(format!("merchantpay-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pem = folder.join("key.pem").display().to_string();
        openssl(&["genpkey", "-algorithm", "ed25519", "-out", &pem], b"");
        ForeignKey { folder, pem }
    }

    /// In DER, the private key and the public key both end with the 32 bytes of the key.
    fn last_32(&self, arguments: &[&str]) -> Vec<u8> {
        let der = openssl(&[&["pkey", "-in", &self.pem, "-outform", "DER"], arguments].concat(), b"");
        der[der.len() - 32..].to_vec()
    }

    fn public_key(&self) -> PublicKey {
        PublicKey::from_base64(&STANDARD.encode(self.last_32(&["-pubout"]))).unwrap()
    }

    fn private_key(&self) -> PrivateKey {
        let both = [self.last_32(&[]), self.last_32(&["-pubout"])].concat();
        PrivateKey::from_base64(&STANDARD.encode(both)).unwrap()
    }

    fn sign(&self, content: &[u8]) -> Vec<u8> {
        // openssl signs only files: an Ed25519 signature reads its message twice.
        let file = self.folder.join("content").display().to_string();
        std::fs::write(&file, content).unwrap();
        openssl(&["pkeyutl", "-sign", "-rawin", "-inkey", &self.pem, "-in", &file], b"")
    }

    fn signature(&self, content: &[u8]) -> String {
        STANDARD.encode(self.sign(content))
    }
}

impl Drop for ForeignKey {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls `/status`. Returns the response, and the record of the exchange.
fn ask(api: &Api, headers: &[(&str, &str)], body: &str) -> (u16, String, Value) {
    let reply = api.send("POST", &format!("{BASE_PATH}/status"), headers, Some(body));
    let number = api.get("/sandbox/exchanges?limit=1")["exchanges"][0]["id"].as_u64().unwrap();
    let description = reply.json()["errorDescription"].as_str().unwrap().to_owned();
    (reply.status, description, api.get(&format!("/sandbox/exchanges/{number}")))
}

#[test]
fn refusal_names_each_signing_mistake() {
    let (own, service, unknown) =
        (ForeignKey::generate("own"), ForeignKey::generate("service"), ForeignKey::generate("unknown"));
    let sandbox = Sandbox::start(Options {
        merchant: Some(("shop".to_owned(), own.public_key())),
        server_private_key: Some(service.private_key()),
        ..options()
    })
    .unwrap();
    let api = Api::of(&sandbox);
    let body = r#"{"orderId":"sb-1","note":"тест"}"#;
    let good = own.signature(body.as_bytes());
    let raw = own.sign(body.as_bytes());
    let digest = openssl(&["dgst", "-sha256", "-binary"], body.as_bytes());
    let of = |content: &[u8]| vec![own.signature(content)];
    let python = r#"{"orderId": "sb-1", "note": "\u0442\u0435\u0441\u0442"}"#;
    let cases: Vec<(&str, &str, Vec<String>, &str)> = vec![
        ("missing_signature", "shop", vec![], body),
        ("missing_signature", "shop", vec![String::new()], body),
        ("repeated_signature", "shop", vec![good.clone(), good.clone()], body),
        ("signature_encoding", "shop", vec![hexadecimal(&raw)], body),
        ("signature_encoding", "shop", vec![STANDARD_NO_PAD.encode(&raw)], body),
        ("signature_encoding", "shop", vec![format!("\"{good}\"")], body),
        ("signature_encoding", "shop", vec![STANDARD.encode(&raw[..63])], body),
        ("body_changed", "shop", of(python.as_bytes()), body),
        ("body_changed", "shop", vec![good.clone()], python),
        ("body_changed", "shop", of(r#"{"note":"тест","orderId":"sb-1"}"#.as_bytes()), body),
        ("body_changed", "shop", vec![good.clone()], "{\"orderId\":\"sb-1\",\"note\":\"тест\"}\n"),
        ("body_changed", "shop", vec![good.clone()], "\u{feff}{\"orderId\":\"sb-1\",\"note\":\"тест\"}"),
        ("body_changed", "shop", of(b"{\n\"orderId\":\"sb-1\"\n}"), "{\r\n\"orderId\":\"sb-1\"\r\n}"),
        ("digest_signed", "shop", of(&digest), body),
        ("digest_signed", "shop", of(hexadecimal(&digest).as_bytes()), body),
        ("digest_signed", "shop", of(STANDARD.encode(&digest).as_bytes()), body),
        ("wrong_key", "shop", vec![service.signature(body.as_bytes())], body),
        ("key_id", "", vec![good.clone()], body),
        ("key_id", "Shop", vec![good.clone()], body),
        ("key_id", sandbox.server_key_id(), vec![good.clone()], body),
        ("not_explained", "shop", vec![unknown.signature(body.as_bytes())], body),
        ("not_explained", "shop", of(br#"{"orderId":"sb-2"}"#), body),
    ];
    for (cause, key_id, signatures, body) in cases {
        let key_id = Some(("X-KeyId", key_id)).filter(|(_, key_id)| !key_id.is_empty());
        let signatures = signatures.iter().map(|signature| ("X-Signature", signature.as_str()));
        let headers: Vec<(&str, &str)> = key_id.into_iter().chain(signatures).collect();
        let (status, description, record) = ask(&api, &headers, body);
        let explanation = &record["explanation"];
        assert_eq!((status, record["cause"].as_str()), (401, Some(cause)), "{headers:?} {body}: {record}");
        assert_eq!((&record["verified"], &explanation["cause"]), (&false.into(), &record["cause"]));
        let hint = explanation["hint"].as_str().unwrap();
        assert_eq!(description, format!("invalid signature ({cause}): {hint}"));
        let has_signed_bytes = matches!(cause, "body_changed" | "digest_signed");
        assert_eq!(explanation["signed"].is_object(), has_signed_bytes, "{record}");
        assert!(!record["explanation"].to_string().contains("privateKey"));
    }

    let (_, _, record) =
        ask(&api, &[("X-KeyId", "shop"), ("X-Signature", &own.signature(python.as_bytes()))], body);
    assert_eq!(record["request"]["body"]["text"], body);
    assert_eq!(record["explanation"]["signed"]["text"], python, "the bytes that were signed");
    assert_eq!(record["explanation"]["firstDifference"], 11, "the blank after the first colon");

    // URL_SAFE differs from standard base64 only if the signature contains one of two characters.
    let url_safe = (0..).map(|number| format!(r#"{{"orderId":"sb-{number}"}}"#));
    let (url_safe, text) = url_safe
        .map(|body| (URL_SAFE_NO_PAD.encode(own.sign(body.as_bytes())), body))
        .find(|(signature, _)| signature.contains(['-', '_']))
        .unwrap();
    let (_, description, _) = ask(&api, &[("X-KeyId", "shop"), ("X-Signature", &url_safe)], &text);
    assert!(description.contains("base64url"), "{description}");

    let (status, description, record) = ask(&api, &[("X-KeyId", "shop"), ("X-Signature", &good)], body);
    assert_eq!((status, description.as_str()), (404, "order not found"));
    assert_eq!(
        (&record["cause"], &record["explanation"], &record["verified"]),
        (&Value::Null, &Value::Null, &true.into())
    );
}

#[test]
fn unknown_endpoints_are_refused_and_recorded() {
    let sandbox = Sandbox::start(options()).unwrap();
    let api = Api::of(&sandbox);
    let newest = || api.get("/sandbox/exchanges")["exchanges"].clone();
    let pay = "/api/v1/merchant/pay";
    for (method, path, status, description) in [
        (
            "POST",
            format!("{pay}{pay}/new"),
            404,
            "no such endpoint: newPayment is at /api/v1/merchant/pay/new; the base URL is the part before it",
        ),
        (
            "POST",
            format!("{pay}/getStatus"),
            404,
            "no such endpoint: getStatus is at /api/v1/merchant/pay/status; the base URL is the part before it",
        ),
        (
            "POST",
            format!("{pay}/status/"),
            404,
            "no such endpoint: getStatus is at /api/v1/merchant/pay/status; the base URL is the part before it",
        ),
        ("POST", "/pay".to_owned(), 404, "no such endpoint: the endpoints are below /api/v1/merchant/pay"),
        ("PUT", format!("{pay}/confirm"), 405, "only POST is allowed"),
    ] {
        let reply = api.send(method, &path, &[("X-KeyId", "shop")], Some("{}"));
        assert_eq!((reply.status, reply.json()["errorDescription"].as_str()), (status, Some(description)));
        assert!(is_signed(&reply, &sandbox.server_public_key()), "{method} {path}");
        let record = &newest()[0];
        assert_eq!((record["method"].as_str(), record["path"].as_str()), (Some(method), Some(path.as_str())));
        assert_eq!((&record["httpStatus"], &record["cause"]), (&status.into(), &"missing_signature".into()));
    }
    let large = "x".repeat(33 * 1024 * 1024);
    assert_eq!(api.send("POST", &format!("{pay}/new"), &[], Some(&large)).status, 413);
    let record = &newest()[0];
    assert_eq!((&record["operation"], &record["verified"]), (&"newPayment".into(), &Value::Null));
    let before = newest();
    assert_eq!(api.send("GET", "/apple-touch-icon.png", &[], None).status, 404);
    assert_eq!(newest(), before, "a browser that looks for an icon is not a merchant");
}
