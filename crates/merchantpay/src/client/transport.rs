//! What ureq's stable API does not give, through its `unversioned` one (the version is pinned in Cargo.toml; this is the
//! only file that uses it): whether a byte of the request was written, and a resolver that remembers.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};
use ureq::{Agent, Error};

pub(super) fn agent(config: Config, names: Arc<Names>) -> Agent {
    Agent::with_parts(config, WatchingConnector(DefaultConnector::default()), RememberingResolver(names, DefaultResolver::default()))
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
        let connected = self.0.connect(details, chained);
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

/// How long a name's addresses are remembered.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The addresses of the last name that was looked up. A client has one service, and at most one proxy.
#[derive(Default)]
pub(super) struct Names(Mutex<Option<Known>>);

struct Known {
    name: String,
    addresses: ResolvedSocketAddrs,
    since: Instant,
}

impl Names {
    /// After a failure to connect: the addresses may have changed.
    pub(super) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn recall(&self, name: &str) -> Option<ResolvedSocketAddrs> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|known| known.name == name && known.since.elapsed() < REMEMBERED).map(|known| known.addresses.clone())
    }

    fn learn(&self, name: String, addresses: ResolvedSocketAddrs) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Known { name, addresses, since: Instant::now() });
    }
}

/// ureq asks its resolver on every call, also for a connection that is open already, and its own one starts a thread to
/// keep the deadline. This one asks it once in [`REMEMBERED`].
struct RememberingResolver(Arc<Names>, DefaultResolver);

impl Resolver for RememberingResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let name = uri.scheme().zip(uri.authority()).and_then(|(scheme, authority)| DefaultResolver::host_and_port(scheme, authority));
        let Some(name) = name else { return self.1.resolve(uri, config, timeout) };
        if let Ok(address) = name.parse() {
            let mut addresses = self.empty();
            addresses.push(address);
            return Ok(addresses);
        }
        if let Some(addresses) = self.0.recall(&name) {
            return Ok(addresses);
        }
        let addresses = self.1.resolve(uri, config, timeout)?;
        self.0.learn(name, addresses.clone());
        Ok(addresses)
    }
}

impl fmt::Debug for RememberingResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RememberingResolver")
    }
}
