//! Who may talk to the sandbox, and to whom it sends webhooks: whoever chooses a webhook's URL makes this machine
//! send a request there.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{self, AsHeaderName};
use axum::http::{HeaderMap, HeaderValue, Request, Uri};

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
            // DNS rebinding needs a name: an address cannot be made to resolve to another machine.
            Ok(address) => {
                self.listens_on.is_unspecified() || address == self.listens_on || address.is_loopback()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        }
    }

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

    /// Whether both headers name the same host. https is accepted only for a configured name, where a proxy may add
    /// TLS.
    pub(crate) fn is_origin(&self, origin: &str, host: &str) -> bool {
        let plain = origin.strip_prefix("http://");
        let from =
            plain.or_else(|| origin.strip_prefix("https://").filter(|_| self.is_named(without_port(host))));
        from.is_some_and(|from| from.eq_ignore_ascii_case(host))
    }

    /// A `Host` without a name is nobody's, even if an empty name was given.
    fn is_named(&self, name: &str) -> bool {
        !name.is_empty() && self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The host of an absolute target replaces the header (RFC 9112, 3.2.2), so that every check sees the same one.
pub fn with_targets_host<B>(mut request: Request<B>) -> Request<B> {
    let host = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(header::HOST, host);
    }
    request
}

/// `None` if the URL is invalid. It must have no path, because the console's links begin at the root.
pub(crate) fn host_of_public_url(url: &str) -> Option<String> {
    let uri = url.parse::<Uri>().ok()?;
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    let is_root = uri.path_and_query().is_none_or(|path| path.as_str() == "/");
    let usable = matches!(scheme, "http" | "https") && is_root && !authority.as_str().contains('@');
    usable.then(|| without_port(authority.as_str()).to_owned()).filter(|host| !host.is_empty())
}

pub(crate) fn once<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        _ => Err(()),
    }
}

/// The values of a repeated header are joined, as proxies do, so that no single value is used.
pub fn joined(headers: &HeaderMap, name: impl AsHeaderName) -> Option<String> {
    let texts: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Empty if what follows the host is no port.
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

pub(crate) struct WebhookHosts {
    pub(crate) own_receiver: String,
    /// Each with or without a port.
    pub(crate) named: Vec<String>,
    /// Nobody can choose another host than the named ones and the sandbox's own receiver.
    pub(crate) only_named: bool,
}

impl WebhookHosts {
    pub(crate) fn allows(&self, url: &str) -> bool {
        !self.only_named || self.is_named(url)
    }

    /// A merchant of the network can choose a named host, or have its webhooks sent back to itself.
    pub(crate) fn allows_from(&self, peer: Peer, url: &str) -> bool {
        if peer.is_this_machine() {
            return self.allows(url);
        }
        self.is_named(url) || (!self.only_named && address(url) == Some(peer.address()))
    }

    fn is_named(&self, url: &str) -> bool {
        // The HTTP client parses URLs with the same type, so that no URL means another host there.
        let Ok(uri) = url.parse::<Uri>() else { return false };
        let Some(host) = uri.host() else { return false };
        let default_port = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let with_port = format!("{host}:{}", uri.port_u16().unwrap_or(default_port));
        let bare = without_brackets(host);
        url == self.own_receiver
            || self
                .named
                .iter()
                .any(|named| [host, bare, &with_port].iter().any(|one| one.eq_ignore_ascii_case(named)))
    }
}

fn address(url: &str) -> Option<IpAddr> {
    let uri = url.parse::<Uri>().ok()?;
    without_brackets(uri.host()?).parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn without_brackets(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}
