//! How long a wait for a socket lasts: its end, and the timeout that is set on the socket.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use ureq::unversioned::transport::NextTimeout;
use ureq::{Error, Timeout};

use super::call_context;

/// When a wait has to end, and which of the settings says so.
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

/// How long the socket waits before it wakes the thread up to look at the deadline. Never longer than what is
/// left, so no wait is late; where it is shorter, the thread checks and waits again. So the same value serves
/// for all calls of about the same timeout, and needs no system call each time.
#[derive(Debug, Default)]
pub(super) struct Patience {
    known: Option<Duration>,
    woken: bool,
}

/// Linux ends longer waits up to an eighth of them too late.
const PUNCTUAL: Duration = Duration::from_millis(200);

impl Patience {
    /// The timeout to set on the socket, if the current one cannot be used.
    pub(super) fn for_wait(&mut self, left: Duration) -> Option<Duration> {
        let woken = std::mem::take(&mut self.woken);
        let patience = match self.known {
            // A wait that got so far waits for exactly the rest.
            _ if woken && left <= PUNCTUAL => left,
            Some(known) if known <= left && !woken => return None,
            // Shorter by more than the calls that follow will differ by.
            _ => left - left / 8,
        };
        self.known = Some(patience);
        Some(patience)
    }

    /// What failed, if it is more than the thread's waking up.
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

    #[test]
    fn the_socket_is_told_once_how_long_to_wait_while_the_timeout_stays_the_same() {
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
            // As short as what is left, whatever was set before.
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
