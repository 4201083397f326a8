//! Reads any texts as a pin, a CA, a client certificate and its key, separated by lines `====`. Each text
//! must be accepted, or refused as an invalid argument. No error may quote the key.
#![no_main]

mod common;

use common::{KEY, MERCHANT_KEY};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Client, Code, Config, Result};

fn open(parts: &[&[u8]]) -> Result<Client> {
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    let mut config = Config::new("https://pay.example", "merchant", MERCHANT_KEY.clone(), KEY.public_key());
    if let Ok(pin) = std::str::from_utf8(part(0))
        && !pin.is_empty()
    {
        config = config.pin_spki(pin)?;
    }
    if !part(1).is_empty() {
        config = config.ca_pem(part(1)).exclusive_ca(true);
    }
    if !part(2).is_empty() || !part(3).is_empty() {
        config = config.client_certificate(part(2), part(3));
    }
    assert!(!format!("{config:?}").contains("PRIVATE KEY"));
    Client::new(config)
}

fuzz_target!(|data: &[u8]| {
    let mut parts = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(6).position(|window| window == b"\n====\n") {
        parts.push(&rest[..at]);
        rest = &rest[at + 6..];
    }
    parts.push(rest);
    let Err(error) = open(&parts) else { return };
    assert_eq!(error.code(), Code::InvalidArgument, "{error}");
    let key = String::from_utf8_lossy(parts.get(3).copied().unwrap_or_default()).into_owned();
    for line in key.lines().filter(|line| line.len() >= 16 && !line.contains(' ')) {
        assert!(!error.message().contains(line), "{error}");
    }
});
