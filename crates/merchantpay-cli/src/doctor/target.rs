//! The server that a URL leads to.

use std::net::IpAddr;

use axum::http::Uri;

/// The server that a URL names.
pub(super) struct Target {
    pub host: String,
    pub port: u16,
    pub has_tls: bool,
    pub path: String,
}

/// Returns `true` if the text of the URL names this machine.
pub(super) fn is_local(url: &str) -> bool {
    let is_loopback = |host: &str| host.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    Target::of(url).is_some_and(|target| target.host == "localhost" || is_loopback(&target.host))
}

impl Target {
    /// Returns `None` unless the text is an absolute http or https URL without a user name.
    pub(super) fn of(url: &str) -> Option<Target> {
        let uri: Uri = url.parse().ok()?;
        let has_tls = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if has_tls { 443 } else { 80 });
        Some(Target { host, port, has_tls, path: uri.path().to_owned() })
            .filter(|target| !target.host.is_empty())
    }

    /// The host and port, in the form that the header `Host` and the request for a tunnel use.
    pub(super) fn authority(&self) -> String {
        let Target { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// The URL without its path.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", if self.has_tls { "https" } else { "http" }, self.authority())
    }
}
