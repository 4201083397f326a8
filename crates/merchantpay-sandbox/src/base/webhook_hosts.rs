//! The hosts to which the sandbox sends webhooks: whoever chooses a webhook's URL makes this machine send a
//! request there.

use std::net::IpAddr;

use axum::http::Uri;

use crate::base::own_hosts::Peer;

pub(crate) struct WebhookHosts {
    own_receiver: String,
    named: Vec<String>,
    only_named: bool,
}

impl WebhookHosts {
    /// `named` are hosts, each with or without a port. With `only_named`, nobody can choose another host than
    /// these and the sandbox's own receiver.
    pub(crate) fn new(own_receiver: String, named: Vec<String>, only_named: bool) -> WebhookHosts {
        WebhookHosts { own_receiver, named, only_named }
    }

    pub(crate) fn own_receiver(&self) -> &str {
        &self.own_receiver
    }

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

/// The address in a URL; `None` for a name.
fn address(url: &str) -> Option<IpAddr> {
    let uri = url.parse::<Uri>().ok()?;
    without_brackets(uri.host()?).parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn without_brackets(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    #[test]
    fn webhook_hosts_are_matched_as_the_client_connects() {
        let named = ["shop", "pay.test:8080", "192.0.2.7", "::1"].map(str::to_owned).to_vec();
        let hosts = WebhookHosts::new("http://127.0.0.1:8700/sandbox/receiver".to_owned(), named, true);
        for (url, allowed) in [
            ("http://shop/hook", true),
            ("https://SHOP:8443/hook?a", true),
            ("http://pay.test:8080/", true),
            ("http://pay.test/", false),
            ("http://192.0.2.7:1/", true),
            ("http://[::1]:9/", true),
            ("http://127.0.0.1:8700/sandbox/receiver", true),
            ("http://127.0.0.1:8700/sandbox/receiver?", false),
            ("http://127.0.0.1:8700/", false),
            ("http://shop@127.0.0.1/", false),
            ("http://shop:80@127.0.0.1/", false),
            ("http://shop.evil.example/", false),
            ("http://shop./", false),
            ("http://127.0.0.1#shop", false),
        ] {
            assert_eq!(hosts.allows(url), allowed, "{url}");
        }
    }

    #[test]
    fn merchant_of_the_network_chooses_only_itself() {
        let hosts = |only_named| WebhookHosts::new(String::new(), vec!["shop".to_owned()], only_named);
        let peer = |address: &str| Peer::new(SocketAddr::new(address.parse().unwrap(), 1));
        for (from, url, allowed) in [
            ("192.0.2.7", "http://192.0.2.7:5000/hook", true),
            ("::ffff:192.0.2.7", "http://192.0.2.7/", true),
            ("192.0.2.7", "http://shop/", true),
            ("192.0.2.7", "http://127.0.0.1:5000/", false),
            ("192.0.2.7", "http://localhost/", false),
            ("192.0.2.7", "http://169.254.169.254/", false),
            ("192.0.2.7", "http://192.0.2.8/", false),
            ("127.0.0.1", "http://192.0.2.8/", true),
            ("::ffff:127.0.0.1", "http://127.0.0.1/", true),
        ] {
            assert_eq!(hosts(false).allows_from(peer(from), url), allowed, "{from} {url}");
            assert_eq!(hosts(true).allows_from(peer(from), url), url == "http://shop/", "{from} {url}");
        }
    }
}
