//! URLs that a merchant configures: the base URL of the service, and the URLs for webhooks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::Uri;

use crate::error::{Error, Result};
use crate::setting_text::{TextRule, clean};

/// The path that comes before the path of each operation (contract, sections 1 and 9).
pub const BASE_PATH: &str = "/api/v1/merchant/pay";

/// Reads an absolute http or https URL with a host. It must not have a user name or a password, because logs and
/// proxies would show them.
pub(crate) fn absolute_url(url: &str) -> std::result::Result<Uri, &'static str> {
    const NOT_ABSOLUTE: &str =
        "must be an absolute http or https URL; write an international host name in punycode";
    let uri: Uri = url.parse().map_err(|_| NOT_ABSOLUTE)?;
    let authority = uri.authority().ok_or(NOT_ABSOLUTE)?;
    if authority.as_str().contains('@') {
        return Err("must not contain a user name or password");
    }
    let host = authority.host();
    // After the host only a port of 16 bits is allowed, or nothing.
    let is_plain = authority.as_str() == host
        || authority.port_u16().is_some_and(|port| authority.as_str() == format!("{host}:{port}"));
    let is_usable = matches!(uri.scheme_str(), Some("http" | "https")) && !host.is_empty() && is_plain;
    if is_usable { Ok(uri) } else { Err(NOT_ABSOLUTE) }
}

/// Checks the base URL, which ends before [`BASE_PATH`], and returns it without the spaces and line ends around
/// it. No error has a part of the URL.
pub(crate) fn check_base_url(url: &str, allow_http: bool) -> Result<&str> {
    let url = clean("base_url", TextRule::Token, url)?;
    let uri = base_url(url)?;
    // Behind a `/` in the password, which should be `%2F`: what comes before it would be the host and its port.
    if url.contains('@') {
        return Err(Error::about("base_url", "must not contain a user name or password"));
    }
    if uri.query().is_some() || url.contains('#') {
        return Err(Error::about("base_url", "must not have a query or a fragment"));
    }
    if format!("{}/", uri.path()).contains(&format!("{BASE_PATH}/")) {
        let fault = format!("must end before {BASE_PATH}, which the library adds");
        return Err(Error::about("base_url", fault));
    }
    if uri.scheme_str() == Some("http") && !allow_http && !uri.host().is_some_and(is_loopback) {
        let fault = "is plain http to another machine: use https, or set allow_http";
        return Err(Error::about("base_url", fault).naming(["allow_http"]));
    }
    Ok(url)
}

pub(crate) fn base_url(url: &str) -> Result<Uri> {
    absolute_url(url).map_err(|fault| Error::about("base_url", fault))
}

/// As the host is written: no name is looked up.
fn is_loopback(host: &str) -> bool {
    let is_v6 = |host: &str| host.parse::<Ipv6Addr>().is_ok_and(|address| IpAddr::V6(address).is_loopback());
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => is_v6(address),
        None => {
            host.eq_ignore_ascii_case("localhost")
                || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback_and_only_as_it_is_written() {
        for host in ["localhost", "LocalHost", "127.0.0.1", "127.255.255.254", "[::1]", "[0:0:0:0:0:0:0:1]"] {
            assert!(is_loopback(host), "{host}");
        }
        let names = ["localhost.", "localhost.example", "notlocalhost", "127.1", "127.0.0.1.example"];
        let addresses = ["128.0.0.1", "126.255.255.255", "0.0.0.0", "10.0.0.1"];
        for host in names.iter().chain(&addresses).chain(&["[::]", "[::2]", "[::ffff:127.0.0.1]", "::1"]) {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn plain_http_goes_to_another_machine_only_where_it_is_allowed() {
        for (url, strict, lenient) in [
            ("https://pay.example", true, true),
            ("HTTPS://pay.example", true, true),
            ("http://pay.example", false, true),
            ("HTTP://pay.example:80", false, true),
            ("http://10.0.0.1", false, true),
            ("http://localhost.example", false, true),
            ("http://localhost:8080", true, true),
            ("http://127.0.0.1:1/prefix", true, true),
            ("http://[::1]:1", true, true),
        ] {
            assert_eq!(check_base_url(url, false).is_ok(), strict, "{url}");
            assert_eq!(check_base_url(url, true).is_ok(), lenient, "{url}");
        }
    }

    #[test]
    fn a_base_url_that_cannot_be_used_is_refused_with_its_own_reason() {
        for (url, reason) in [
            ("pay.example", "absolute"),
            ("ftp://pay.example", "absolute"),
            ("https://", "absolute"),
            ("https://pay.example:99999", "absolute"),
            ("https://pay.example:", "absolute"),
            ("https://user@pay.example", "user name or password"),
            ("https://user:secret@pay.example", "user name or password"),
            ("https://:secret@pay.example/prefix?x=1", "user name or password"),
            ("https://user:12/secret@pay.example", "user name or password"),
            ("https://pay.example?x=1", "query"),
            ("https://pay.example/#x", "fragment"),
            ("https://pay.example/api/v1/merchant/pay", "must end before /api/v1/merchant/pay"),
            ("https://pay.example/api/v1/merchant/pay/", "must end before /api/v1/merchant/pay"),
            ("https://pay.example/prefix/api/v1/merchant/pay/new", "must end before /api/v1/merchant/pay"),
        ] {
            let error = check_base_url(url, true).expect_err(url);
            assert!(error.message().contains(reason), "{url}: {error}");
            assert!(!error.message().contains("secret"), "{url}: {error}");
        }
        for url in [
            "https://pay.example/api/v1/merchant/payments",
            "https://pay.example/api/v1",
            "https://pay.example/",
        ] {
            assert!(check_base_url(url, false).is_ok(), "{url}");
        }
    }
}
