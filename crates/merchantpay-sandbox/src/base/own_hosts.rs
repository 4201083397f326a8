//! Who may talk to the sandbox: its own names and addresses, which a `Host` header may have, and the address of
//! a connection's client.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, Uri, header};

const FOREIGN_HOST: &str = "Host must be the address where the sandbox listens, or a name that --allow-host \
     or --public-url gives";
const FOREIGN_PAGE: &str = "refused: the request comes from a page of another site";

/// The address on which a sandbox listens, and further names of the machine.
pub struct OwnHosts {
    listens_on: IpAddr,
    names: Vec<String>,
}

impl OwnHosts {
    /// The names and addresses of a server that listens on this address.
    pub fn new(listens_on: IpAddr, names: Vec<String>) -> OwnHosts {
        OwnHosts { listens_on, names }
    }

    /// The address on which the sandbox listens.
    pub fn listens_on(&self) -> IpAddr {
        self.listens_on
    }

    /// Returns `true` if a `Host` header names the sandbox. The port may differ, because it may be forwarded.
    pub fn contains(&self, host: &str) -> bool {
        let name = without_port(host);
        if self.is_named(name) {
            return true;
        }
        match name.parse::<IpAddr>() {
            // A DNS rebinding attack needs a name, because an address cannot be made to resolve to another
            // machine.
            Ok(address) => {
                self.listens_on.is_unspecified() || address == self.listens_on || address.is_loopback()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }

    /// The reason to refuse a request that a browser can send for a page of another site.
    pub(crate) fn refusal(&self, headers: &HeaderMap) -> Option<&'static str> {
        let host = match once(headers, header::HOST.as_str()) {
            Ok(Some(host)) if self.contains(host) => host,
            // DNS rebinding: another site's name resolves to this address.
            _ => return Some(FOREIGN_HOST),
        };
        match once(headers, header::ORIGIN.as_str()) {
            Ok(None) => {}
            Ok(Some(origin)) if self.is_origin(origin, host) => {}
            _ => return Some(FOREIGN_PAGE),
        }
        match once(headers, "sec-fetch-site") {
            Ok(None | Some("same-origin" | "none")) => None,
            _ => Some(FOREIGN_PAGE),
        }
    }

    /// Returns `true` if an `Origin` header has the same host as this `Host` header. An origin with https is
    /// accepted only for a configured name, because a proxy may add TLS there.
    pub(crate) fn is_origin(&self, origin: &str, host: &str) -> bool {
        let plain = origin.strip_prefix("http://");
        let from =
            plain.or_else(|| origin.strip_prefix("https://").filter(|_| self.is_named(without_port(host))));
        from.is_some_and(|from| from.eq_ignore_ascii_case(host))
    }

    fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The host of a public URL; `None` if the URL is invalid. The URL must have no path, because the console's
/// links begin at the root.
pub(crate) fn host_of_public_url(url: &str) -> Option<String> {
    let uri = url.parse::<Uri>().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let is_root = uri.path_and_query().is_none_or(|path| path.as_str() == "/");
    let usable = matches!(scheme, "http" | "https") && is_root && !authority.as_str().contains('@');
    usable.then(|| without_port(authority.as_str()).to_owned()).filter(|host| !host.is_empty())
}

/// The header's value, if there is one; `Err` if it is repeated or is not text.
pub(crate) fn once<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        _ => Err(()),
    }
}

/// The host without its port; empty if what follows the host is no port.
fn without_port(host: &str) -> &str {
    let (name, rest) = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').unwrap_or_default(),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = rest.is_empty()
        || rest.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    if is_port { name } else { "" }
}

/// A client's address. An IPv4 client of a socket that listens on `::` has its IPv4 address here.
#[derive(Clone, Copy)]
pub(crate) struct Peer(IpAddr);

impl Peer {
    pub(crate) fn new(address: SocketAddr) -> Peer {
        Peer(address.ip().to_canonical())
    }

    pub(crate) fn address(self) -> IpAddr {
        self.0
    }

    pub(crate) fn is_this_machine(self) -> bool {
        self.0.is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(listens_on: &str) -> OwnHosts {
        OwnHosts::new(listens_on.parse().unwrap(), vec!["Sandbox.test".to_owned()])
    }

    #[test]
    fn only_the_sandboxs_own_host_is_answered() {
        let cases = [
            ("127.0.0.1", "127.0.0.1:8700", true),
            ("127.0.0.1", "localhost:8700", true),
            ("127.0.0.1", "LOCALHOST", true),
            ("127.0.0.1", "[::1]:8700", true),
            ("127.0.0.1", "sandbox.test:8700", true),
            ("127.0.0.1", "sandbox.test.evil.example", false),
            ("127.0.0.1", "evil.example:8700", false),
            ("127.0.0.1", "127.0.0.1.evil.example", false),
            ("127.0.0.1", "localhost.evil.example", false),
            ("127.0.0.1", "localhost:evil.example", false),
            ("127.0.0.1", "[::1]x", false),
            ("127.0.0.1", "192.168.0.7:8700", false),
            ("127.0.0.1", "", false),
            ("192.168.0.7", "192.168.0.7:8700", true),
            ("192.168.0.7", "localhost:8700", true),
            ("192.168.0.7", "192.168.0.8:8700", false),
            ("0.0.0.0", "192.168.0.7:8700", true),
            ("0.0.0.0", "localhost", true),
            ("0.0.0.0", "evil.example", false),
        ];
        for (listens_on, host, own) in cases {
            assert_eq!(hosts(listens_on).contains(host), own, "{listens_on} {host}");
        }
    }

    #[test]
    fn only_a_given_name_has_pages_with_tls() {
        let hosts = hosts("127.0.0.1");
        for (origin, host, own) in [
            ("http://localhost:8700", "localhost:8700", true),
            ("http://localhost:8701", "localhost:8700", false),
            ("https://localhost:8700", "localhost:8700", false),
            ("https://sandbox.test", "sandbox.test", true),
            ("http://sandbox.test", "sandbox.test", true),
            ("https://sandbox.test", "localhost:8700", false),
            ("null", "sandbox.test", false),
        ] {
            assert_eq!(hosts.is_origin(origin, host), own, "{origin} {host}");
        }
    }

    #[test]
    fn a_public_url_has_a_host_and_no_path() {
        for (url, host) in [
            ("https://pay.test", Some("pay.test")),
            ("http://sandbox:8700/", Some("sandbox")),
            ("http://[::1]:80", Some("::1")),
            ("https://pay.test/sandbox", None),
            ("https://pay.test/?a", None),
            ("https://user@pay.test", None),
            ("ftp://pay.test", None),
            ("pay.test", None),
            ("", None),
        ] {
            assert_eq!(host_of_public_url(url).as_deref(), host, "{url}");
        }
    }
}
