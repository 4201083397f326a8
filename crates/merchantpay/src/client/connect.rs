//! Opens a TCP connection to one of the addresses of a host name.

pub(super) use platform::connect;

/// Tries the addresses one after another (RFC 8305). When an address has failed or is slow, the attempt with
/// the next address starts too. The first connection that opens is used. The function checks for an
/// interruption between its waits.
#[cfg(unix)]
mod platform {
    use std::collections::VecDeque;
    use std::io;
    use std::net::{SocketAddr, TcpStream};
    use std::os::fd::OwnedFd;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, ioctl_fionbio};
    use rustix::net::{AddressFamily, SocketType, sockopt};
    use ureq::Error;

    use super::super::call_context;
    use super::super::interrupt::INTERRUPTION_CHECK;
    use super::super::socket_wait::End;

    /// If an address has not answered after this time, the next address is tried too (RFC 8305, section 5).
    const ATTEMPT_DELAY: Duration = Duration::from_millis(250);

    pub(in crate::client) fn connect(addresses: &[SocketAddr], end: &End) -> Result<TcpStream, Error> {
        let mut waiting = interleaved(addresses);
        let mut attempts: Vec<OwnedFd> = Vec::new();
        let mut next_start = Instant::now();
        let mut failure = Error::HostNotFound;
        loop {
            call_context::check_interruption()?;
            let left = end.left()?;
            let now = Instant::now();
            if (attempts.is_empty() || now >= next_start)
                && let Some(address) = waiting.pop_front()
            {
                match start(address) {
                    Ok(attempt) => attempts.push(attempt),
                    Err(errno) => failure = Error::Io(errno.into()),
                }
                next_start = now + ATTEMPT_DELAY;
                continue;
            }
            if attempts.is_empty() {
                return Err(failure);
            }
            let until_next =
                if waiting.is_empty() { left } else { next_start.saturating_duration_since(now) };
            for place in ready(&attempts, left.min(until_next).min(INTERRUPTION_CHECK))? {
                let attempt = attempts.swap_remove(place);
                match sockopt::socket_error(&attempt).map_err(io::Error::from)? {
                    Ok(()) => {
                        ioctl_fionbio(&attempt, false).map_err(io::Error::from)?;
                        return Ok(attempt.into());
                    }
                    Err(errno) => {
                        failure = Error::Io(errno.into());
                        next_start = now;
                    }
                }
            }
        }
    }

    /// The indexes of the attempts that have ended, the highest index first.
    fn ready(attempts: &[OwnedFd], wait: Duration) -> Result<Vec<usize>, Error> {
        let mut fds: Vec<PollFd<'_>> =
            attempts.iter().map(|attempt| PollFd::new(attempt, PollFlags::OUT)).collect();
        match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
            Ok(_) => Ok((0..fds.len()).rev().filter(|place| !fds[*place].revents().is_empty()).collect()),
            Err(Errno::INTR) => Ok(Vec::new()),
            Err(errno) => Err(Error::Io(errno.into())),
        }
    }

    /// Starts to connect a socket. Some errors are returned immediately.
    fn start(address: SocketAddr) -> rustix::io::Result<OwnedFd> {
        let attempt = socket(if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 })?;
        match rustix::net::connect(&attempt, &address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(attempt),
            Err(errno) => Err(errno),
        }
    }

    #[cfg(not(target_vendor = "apple"))]
    fn socket(family: AddressFamily) -> rustix::io::Result<OwnedFd> {
        use rustix::net::{SocketFlags, socket_with};
        socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)
    }

    #[cfg(target_vendor = "apple")]
    fn socket(family: AddressFamily) -> rustix::io::Result<OwnedFd> {
        let socket = rustix::net::socket(family, SocketType::STREAM, None)?;
        rustix::io::ioctl_fioclex(&socket)?;
        ioctl_fionbio(&socket, true)?;
        sockopt::set_socket_nosigpipe(&socket, true)?;
        Ok(socket)
    }

    /// The addresses in the resolver's order, but alternating between IPv6 and IPv4 (RFC 8305, section 4).
    fn interleaved(addresses: &[SocketAddr]) -> VecDeque<SocketAddr> {
        let is_first_family = |address: &SocketAddr| {
            addresses.first().is_some_and(|first| first.is_ipv4() == address.is_ipv4())
        };
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
        use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

        use rustix::net::{bind, listen};

        use super::*;

        #[test]
        fn the_address_families_take_turns_in_the_resolvers_order() {
            let v4 = |last| SocketAddr::from((Ipv4Addr::new(10, 0, 0, last), 1));
            let v6 = |last| SocketAddr::from((Ipv6Addr::new(1, 0, 0, 0, 0, 0, 0, last), 1));
            for (addresses, order) in [
                (vec![], vec![]),
                (vec![v4(1), v4(2)], vec![v4(1), v4(2)]),
                (vec![v6(1), v6(2), v4(1)], vec![v6(1), v4(1), v6(2)]),
                (vec![v4(1), v6(1), v6(2), v6(3), v4(2)], vec![v4(1), v6(1), v4(2), v6(2), v6(3)]),
            ] {
                assert_eq!(Vec::from(interleaved(&addresses)), order, "{addresses:?}");
            }
        }

        fn until(duration: Duration) -> End {
            End { at: Instant::now() + duration, reason: ureq::Timeout::Connect }
        }

        /// A listener that accepts no connection and has a full queue. So a connection attempt gets no
        /// answer.
        fn silent() -> (OwnedFd, SocketAddr, Vec<OwnedFd>) {
            let listener = socket(AddressFamily::INET).unwrap();
            bind(&listener, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).unwrap();
            listen(&listener, 0).unwrap();
            let address = TcpListener::from(listener.try_clone().unwrap()).local_addr().unwrap();
            let queued = (0..4).map(|_| start(address).unwrap()).collect();
            (listener, address, queued)
        }

        #[test]
        fn an_address_that_does_not_answer_costs_the_next_one_a_delay_and_not_the_deadline() {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let (_listener, silent, _queued) = silent();
            let stream =
                connect(&[silent, listener.local_addr().unwrap()], &until(Duration::from_secs(20))).unwrap();
            assert_eq!(stream.peer_addr().unwrap(), listener.local_addr().unwrap());
            assert!(matches!(
                connect(&[silent], &until(Duration::from_millis(30))),
                Err(Error::Timeout(ureq::Timeout::Connect))
            ));
        }

        #[test]
        fn an_address_that_refuses_is_followed_by_the_next_and_by_its_own_reason_at_last() {
            let refusing = SocketAddr::from(([127, 0, 0, 1], 1));
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            assert!(
                connect(
                    &[refusing, refusing, listener.local_addr().unwrap()],
                    &until(Duration::from_secs(20))
                )
                .is_ok()
            );
            let failure = connect(&[refusing, refusing], &until(Duration::from_secs(20))).unwrap_err();
            assert!(matches!(failure, Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused));
            assert!(matches!(connect(&[], &until(Duration::from_secs(20))), Err(Error::HostNotFound)));
        }
    }
}

/// Tries the addresses one after another, and uses the first address that answers. Each address except the
/// last gets half of the remaining time.
#[cfg(windows)]
mod platform {
    use std::io::{self, ErrorKind};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::time::Duration;

    use ureq::Error;

    use super::super::call_context;
    use super::super::interrupt::INTERRUPTION_CHECK;
    use super::super::socket_wait::End;

    pub(in crate::client) fn connect(addresses: &[SocketAddr], end: &End) -> Result<TcpStream, Error> {
        let mut failure = Error::HostNotFound;
        for (place, address) in addresses.iter().enumerate() {
            let left = end.left()?;
            let last = place + 1 == addresses.len();
            failure = match open(*address, if last { left } else { left / 2 })? {
                Ok(stream) => {
                    stream.set_nonblocking(true)?;
                    return Ok(stream);
                }
                Err(error) if error.kind() == ErrorKind::TimedOut => Error::Timeout(end.reason),
                Err(error) => Error::Io(error),
            };
        }
        Err(failure)
    }

    /// Opens a connection. Returns the result, or an error if the call was interrupted. The standard
    /// library's wait cannot be interrupted, so the wait runs on a separate thread. If the connection is no
    /// longer needed, that thread closes the connection. The function `WSAPoll` cannot be used: before the
    /// 2020 version of Windows 10, `WSAPoll` never reports a refused connection.
    fn open(address: SocketAddr, limit: Duration) -> io::Result<io::Result<TcpStream>> {
        call_context::check_interruption()?;
        let (report, opened) = channel();
        let thread = std::thread::Builder::new().name("merchantpay-connect".to_owned()).stack_size(1 << 18);
        thread.spawn(move || drop(report.send(TcpStream::connect_timeout(&address, limit))))?;
        loop {
            match opened.recv_timeout(INTERRUPTION_CHECK) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => call_context::check_interruption()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the connection's thread has ended"));
                }
            }
        }
    }
}
