//! What ureq's stable API does not give, through its `unversioned` one (the version is pinned in Cargo.toml; this is the
//! only file that uses it): whether a byte of the request was written, TLS sessions that are resumed, and a resolver that remembers.

use std::cell::Cell;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};
use ureq::{Agent, Error};

use super::names::{self, Names};

pub(super) fn agent(config: Config, names: Arc<Names>) -> Agent {
    Agent::with_parts(config, WatchingConnector(DefaultConnector::default()), RememberingResolver(names))
}

thread_local! {
    /// A call runs on its caller's thread from beginning to end, so the thread knows which call a write belongs to.
    static WRITTEN: Cell<bool> = const { Cell::new(false) };
    /// What is written while a connection is opened (TLS, a proxy's CONNECT) is not the request.
    static OPENING: Cell<bool> = const { Cell::new(false) };
}

/// Forgets what was written on this thread before.
pub(super) fn watch_writes() {
    WRITTEN.set(false);
    OPENING.set(false);
}

/// Whether a byte of a request may have been written on this thread since [`watch_writes`].
pub(super) fn was_written() -> bool {
    WRITTEN.get()
}

/// Opens connections as ureq does, and watches what is written to them.
#[derive(Debug)]
struct WatchingConnector(DefaultConnector);

impl Connector for WatchingConnector {
    type Out = WatchedTransport;

    fn connect(&self, details: &ConnectionDetails, chained: Option<()>) -> Result<Option<WatchedTransport>, Error> {
        // A connection through a proxy is opened within the opening of another.
        let outer = OPENING.replace(true);
        // ureq remembers TLS settings and sessions for requests under the agent's own settings alone. Ours differ from them
        // in the deadline only.
        let details = ConnectionDetails {
            uri: details.uri,
            addrs: details.addrs.clone(),
            config: details.config,
            request_level: false,
            resolver: details.resolver,
            now: details.now,
            timeout: details.timeout,
            current_time: Arc::clone(&details.current_time),
            run_connector: Arc::clone(&details.run_connector),
            register_shutdown: Arc::clone(&details.register_shutdown),
        };
        let connected = self.0.connect(&details, chained);
        OPENING.set(outer);
        Ok(connected?.map(WatchedTransport))
    }
}

#[derive(Debug)]
struct WatchedTransport(Box<dyn Transport>);

impl Transport for WatchedTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        // Before the write: one that fails may have written a part.
        if amount > 0 && !OPENING.get() {
            WRITTEN.set(true);
        }
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.0.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

/// Asks our memory for addresses. ureq asks its resolver on every call, also for a connection that is open already, and its
/// own one starts a thread each time.
#[derive(Debug)]
struct RememberingResolver(Arc<Names>);

impl Resolver for RememberingResolver {
    fn resolve(&self, uri: &Uri, _: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let name = uri.scheme().zip(uri.authority()).and_then(|(scheme, authority)| DefaultResolver::host_and_port(scheme, authority));
        let name = name.ok_or_else(|| Error::BadUri("it has no host".to_owned()))?;
        let found = match name.parse() {
            Ok(address) => vec![address],
            Err(_) => self.0.find(&name, *timeout.after).map_err(|fault| match fault {
                names::Fault::TooLate => Error::Timeout(timeout.reason),
                names::Fault::NotFound => Error::HostNotFound,
                names::Fault::Failed(error) => Error::Io(error),
            })?,
        };
        let mut addresses = self.empty();
        found.into_iter().take(MOST_ADDRESSES).for_each(|address| addresses.push(address));
        Ok(addresses)
    }
}

/// As many as ureq has room for.
const MOST_ADDRESSES: usize = 16;
