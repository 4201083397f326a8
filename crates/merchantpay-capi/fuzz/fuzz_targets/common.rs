//! What the fuzz targets share: the keys of both sides, and checks of what the library returns.
#![allow(dead_code, reason = "each target uses a part of it")]

use std::sync::LazyLock;

use merchantpay::{Config, Error, PrivateKey, Protocol, Signature, SignedRequest};

/// Keys for these targets only. One seed consists of 0x11 bytes, the other of 0x22 bytes.
const MERCHANT: &str =
    "ERERERERERERERERERERERERERERERERERERERERERHQSrIydCu0qzoTaL1GFeTm0CJKtxoBa6+FIKMyyXeHNw==";
const SERVER: &str =
    "IiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiKgmqX0emdZgC/5VfjcLSoUpcmdI76X+GQSf/k4NFWk8A==";

pub static KEY: LazyLock<PrivateKey> = LazyLock::new(|| PrivateKey::from_base64(SERVER).expect("the key"));

pub static MERCHANT_KEY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::from_base64(MERCHANT).expect("the key"));

pub static PROTOCOL: LazyLock<Protocol> = LazyLock::new(|| config().protocol().expect("a protocol"));

/// Settings with `KEY` as the service's key.
pub fn config() -> Config {
    Config::new("https://pay.example", "merchant", MERCHANT_KEY.clone(), KEY.public_key())
}

/// The signature in the input; `sign` means the correct signature.
pub fn signature(text: &str, body: &[u8]) -> String {
    if text == "sign" { KEY.sign(body).to_base64() } else { text.to_owned() }
}

pub fn check_error(error: &Error) {
    assert!(error.message().len() < 2000, "{error}");
}

/// The body of a prepared request, whose signature must verify.
pub fn signed(request: &SignedRequest) -> &[u8] {
    let signature = Signature::from_base64(header(request, "X-Signature")).expect("a signature");
    assert!(MERCHANT_KEY.public_key().verifies(request.body(), &signature));
    request.body()
}

/// The value of a prepared request's header, which must occur exactly once.
pub fn header<'a>(request: &'a SignedRequest, wanted: &str) -> &'a str {
    let found: Vec<_> = request.headers().filter(|(name, _)| *name == wanted).collect();
    assert_eq!(found.len(), 1, "{wanted}");
    found[0].1
}
