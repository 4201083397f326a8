//! The pooled connections, and the rules by which a call takes one of them.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::process::lock;
use super::stream::Connection;

/// A repeatable call uses a connection that was idle for at most this time, or for the longer time that
/// [`IdleLimits`] allows.
const REPEATABLE_IDLE: Duration = Duration::from_secs(15);

const MOST_IDLE: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// Any open connection: if the server closes it at this moment, the call is retried on another one.
    Any,
    /// One that was used recently, or opened early and not used yet. For a call that must not be repeated: if a
    /// connection breaks, it is unknown whether the request arrived.
    Recent,
    /// None: the call opens a new one.
    New,
}

/// How long a connection may be idle before a call that must not be repeated uses it. Zero: not at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleLimits {
    /// After a response.
    pub(super) used: Duration,
    /// After opening, for a connection that was opened early.
    pub(super) unused: Duration,
}

/// The connections of one client in one process.
pub(super) struct Pool {
    limits: IdleLimits,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    connection: Connection,
    since: Instant,
    is_used: bool,
}

impl Pool {
    pub(super) fn new(limits: IdleLimits) -> Pool {
        Pool { limits, idle: Mutex::default() }
    }

    /// Takes the connection that was used last, else one that was opened early.
    pub(super) fn take(&self, selection: Selection, now: Instant) -> Option<Connection> {
        loop {
            let mut taken = self.take_unchecked(selection, now)?;
            // Outside the lock, because it makes a system call.
            if taken.is_quiet() {
                return Some(taken);
            }
        }
    }

    fn take_unchecked(&self, selection: Selection, now: Instant) -> Option<Connection> {
        let mut idle = lock(&self.idle);
        let last = |is_used: bool| {
            idle.iter().rposition(|idle| idle.is_used == is_used && self.is_usable(idle, selection, now))
        };
        let place = last(true).or_else(|| last(false))?;
        Some(idle.remove(place).connection)
    }

    fn is_usable(&self, idle: &Idle, selection: Selection, now: Instant) -> bool {
        let recent = if idle.is_used { self.limits.used } else { self.limits.unused };
        let limit = match selection {
            Selection::Any => REPEATABLE_IDLE.max(recent),
            Selection::Recent => recent,
            Selection::New => return false,
        };
        // A limit of 0 allows no connection, even if the next call comes within the clock's resolution.
        !limit.is_zero() && now.saturating_duration_since(idle.since) <= limit
    }

    /// Keeps a connection: a used one after its response was read completely, an unused one that was opened before a
    /// request needs it.
    pub(super) fn put(&self, connection: Connection, is_used: bool, now: Instant) {
        let mut idle = lock(&self.idle);
        let mut dropped: Vec<Idle> =
            idle.extract_if(.., |idle| !self.is_usable(idle, Selection::Any, now)).collect();
        if idle.len() >= MOST_IDLE {
            dropped.push(idle.remove(0));
        }
        idle.push(Idle { connection, since: now, is_used });
        // The dropped connections are closed outside the lock.
        drop(idle);
    }

    /// Closes all idle connections: one did not answer, and the reason may affect all.
    pub(super) fn close_idle(&self) {
        let idle = std::mem::take(&mut *lock(&self.idle));
        drop(idle);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener, TcpStream};

    use super::super::stream::Tcp;
    use super::*;

    /// A pool of connections to a listener, each with a number.
    struct Numbers {
        pool: Pool,
        listener: TcpListener,
        own_ends: Vec<(SocketAddr, u32)>,
        peers: Vec<TcpStream>,
        now: Instant,
    }

    impl Numbers {
        fn new(limits: IdleLimits) -> Numbers {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let (own_ends, peers) = (Vec::new(), Vec::new());
            Numbers { pool: Pool::new(limits), listener, own_ends, peers, now: Instant::now() }
        }

        fn put(&mut self, number: u32, is_used: bool, is_open: bool) {
            let socket = TcpStream::connect(self.listener.local_addr().unwrap()).unwrap();
            self.own_ends.push((socket.local_addr().unwrap(), number));
            let (peer, _) = self.listener.accept().unwrap();
            self.peers.extend(is_open.then_some(peer));
            self.pool.put(Box::new(Tcp::new(socket, self.now).unwrap()), is_used, self.now);
        }

        fn take(&self, selection: Selection) -> Option<u32> {
            let own_end = self.pool.take(selection, self.now)?.tcp().socket().local_addr().unwrap();
            self.own_ends.iter().find(|(address, _)| *address == own_end).map(|(_, number)| *number)
        }

        fn kept(&self) -> usize {
            lock(&self.pool.idle).len()
        }
    }

    const LIMITS: IdleLimits = IdleLimits { used: Duration::from_secs(1), unused: Duration::from_secs(10) };

    #[test]
    fn a_connection_is_taken_within_its_idle_limit() {
        let seconds = Duration::from_secs;
        let (any, recent, new) = (Selection::Any, Selection::Recent, Selection::New);
        let none = IdleLimits { used: Duration::ZERO, unused: Duration::ZERO };
        let long = IdleLimits { used: seconds(60), unused: seconds(90) };
        for (limits, is_used, selection, most) in [
            (LIMITS, true, recent, Some(seconds(1))),
            (LIMITS, true, any, Some(REPEATABLE_IDLE)),
            (LIMITS, true, new, None),
            (LIMITS, false, recent, Some(seconds(10))),
            (LIMITS, false, any, Some(REPEATABLE_IDLE)),
            (LIMITS, false, new, None),
            (none, true, recent, None),
            (none, false, recent, None),
            (none, true, any, Some(REPEATABLE_IDLE)),
            (long, true, any, Some(seconds(60))),
            (long, false, any, Some(seconds(90))),
        ] {
            let taken_after = |age| {
                let mut numbers = Numbers::new(limits);
                numbers.put(1, is_used, true);
                numbers.pool.take(selection, numbers.now + age).is_some()
            };
            let case = format!("{limits:?} {is_used} {selection:?}");
            assert_eq!(taken_after(Duration::ZERO), most.is_some(), "{case}");
            if let Some(most) = most {
                assert!(taken_after(most) && !taken_after(most + Duration::from_nanos(1)), "{case}");
            }
        }
    }

    #[test]
    fn the_connection_used_last_comes_first_and_early_ones_last() {
        let mut numbers = Numbers::new(LIMITS);
        for (number, is_used) in [(1, true), (2, true), (3, false)] {
            numbers.put(number, is_used, true);
        }
        let taken = [(); 4].map(|()| numbers.take(Selection::Recent));
        assert_eq!(taken, [Some(2), Some(1), Some(3), None]);
    }

    #[test]
    fn closed_connections_are_passed_over_and_dropped() {
        let mut numbers = Numbers::new(LIMITS);
        (1..=3).for_each(|number| numbers.put(number, true, number == 1));
        assert_eq!((numbers.take(Selection::Any), numbers.kept()), (Some(1), 0));
    }

    #[test]
    fn the_pool_is_bounded_in_number_and_time() {
        let mut numbers = Numbers::new(LIMITS);
        (0..=MOST_IDLE as u32).for_each(|number| numbers.put(number, true, true));
        assert_eq!(numbers.kept(), MOST_IDLE);
        numbers.now += 2 * REPEATABLE_IDLE;
        numbers.put(99, true, true);
        assert_eq!(numbers.kept(), 1);
        numbers.pool.close_idle();
        assert_eq!(numbers.kept(), 0);
    }
}
