//! Reads any texts as a base URL and, on the second line, a proxy's URL. Each text must be accepted, or
//! refused as an invalid argument. Plain http may be accepted only for loopback without a proxy. No error may
//! show a password.
#![no_main]

mod common;

use std::net::{Ipv4Addr, Ipv6Addr};

use common::{KEY, MERCHANT_KEY};
use libfuzzer_sys::fuzz_target;
use merchantpay::{Client, Code, Config};

/// The host of an http URL in lower case, according to RFC 3986.
fn http_host(url: &str) -> Option<String> {
    let url = url.to_ascii_lowercase();
    let authority = url.strip_prefix("http://")?.split(['/', '?', '#']).next()?;
    assert!(!authority.contains('@'), "credentials");
    if authority.starts_with('[') {
        return authority.split_inclusive(']').next().map(str::to_owned);
    }
    authority.split(':').next().map(str::to_owned)
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (url, proxy) = text.split_once('\n').unwrap_or((text, ""));
    let mut config = Config::new(url, "merchant", MERCHANT_KEY.clone(), KEY.public_key());
    if !proxy.is_empty() {
        config = config.proxy(proxy);
        let password = proxy.split('@').next().and_then(|before| before.rsplit(':').next());
        let is_secret = |text: &&str| proxy.contains('@') && text.len() >= 12 && !url.contains(*text);
        if let Some(password) = password.filter(is_secret) {
            assert!(!format!("{config:?}").contains(password));
        }
    }
    match Client::new(config) {
        Ok(_) => {
            let Some(host) = http_host(url) else { return };
            assert!(proxy.is_empty(), "{text}");
            let is_loopback = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(address) => address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()),
                None => {
                    host == "localhost" || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
                }
            };
            assert!(is_loopback, "{url}");
        }
        Err(error) => {
            assert_eq!(error.code(), Code::InvalidArgument, "{error}");
            assert!(error.message().len() < 2000 + text.len());
        }
    }
});
