//! Reads from a socket. A wait ends at the call's deadline, and an interruption ends the wait immediately.

use std::io::Read;
use std::net::TcpStream;

use ureq::Error;

use self::platform::Patience;
use super::socket_wait::End;

#[derive(Debug, Default)]
pub(super) struct Reading(Patience);

impl Reading {
    /// Reads, and returns the number of read bytes. Zero means the end of the connection.
    pub(super) fn read(
        &mut self,
        mut stream: &TcpStream,
        buffer: &mut [u8],
        end: &End,
    ) -> Result<usize, Error> {
        loop {
            self.0.before(stream, end)?;
            match stream.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) => self.0.after(error)?,
            }
        }
    }
}

/// On Unix the socket waits with a timeout, so that a read is one system call.
#[cfg(unix)]
mod platform {
    use std::io::{self, ErrorKind};
    use std::net::TcpStream;
    use std::time::Duration;

    use ureq::Error;

    use super::super::socket_wait::End;

    /// The socket's read timeout. When it ends, the thread wakes up and checks the deadline. The timeout is
    /// never longer than the remaining time, so no wait ends late. If the timeout is shorter than the
    /// remaining time, the thread waits again. So calls with similar deadlines can use the same read timeout,
    /// without a system call that sets it.
    #[derive(Debug, Default)]
    pub(super) struct Patience {
        known: Option<Duration>,
        woken: bool,
    }

    /// If a wait is longer than this, Linux ends the wait too late, by up to an eighth of its length.
    const PUNCTUAL: Duration = Duration::from_millis(200);

    impl Patience {
        /// Limits the socket's wait to the remaining time.
        pub(super) fn before(&mut self, stream: &TcpStream, end: &End) -> Result<(), Error> {
            match self.for_wait(end.left()?) {
                Some(patience) => Ok(stream.set_read_timeout(Some(patience))?),
                None => Ok(()),
            }
        }

        /// The timeout to set on the socket, if the current timeout cannot be used.
        fn for_wait(&mut self, left: Duration) -> Option<Duration> {
            let woken = std::mem::take(&mut self.woken);
            let patience = match self.known {
                // If the wait is almost over, the timeout is exactly the remaining time.
                _ if woken && left <= PUNCTUAL => left,
                Some(known) if known <= left && !woken => return None,
                // The timeout is shorter than the remaining time, so that the next calls can use the same
                // timeout: the remaining times of these calls differ a little.
                _ => left - left / 8,
            };
            self.known = Some(patience);
            Some(patience)
        }

        /// Returns the failure, unless the failure is only the read timeout.
        pub(super) fn after(&mut self, failure: io::Error) -> Result<(), Error> {
            match failure.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => self.woken = true,
                ErrorKind::Interrupted => {}
                _ => return Err(failure.into()),
            }
            Ok(())
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_sockets_timeout_is_set_once_while_it_stays_the_same() {
            let mut patience = Patience::default();
            let set = patience.for_wait(Duration::from_millis(29_999)).unwrap();
            assert!(set < Duration::from_millis(29_999) && set > Duration::from_secs(20));
            for left in [30_000, 29_000, 28_000, 60_000] {
                assert_eq!(patience.for_wait(Duration::from_millis(left)), None, "{left}");
            }
        }

        #[test]
        fn no_wait_is_longer_than_what_is_left_and_the_last_one_ends_with_it() {
            let mut patience = Patience::default();
            for left in [30_000, 100, 5_000, 1] {
                let left = Duration::from_millis(left);
                patience.for_wait(left);
                assert!(patience.known.unwrap() <= left);
            }
            for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
                // After a wake-up the timeout is set again, because the known timeout may be longer than the
                // remaining time.
                for _ in 0..2 {
                    patience.after(kind.into()).unwrap();
                    assert_eq!(patience.for_wait(Duration::from_secs(4)), Some(Duration::from_millis(3500)));
                }
                patience.after(kind.into()).unwrap();
                assert_eq!(patience.for_wait(Duration::from_millis(77)), Some(Duration::from_millis(77)));
            }
            assert!(patience.after(ErrorKind::ConnectionReset.into()).is_err());
        }
    }
}

/// On Windows the socket is non-blocking. A blocking socket could lose the bytes that arrive at the moment
/// when its read timeout ends.
#[cfg(windows)]
mod platform {
    use std::io::{self, ErrorKind};
    use std::net::TcpStream;

    use rustix::event::PollFlags;
    use ureq::Error;

    use super::super::socket_wait::{End, wait_for};

    #[derive(Debug, Default)]
    pub(super) struct Patience;

    impl Patience {
        /// Waits until there are bytes to read.
        pub(super) fn before(&mut self, stream: &TcpStream, end: &End) -> Result<(), Error> {
            wait_for(stream, PollFlags::IN, end).map(drop)
        }

        /// Returns the failure, unless the failure only means that there are no bytes to read yet.
        pub(super) fn after(&mut self, failure: io::Error) -> Result<(), Error> {
            match failure.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(()),
                _ => Err(failure.into()),
            }
        }
    }
}
