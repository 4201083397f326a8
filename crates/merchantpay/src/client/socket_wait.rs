//! Waits for a socket, with a time limit.

use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use ureq::unversioned::transport::NextTimeout;
use ureq::{Error, Timeout};

use super::call_context;

/// The end of a wait, and the setting that determines this end.
pub(super) struct End {
    pub(super) at: Instant,
    pub(super) reason: Timeout,
}

impl End {
    pub(super) fn of(timeout: &NextTimeout) -> End {
        let (left, now) = (call_context::left(), Instant::now());
        if *timeout.after < left {
            return End { at: now + *timeout.after, reason: timeout.reason };
        }
        End {
            at: now + left,
            reason: if call_context::must_open_sooner() { Timeout::Connect } else { Timeout::Global },
        }
    }

    pub(super) fn left(&self) -> Result<Duration, Error> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Error::Timeout(self.reason)) } else { Ok(left) }
    }
}

/// Waits until one of `wanted` is true for the socket, or until the socket has failed. The next use of the
/// socket then reports the failure.
pub(super) fn wait_for(stream: &TcpStream, wanted: PollFlags, end: &End) -> Result<PollFlags, Error> {
    loop {
        call_context::check_interruption()?;
        let wait = end.left()?.min(LONGEST_WAIT);
        let mut fds = [PollFd::new(stream, wanted)];
        match poll(&mut fds, Timespec::try_from(wait).ok().as_ref()) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(fds[0].revents()),
            Err(errno) => return Err(io::Error::from(errno).into()),
        }
    }
}

/// A wait needs no limit: an interruption shuts the connection down, which ends the wait.
#[cfg(unix)]
const LONGEST_WAIT: Duration = Duration::MAX;
/// A wait needs a limit: Windows does not guarantee that a wait ends when another thread shuts the connection
/// down.
#[cfg(windows)]
const LONGEST_WAIT: Duration = super::interrupt::INTERRUPTION_CHECK;

#[cfg(test)]
mod tests {
    use super::super::call_context::tests::during;
    use super::*;

    #[test]
    fn a_wait_ends_with_the_shorter_of_two_times_and_for_its_reason() {
        let (short, long) = (Duration::from_secs(100), Duration::from_secs(10_000));
        let end_of = |after: Duration| {
            End::of(&NextTimeout { after: after.into(), reason: Timeout::RecvBody, ..NextTimeout::default() })
        };
        let assert_end = |end: End, within: Duration, reason: Timeout| {
            let left = end.left().unwrap();
            assert!(left <= within && left > within / 2, "{left:?} {within:?}");
            assert_eq!(end.reason, reason);
        };
        during(Instant::now() + long, || {
            assert_end(end_of(short), short, Timeout::RecvBody);
            assert_end(end_of(2 * long), long, Timeout::Global);
            call_context::opening(short, |_| assert_end(end_of(long), short, Timeout::Connect));
        });
        during(Instant::now(), || {
            assert!(matches!(end_of(short).left(), Err(Error::Timeout(Timeout::Global))))
        });
    }
}
