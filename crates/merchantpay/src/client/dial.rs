//! Opens a connection to the service: TCP to one of the addresses, the tunnel of a proxy, and TLS. Nothing of a
//! request is written here.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use http::Uri;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use socket2::{Domain, Socket, Type};
use ureq::{Proxy, ProxyProtocol};

use super::failure::Cause;
use super::head::{append, read_head};
use super::interrupt::{INTERRUPTION_CHECK, RunningCall};
use super::names::Name;
use super::report::{ConnectionStep, Trace};
use super::stream::{Connection, Stream, Tcp, left};
use super::tls::Tls;
use super::tls_settings::TlsConfigs;

/// If an address has not answered after this time, the next one is tried too (RFC 8305, section 5).
const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

pub(super) struct Route {
    /// The service's host, in brackets if it is an IPv6 address.
    host: String,
    port: u16,
    pub(super) is_tls: bool,
    proxy: Option<ProxyHop>,
}

struct ProxyHop {
    host: String,
    port: u16,
    is_tls: bool,
    has_password: bool,
    /// The request that opens a tunnel to the service.
    connect: String,
}

impl Route {
    /// `url` must have a host.
    pub(super) fn new(url: &Uri, proxy: Option<&Proxy>, user_agent: &str) -> Route {
        let is_tls = url.scheme_str() == Some("https");
        let host = url.host().unwrap_or_default().to_owned();
        let port = url.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let proxy = proxy.map(|proxy| {
            let has_password = proxy.username().is_some() || proxy.password().is_some();
            let authorization = if has_password {
                let (user, password) = (proxy.username(), proxy.password());
                let pair = format!("{}:{}", user.unwrap_or_default(), password.unwrap_or_default());
                format!("Proxy-Authorization: Basic {}\r\n", BASE64_STANDARD.encode(pair))
            } else {
                String::new()
            };
            ProxyHop {
                host: proxy.host().to_owned(),
                port: proxy.port(),
                is_tls: proxy.protocol() == ProxyProtocol::Https,
                has_password,
                connect: format!(
                    "CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\nUser-Agent: {user_agent}\r\n\
                     Proxy-Connection: Keep-Alive\r\n{authorization}\r\n"
                ),
            }
        });
        Route { host, port, is_tls, proxy }
    }

    /// The host to which the client connects, its port, and whether it is a proxy.
    pub(super) fn first_hop(&self) -> (&str, u16, bool) {
        match &self.proxy {
            Some(proxy) => (&proxy.host, proxy.port, true),
            None => (&self.host, self.port, false),
        }
    }

    pub(super) fn name(&self) -> Arc<Name> {
        let (host, port, _) = self.first_hop();
        Name::new(format!("{host}:{port}"))
    }

    pub(super) fn dial(
        &self,
        name: &Arc<Name>,
        tls: &TlsConfigs,
        by: Instant,
        call: &RunningCall,
        trace: &mut Trace,
    ) -> io::Result<Connection> {
        trace.addresses = name.find(by, call)?;
        trace.step = ConnectionStep::Connect;
        let tcp = Tcp::new(connect(&trace.addresses, by, call)?, by)?;
        call.uses(tcp.socket())?;
        let mut connection: Connection = Box::new(tcp);
        if let Some(proxy) = &self.proxy {
            if proxy.is_tls {
                trace.step = ConnectionStep::ProxyTls;
                let session = Tls::open(connection, &proxy.host, &tls.proxy)?;
                trace.proxy_tls_version = session.version();
                connection = Box::new(session);
            }
            trace.step = ConnectionStep::Tunnel;
            proxy.open_tunnel(&mut *connection)?;
        }
        if self.is_tls {
            trace.step = ConnectionStep::Tls;
            let session = Tls::open(connection, &self.host, &tls.service)?;
            trace.tls_version = session.version();
            connection = Box::new(session);
        }
        Ok(connection)
    }
}

impl ProxyHop {
    fn open_tunnel(&self, connection: &mut dyn Stream) -> io::Result<()> {
        connection.write_all(self.connect.as_bytes())?;
        connection.flush()?;
        let mut input = Vec::new();
        let head = read_head(&mut input, |input| append(connection, 1024, input))?;
        let closed = || io::Error::new(ErrorKind::UnexpectedEof, "the proxy closed the connection");
        let head = head.ok_or_else(closed)?;
        Err(match head.status {
            // The service speaks only when it is spoken to, so these would be the proxy's own bytes.
            200..=299 if head.length < input.len() => Cause::ProxySpeaks,
            200..=299 => return Ok(()),
            // tinyproxy answers 401.
            401 | 407 if self.has_password => Cause::ProxyPassword(head.status),
            401 | 407 => Cause::NoProxyPassword(head.status),
            status => Cause::Proxy(status),
        }
        .into())
    }
}

/// Tries the addresses one after another (RFC 8305). When an address has failed or is slow, the next one is tried
/// too. The first connection that opens is used, and the others are closed.
fn connect(addresses: &[SocketAddr], by: Instant, call: &RunningCall) -> io::Result<TcpStream> {
    let mut waiting = interleaved(addresses);
    let mut attempts: Vec<Socket> = Vec::new();
    let mut next_start = Instant::now();
    let mut failure: io::Error = Cause::HostNotFound.into();
    loop {
        call.check()?;
        let left = left(by)?;
        let now = Instant::now();
        if (attempts.is_empty() || now >= next_start)
            && let Some(address) = waiting.pop_front()
        {
            match start(address) {
                Ok(attempt) => attempts.push(attempt),
                Err(error) => failure = error,
            }
            next_start = now + ATTEMPT_DELAY;
            continue;
        }
        if attempts.is_empty() {
            return Err(failure);
        }
        let until_next = if waiting.is_empty() { left } else { next_start.saturating_duration_since(now) };
        let are_ready = wait_for(&attempts, left.min(until_next).min(INTERRUPTION_CHECK))?;
        for (place, is_ready) in are_ready.into_iter().enumerate().rev() {
            // Before Windows 10 of 2020 `poll` never reports a refused connection.
            match attempts[place].take_error()? {
                Some(error) => {
                    failure = error;
                    attempts.swap_remove(place);
                    next_start = now;
                }
                None if is_ready => return Ok(attempts.swap_remove(place).into()),
                None => {}
            }
        }
    }
}

/// Some errors come at once.
fn start(address: SocketAddr) -> io::Result<Socket> {
    let attempt = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    attempt.set_nonblocking(true)?;
    match attempt.connect(&address.into()) {
        Err(error)
            if !matches!(
                Errno::from_io_error(&error),
                Some(Errno::INPROGRESS | Errno::WOULDBLOCK | Errno::INTR)
            ) =>
        {
            Err(error)
        }
        _ => Ok(attempt),
    }
}

/// For each attempt whether it has ended.
fn wait_for(attempts: &[Socket], wait: Duration) -> io::Result<Vec<bool>> {
    let mut fds: Vec<PollFd<'_>> =
        attempts.iter().map(|attempt| PollFd::new(attempt, PollFlags::OUT)).collect();
    match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(fds.iter().map(|fd| !fd.revents().is_empty()).collect()),
        Err(errno) => Err(errno.into()),
    }
}

/// The addresses in the resolver's order, but alternating between IPv6 and IPv4 (RFC 8305, section 4).
fn interleaved(addresses: &[SocketAddr]) -> VecDeque<SocketAddr> {
    let is_first_family =
        |address: &SocketAddr| addresses.first().is_some_and(|first| first.is_ipv4() == address.is_ipv4());
    let (mut one, mut other): (VecDeque<_>, VecDeque<_>) =
        addresses.iter().copied().partition(is_first_family);
    let mut order = VecDeque::with_capacity(addresses.len());
    while !one.is_empty() || !other.is_empty() {
        order.extend(one.pop_front());
        order.extend(other.pop_front());
    }
    order
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_address_families_take_turns_in_the_resolvers_order() {
        let v4 = |last: u8| SocketAddr::from(([10, 0, 0, last], 1));
        let v6 = |last: u16| SocketAddr::from(([1, 0, 0, 0, 0, 0, 0, last], 1));
        for (addresses, order) in [
            (vec![], vec![]),
            (vec![v4(1), v4(2)], vec![v4(1), v4(2)]),
            (vec![v6(1), v6(2), v4(1)], vec![v6(1), v4(1), v6(2)]),
            (vec![v4(1), v6(1), v6(2), v6(3), v4(2)], vec![v4(1), v6(1), v4(2), v6(2), v6(3)]),
        ] {
            assert_eq!(Vec::from(interleaved(&addresses)), order, "{addresses:?}");
        }
    }

    fn within(addresses: &[SocketAddr], limit: Duration) -> io::Result<TcpStream> {
        connect(addresses, Instant::now() + limit, &RunningCall::default())
    }

    const LONG: Duration = Duration::from_secs(20);

    /// A listener that accepts no connection and has a full queue, so a new attempt gets no answer. Windows would
    /// refuse it.
    #[cfg(unix)]
    fn silent() -> (Socket, SocketAddr, Vec<Socket>) {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap().as_socket().unwrap();
        (listener, address, (0..4).map(|_| start(address).unwrap()).collect())
    }

    #[cfg(unix)]
    #[test]
    fn a_silent_address_costs_a_delay_and_not_the_deadline() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (_listener, silent, _queued) = silent();
        let open = listener.local_addr().unwrap();
        assert_eq!(within(&[silent, open], LONG).unwrap().peer_addr().unwrap(), open);
        let failure = within(&[silent], Duration::from_millis(30)).unwrap_err();
        assert!(matches!(Cause::of(&failure), Some(Cause::Late)), "{failure}");
    }

    #[test]
    fn a_refusing_address_is_followed_by_the_next() {
        let refusing = SocketAddr::from(([127, 0, 0, 1], 1));
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        assert!(within(&[refusing, refusing, listener.local_addr().unwrap()], LONG).is_ok());
        assert_eq!(within(&[refusing; 2], LONG).unwrap_err().kind(), ErrorKind::ConnectionRefused);
        let failure = within(&[], LONG).unwrap_err();
        assert!(matches!(Cause::of(&failure), Some(Cause::HostNotFound)), "{failure}");
    }
}
