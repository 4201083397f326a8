//! Connects ureq to the service, over a pooled or a new connection. This module uses ureq's `unversioned`
//! API, so Cargo.toml pins the version of ureq. The DNS cache resolves names.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectProxyConnector, ConnectionDetails, Connector, NextTimeout};
use ureq::{Agent, Error, Timeout};

use super::call_context;
use super::connections::Connections;
use super::dns_cache::{self, DnsCache};
use super::request_transport::RequestTransport;
use super::socket::SocketConnector;
use super::tls::TlsConnector;
use super::tls_settings::TlsConfigs;
use crate::config::LONGEST;

pub(super) fn agent(
    config: Config,
    dns_cache: Arc<DnsCache>,
    connections: Arc<Connections>,
    tls: TlsConfigs,
) -> Agent {
    let has_proxy = config.proxy().is_some();
    let opening =
        ConnectProxyConnector::default().chain(SocketConnector).chain(TlsConnector::new(tls, has_proxy));
    Agent::with_parts(
        config,
        KeepingConnector { opening, connections: Arc::clone(&connections) },
        CachingResolver { dns_cache, connections },
    )
}

/// Takes a pooled connection if the call may use one. Otherwise opens a connection. The bytes that are
/// written to open a connection are not bytes of the request.
#[derive(Debug)]
struct KeepingConnector<C> {
    opening: C,
    connections: Arc<Connections>,
}

impl<C: Connector<()>> Connector<()> for KeepingConnector<C> {
    type Out = RequestTransport;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<RequestTransport>, Error> {
        // While a tunnel is being opened, no pooled connection is taken for the connection to the proxy.
        if !call_context::is_opening()
            && let Some(open) = self.connections.take(call_context::selection(), Instant::now())
        {
            call_context::note_reuse();
            return Ok(Some(RequestTransport::new(open, false)));
        }
        let opened = call_context::opening(*details.timeout.after, |within_another| {
            let transport = self.opening.connect(details, chained)?;
            Ok(transport.map(|transport| RequestTransport::new(Box::new(transport), within_another)))
        });
        match opened {
            Ok(Some(opened)) if call_context::only_opens() && !call_context::is_opening() => {
                call_context::give_back(opened.into_unused());
                Err(Error::Io(io::Error::other(OpenedAhead)))
            }
            opened => opened,
        }
    }
}

/// The error that ends a call that only opens a connection.
#[derive(Debug)]
struct OpenedAhead;

impl fmt::Display for OpenedAhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is open")
    }
}

impl std::error::Error for OpenedAhead {}

pub(super) fn was_opened_ahead(failure: &Error) -> bool {
    matches!(failure, Error::Io(error) if error.get_ref().is_some_and(|error| error.is::<OpenedAhead>()))
}

/// Reads addresses from the cache. ureq calls its resolver on every call, even with a pooled connection.
/// ureq's own resolver would start a thread each time.
#[derive(Debug)]
struct CachingResolver {
    dns_cache: Arc<DnsCache>,
    connections: Arc<Connections>,
}

impl Resolver for CachingResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let name = uri
            .scheme()
            .zip(uri.authority())
            .and_then(|(scheme, authority)| DefaultResolver::host_and_port(scheme, authority));
        let name = name.ok_or_else(|| Error::BadUri("it has no host".to_owned()))?;
        let found = match name.parse() {
            Ok(address) => vec![address],
            Err(_) => call_context::looking_up(config.timeouts().connect.unwrap_or(LONGEST), || {
                // With a pooled connection the addresses are not needed.
                let waits = !self.connections.has(call_context::selection(), Instant::now());
                self.dns_cache.find(&name, waits, call_context::left().min(*timeout.after)).map_err(|fault| {
                    match fault {
                        dns_cache::Fault::TooLate => Error::Timeout(if call_context::must_open_sooner() {
                            Timeout::Connect
                        } else {
                            Timeout::Global
                        }),
                        dns_cache::Fault::NotFound => Error::HostNotFound,
                        dns_cache::Fault::Failed(error) => Error::Io(error),
                        dns_cache::Fault::Interrupted => Error::Io(io::ErrorKind::Interrupted.into()),
                    }
                })
            })?,
        };
        let mut addresses = self.empty();
        found.into_iter().take(MOST_ADDRESSES).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

/// The largest number of addresses that ureq accepts.
const MOST_ADDRESSES: usize = 16;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::call_context::Plan;
    use super::super::connections::{IdleLimits, Selection};
    use super::*;

    #[test]
    fn a_look_up_may_take_no_longer_than_opening_a_connection() {
        let limits = IdleLimits { used: Duration::ZERO, unused: Duration::ZERO };
        let resolver = CachingResolver {
            dns_cache: Arc::new(dns_cache::tests::without_an_answer()),
            connections: Arc::new(Connections::new(limits)),
        };
        let uri: Uri = "http://slow".parse().unwrap();
        let config = Agent::config_builder().timeout_connect(Some(Duration::from_millis(1))).build();
        let plan = |end| Plan { end, selection: Selection::New, reuse_limit: None, only_opens: false };
        let reason = |end| match call_context::during(plan(end), &Arc::default(), || {
            resolver.resolve(&uri, &config, NextTimeout::default())
        }) {
            Err(Error::Timeout(reason)) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(reason(Instant::now() + LONGEST), Timeout::Connect);
        assert_eq!(reason(Instant::now()), Timeout::Global);
    }
}
