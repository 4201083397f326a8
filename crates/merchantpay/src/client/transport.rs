//! How ureq reaches the service, through its `unversioned` API (the version is pinned in Cargo.toml; this file and
//! `socket.rs` are all that use it): a request in one write, connections that were closed while they were kept found before
//! they cost a call, and a resolver that remembers.

use std::io;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout};
use ureq::{Agent, Error, Timeout};

use super::call;
use super::dns_cache::{self, DnsCache};
use super::request_transport::RequestTransport;
use super::socket::SocketConnector;
use super::tls::TlsConnector;
use super::tls_settings::TlsConfigs;
use crate::config::LONGEST;

pub(super) fn agent(config: Config, dns_cache: Arc<DnsCache>, tls: TlsConfigs) -> Agent {
    let has_proxy = config.proxy().is_some();
    let connector = ConnectProxyConnector::default().chain(SocketConnector { has_proxy }).chain(TlsConnector::new(tls, has_proxy));
    Agent::with_parts(config, OpeningConnector(connector), CachingResolver(dns_cache))
}

/// Says that what is written while a connection is opened is not the request.
#[derive(Debug)]
struct OpeningConnector<C>(C);

impl<C: Connector<()>> Connector<()> for OpeningConnector<C> {
    type Out = RequestTransport;

    fn connect(&self, details: &ConnectionDetails, chained: Option<()>) -> Result<Option<RequestTransport>, Error> {
        call::opening(*details.timeout.after, |within_another| {
            let transport = self.0.connect(details, chained)?;
            let is_direct = details.config.proxy().is_none() && !within_another;
            Ok(transport.map(|transport| RequestTransport::new(Box::new(transport), is_direct, within_another)))
        })
    }
}

/// Asks our memory for addresses. ureq asks its resolver on every call, also for a connection that is open already, and its
/// own one starts a thread each time.
#[derive(Debug)]
struct CachingResolver(Arc<DnsCache>);

impl Resolver for CachingResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let name = uri.scheme().zip(uri.authority()).and_then(|(scheme, authority)| DefaultResolver::host_and_port(scheme, authority));
        let name = name.ok_or_else(|| Error::BadUri("it has no host".to_owned()))?;
        let found = match name.parse() {
            Ok(address) => vec![address],
            Err(_) => call::looking_up(config.timeouts().connect.unwrap_or(LONGEST), || {
                self.0.find(&name, call::left().min(*timeout.after)).map_err(|fault| match fault {
                    dns_cache::Fault::TooLate => Error::Timeout(if call::must_open_sooner() { Timeout::Connect } else { Timeout::Global }),
                    dns_cache::Fault::NotFound => Error::HostNotFound,
                    dns_cache::Fault::Failed(error) => Error::Io(error),
                    dns_cache::Fault::Interrupted => Error::Io(io::ErrorKind::Interrupted.into()),
                })
            })?,
        };
        let mut addresses = self.empty();
        found.into_iter().take(MOST_ADDRESSES).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

/// As many as ureq has room for.
const MOST_ADDRESSES: usize = 16;

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_look_up_may_take_no_longer_than_opening_a_connection() {
        let resolver = CachingResolver(Arc::new(DnsCache::without_an_answer("slow:80")));
        let uri: Uri = "http://slow".parse().unwrap();
        let config = Agent::config_builder().timeout_connect(Some(Duration::from_millis(1))).build();
        let reason = |end| match call::during(end, &Arc::default(), || resolver.resolve(&uri, &config, NextTimeout::default())) {
            Err(Error::Timeout(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(Instant::now() + LONGEST), Timeout::Connect);
        assert_eq!(reason(Instant::now()), Timeout::Global);
    }
}
