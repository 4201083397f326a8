//! An open connection, layer by layer: TCP at the bottom, TLS above it. No layer knows HTTP.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::send;

use self::platform::ReadWait;
use super::failure::Cause;

/// A layer of a connection. Reads and writes wait until [`Tcp::until`]. A layer that has accepted bytes and could
/// not write them writes them in `flush`.
pub(super) trait Stream: Read + Write + Send {
    /// Whether a request may be written: the peer has sent nothing for the layer above, no TLS record is
    /// incomplete, and neither side has closed the connection. TLS session tickets are quiet. Reads what has
    /// arrived, without waiting.
    fn is_quiet(&mut self) -> bool;

    /// The lowest layer, which has the deadline and the count of the written bytes.
    fn tcp(&mut self) -> &mut Tcp;
}

pub(super) type Connection = Box<dyn Stream>;

pub(super) struct Tcp {
    socket: Arc<TcpStream>,
    /// When reads and writes fail with [`Cause::Late`]. `None`: a read takes only what has arrived.
    pub(super) until: Option<Instant>,
    written: u64,
    read_wait: ReadWait,
}

impl Tcp {
    pub(super) fn new(socket: TcpStream, until: Instant) -> io::Result<Tcp> {
        socket.set_nodelay(true)?;
        socket.set_nonblocking(platform::NONBLOCKING)?;
        Ok(Tcp { socket: Arc::new(socket), until: Some(until), written: 0, read_wait: ReadWait::default() })
    }

    pub(super) fn socket(&self) -> &Arc<TcpStream> {
        &self.socket
    }

    /// The number of bytes that the system has accepted since the connection was opened.
    pub(super) fn bytes_written(&self) -> u64 {
        self.written
    }
}

pub(super) fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(Cause::Late.into()) } else { Ok(left) }
}

/// Waits for an event of the socket or its failure, at most until the deadline. It may return early.
fn wait_for(socket: &TcpStream, event: PollFlags, until: Instant) -> io::Result<()> {
    let wait = left(until)?.min(platform::LONGEST_WAIT);
    match poll(&mut [PollFd::new(socket, event)], Timespec::try_from(wait).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

impl Read for Tcp {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(until) = self.until else { return platform::read_now(&self.socket, buffer) };
        loop {
            self.read_wait.before_read(&self.socket, until)?;
            match (&*self.socket).read(buffer) {
                Err(error) if self.read_wait.is_over(error.kind()) => {}
                result => return result,
            }
        }
    }
}

/// `write_vectored` is not passed on: the standard library would call `writev`, which can raise SIGPIPE.
impl Write for Tcp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let until = self.until.ok_or(ErrorKind::WouldBlock)?;
        loop {
            left(until)?;
            match send(&*self.socket, bytes, platform::SEND) {
                Ok(count) => {
                    self.written += count as u64;
                    return Ok(count);
                }
                Err(Errno::WOULDBLOCK) => wait_for(&self.socket, PollFlags::OUT, until)?,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Tcp {
    fn is_quiet(&mut self) -> bool {
        platform::peek_now(&self.socket).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    }

    fn tcp(&mut self) -> &mut Tcp {
        self
    }
}

/// The socket blocks, so that a read is one system call and not two. Its read timeout ends a wait.
#[cfg(unix)]
mod platform {
    use std::io::{self, ErrorKind};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use rustix::net::{RecvFlags, SendFlags, recv};

    pub(super) const NONBLOCKING: bool = false;

    /// No limit: an interruption shuts the connection down, which ends the wait.
    pub(super) const LONGEST_WAIT: Duration = Duration::MAX;

    #[cfg(not(target_vendor = "apple"))]
    pub(super) const SEND: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
    /// Apple's systems prevent SIGPIPE by an option of the socket.
    #[cfg(target_vendor = "apple")]
    pub(super) const SEND: SendFlags = SendFlags::DONTWAIT;

    pub(super) fn read_now(socket: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(recv(socket, buffer, RecvFlags::DONTWAIT)?.0)
    }

    pub(super) fn peek_now(socket: &TcpStream) -> io::Result<usize> {
        Ok(recv(socket, &mut [0], RecvFlags::DONTWAIT.union(RecvFlags::PEEK))?.0)
    }

    /// Sets the socket's read timeout. It is never longer than the time left, so no wait ends late; where it is
    /// shorter, the wait begins again. So calls with similar deadlines need no system call to set it.
    #[derive(Debug, Default)]
    pub(super) struct ReadWait {
        timeout: Option<Duration>,
        has_ended: bool,
    }

    /// Linux ends a longer wait too late, by up to an eighth of its length.
    const PUNCTUAL: Duration = Duration::from_millis(200);

    impl ReadWait {
        pub(super) fn before_read(&mut self, socket: &TcpStream, until: Instant) -> io::Result<()> {
            match self.next_timeout(super::left(until)?) {
                Some(timeout) => socket.set_read_timeout(Some(timeout)),
                None => Ok(()),
            }
        }

        /// The timeout to set, if the present one cannot be used.
        fn next_timeout(&mut self, left: Duration) -> Option<Duration> {
            let has_ended = std::mem::take(&mut self.has_ended);
            let timeout = match self.timeout {
                _ if has_ended && left <= PUNCTUAL => left,
                Some(timeout) if timeout <= left && !has_ended => return None,
                _ => left - left / 8,
            };
            self.timeout = Some(timeout);
            Some(timeout)
        }

        /// Whether a failed read only means that its wait is over.
        pub(super) fn is_over(&mut self, failure: ErrorKind) -> bool {
            self.has_ended = matches!(failure, ErrorKind::WouldBlock | ErrorKind::TimedOut);
            self.has_ended || failure == ErrorKind::Interrupted
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const fn ms(ms: u64) -> Duration {
            Duration::from_millis(ms)
        }

        #[test]
        fn similar_deadlines_set_the_read_timeout_once() {
            let mut wait = ReadWait::default();
            let set = wait.next_timeout(ms(29_999)).unwrap();
            assert!(set < ms(29_999) && set > ms(20_000));
            for left in [30_000, 29_000, 28_000, 60_000] {
                assert_eq!(wait.next_timeout(ms(left)), None, "{left}");
            }
        }

        #[test]
        fn no_read_timeout_exceeds_the_time_left() {
            let mut wait = ReadWait::default();
            for left in [30_000, 100, 5_000, 1].map(ms) {
                wait.next_timeout(left);
                assert!(wait.timeout.unwrap() <= left);
            }
            for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
                for _ in 0..2 {
                    assert!(wait.is_over(kind));
                    assert_eq!(wait.next_timeout(ms(4_000)), Some(ms(3_500)));
                }
                assert!(wait.is_over(kind));
                assert_eq!(wait.next_timeout(ms(77)), Some(ms(77)));
            }
            assert!(!wait.is_over(ErrorKind::ConnectionReset));
        }
    }
}

/// The socket does not block: a blocking one could lose the bytes that arrive when its read timeout ends.
#[cfg(windows)]
mod platform {
    use std::io::{self, ErrorKind, Read};
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use rustix::event::PollFlags;
    use rustix::net::SendFlags;

    pub(super) const NONBLOCKING: bool = true;

    /// Windows does not promise that a wait ends when another thread shuts the connection down. The next read or
    /// write then fails.
    pub(super) const LONGEST_WAIT: Duration = super::super::interrupt::INTERRUPTION_CHECK;

    pub(super) const SEND: SendFlags = SendFlags::empty();

    pub(super) fn read_now(mut socket: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        socket.read(buffer)
    }

    pub(super) fn peek_now(socket: &TcpStream) -> io::Result<usize> {
        socket.peek(&mut [0])
    }

    #[derive(Debug, Default)]
    pub(super) struct ReadWait;

    impl ReadWait {
        pub(super) fn before_read(&mut self, socket: &TcpStream, until: Instant) -> io::Result<()> {
            super::wait_for(socket, PollFlags::IN, until)
        }

        pub(super) fn is_over(&mut self, failure: ErrorKind) -> bool {
            matches!(failure, ErrorKind::WouldBlock | ErrorKind::Interrupted)
        }
    }
}
