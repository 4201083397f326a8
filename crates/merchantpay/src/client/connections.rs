//! The pooled connections, and the rules by which a call takes one of them.

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ureq::unversioned::transport::Transport;

use super::per_process::lock;

/// A repeatable call uses a connection that was idle for at most this time, or for the longer time that
/// `IdleLimits` allows.
const REPEATABLE_IDLE: Duration = Duration::from_secs(15);

/// A connection is not used in this last part of the server's `Keep-Alive` time, because the request must
/// arrive before the server closes the connection.
const KEEP_ALIVE_MARGIN: Duration = Duration::from_millis(500);

/// The largest number of pooled connections.
const MOST_IDLE: usize = 64;

/// The connections that a call may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// Any open connection. If the server closes the connection at this moment, the call is retried on
    /// another connection.
    Any,
    /// A connection that was used recently, or that was opened early and not used yet. This is for a call
    /// that must not be repeated: if a connection breaks, it is unknown whether the request arrived.
    Recent,
    /// No pooled connection: the call opens a new connection.
    New,
}

/// The longest idle times of connections for a call that must not be repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct IdleLimits {
    /// The longest idle time after a response.
    pub(super) used: Duration,
    /// The longest idle time after opening, for a connection that was opened early.
    pub(super) unused: Duration,
}

/// If the server closed a connection sooner than `reuse_idle` after a response, calls that must not be
/// repeated avoid reused connections for this long.
const DISTRUST: Duration = Duration::from_secs(60);

/// The connections of one client in one process.
#[derive(Debug)]
pub(super) struct Connections {
    limits: IdleLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Idle>,
    /// The time at which the server last closed a connection early.
    closed_early: Option<Instant>,
}

/// An open connection, with all its layers: TLS, a proxy's tunnel, a socket.
pub(super) type Connection = Box<dyn Transport>;

struct Idle {
    connection: Connection,
    since: Instant,
    is_used: bool,
    /// The time in the server's `Keep-Alive` header, minus `KEEP_ALIVE_MARGIN`.
    closes_after: Duration,
}

impl Connections {
    pub(super) fn new(limits: IdleLimits) -> Connections {
        Connections { limits, state: Mutex::default() }
    }

    /// Takes a connection for a new request, if the pool has a usable connection. The connection that was
    /// used last comes first, and then the connections that were opened early.
    ///
    /// A request may be written to a connection if each layer of the connection is quiet (the layer's
    /// `is_open`). A layer first reads the bytes that have arrived, without waiting. After that the layer is
    /// quiet under these conditions: no data is left for the layer above, no TLS record is incomplete, the
    /// peer has not closed the connection, and no byte of an earlier request is unwritten. A connection with
    /// only TLS session tickets is still quiet.
    pub(super) fn take(&self, selection: Selection, now: Instant) -> Option<Connection> {
        loop {
            let mut taken = self.take_unchecked(selection, now)?;
            // The connection is checked without the lock, because the check makes a system call.
            if taken.connection.is_open() {
                return Some(taken.connection);
            }
            if taken.is_used && now.saturating_duration_since(taken.since) <= self.limits.used {
                lock(&self.state).closed_early = Some(now);
            }
        }
    }

    fn take_unchecked(&self, selection: Selection, now: Instant) -> Option<Idle> {
        let mut state = lock(&self.state);
        let place = self.best(&state, selection, now)?;
        Some(state.idle.remove(place))
    }

    /// Returns `true` if the pool has a connection that a call with this `selection` may use. The server may
    /// already have closed the connection.
    pub(super) fn has(&self, selection: Selection, now: Instant) -> bool {
        self.best(&lock(&self.state), selection, now).is_some()
    }

    fn best(&self, state: &State, selection: Selection, now: Instant) -> Option<usize> {
        let is_distrusted =
            state.closed_early.is_some_and(|since| now.saturating_duration_since(since) < DISTRUST);
        let is_barred = |idle: &Idle| is_distrusted && idle.is_used && selection == Selection::Recent;
        let usable = |idle: &Idle| self.is_usable(idle, selection, now) && !is_barred(idle);
        let last =
            |is_used: bool| state.idle.iter().rposition(|idle| idle.is_used == is_used && usable(idle));
        last(true).or_else(|| last(false))
    }

    fn is_usable(&self, idle: &Idle, selection: Selection, now: Instant) -> bool {
        let recent = if idle.is_used { self.limits.used } else { self.limits.unused };
        let limit = match selection {
            Selection::Any => REPEATABLE_IDLE.max(recent),
            Selection::Recent => recent,
            Selection::New => return false,
        };
        // A limit of 0 allows no connection, even if the next call comes immediately.
        let age = now.saturating_duration_since(idle.since);
        !limit.is_zero() && age <= limit && age < idle.closes_after
    }

    /// Keeps a connection after its response was read completely. `keep_alive` is the time in the server's
    /// `Keep-Alive` header.
    pub(super) fn put_used(&self, connection: Connection, keep_alive: Option<Duration>, now: Instant) {
        let closes_after = keep_alive.map_or(Duration::MAX, |time| time.saturating_sub(KEEP_ALIVE_MARGIN));
        self.put(Idle { connection, since: now, is_used: true, closes_after }, now);
    }

    /// Keeps a connection that was opened before a request needed it.
    pub(super) fn put_unused(&self, connection: Connection, now: Instant) {
        self.put(Idle { connection, since: now, is_used: false, closes_after: Duration::MAX }, now);
    }

    fn put(&self, new: Idle, now: Instant) {
        let mut state = lock(&self.state);
        let idle = &mut state.idle;
        let mut dropped: Vec<Idle> =
            idle.extract_if(.., |idle| !self.is_usable(idle, Selection::Any, now)).collect();
        if idle.len() >= MOST_IDLE {
            dropped.push(idle.remove(0));
        }
        idle.push(new);
        // The dropped connections are closed after the lock is released.
        drop(state);
        drop(dropped);
    }

    /// Closes all idle connections, because one connection did not answer. The reason for that may affect all
    /// connections.
    pub(super) fn close_idle(&self) {
        let idle = std::mem::take(&mut lock(&self.state).idle);
        drop(idle);
    }
}

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Idle")
            .field("since", &self.since)
            .field("is_used", &self.is_used)
            .finish_non_exhaustive()
    }
}

/// The shortest time in the server's `Keep-Alive` headers, such as `Keep-Alive: timeout=5, max=100`.
pub(super) fn keep_alive<'a>(headers: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Duration> {
    let values = headers
        .filter(|(name, _)| name.eq_ignore_ascii_case("keep-alive"))
        .flat_map(|(_, value)| value.split(','));
    let timeouts = values.filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok()?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| Duration::from_secs(seconds))
    });
    timeouts.min()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout};

    use super::*;

    /// A connection with a number. The test decides when the server closes the connection.
    struct Numbered {
        number: u32,
        buffers: LazyBuffers,
        is_open: Arc<AtomicBool>,
    }

    impl fmt::Debug for Numbered {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.number.fmt(f)
        }
    }

    impl Transport for Numbered {
        fn buffers(&mut self) -> &mut dyn Buffers {
            &mut self.buffers
        }

        fn transmit_output(&mut self, _: usize, _: NextTimeout) -> Result<(), ureq::Error> {
            Ok(())
        }

        fn await_input(&mut self, _: NextTimeout) -> Result<bool, ureq::Error> {
            Ok(false)
        }

        fn is_open(&mut self) -> bool {
            self.is_open.load(Ordering::Relaxed)
        }
    }

    fn numbered(number: u32) -> (Connection, Arc<AtomicBool>) {
        let is_open = Arc::new(AtomicBool::new(true));
        (
            Box::new(Numbered { number, buffers: LazyBuffers::new(1, 1), is_open: Arc::clone(&is_open) }),
            is_open,
        )
    }

    const LIMITS: IdleLimits = IdleLimits { used: Duration::from_secs(1), unused: Duration::from_secs(10) };

    fn number(connection: Option<Connection>) -> Option<u32> {
        format!("{:?}", connection?).parse().ok()
    }

    #[test]
    fn a_connection_is_taken_while_its_time_lasts() {
        let seconds = Duration::from_secs;
        let (any, recent, new) = (Selection::Any, Selection::Recent, Selection::New);
        let no_reuse = IdleLimits { used: Duration::ZERO, unused: Duration::ZERO };
        for (limits, is_used, keep_alive, selection, most) in [
            (LIMITS, true, None, recent, Some(seconds(1))),
            (LIMITS, true, None, any, Some(REPEATABLE_IDLE)),
            (LIMITS, true, None, new, None),
            (LIMITS, false, None, recent, Some(seconds(10))),
            (LIMITS, false, None, any, Some(REPEATABLE_IDLE)),
            (LIMITS, false, None, new, None),
            (LIMITS, true, Some(5), any, Some(Duration::from_nanos(4_499_999_999))),
            (LIMITS, true, Some(5), recent, Some(seconds(1))),
            (LIMITS, true, Some(1), recent, Some(Duration::from_nanos(499_999_999))),
            (LIMITS, true, Some(0), any, None),
            (no_reuse, true, None, recent, None),
            (no_reuse, false, None, recent, None),
            (no_reuse, true, None, any, Some(REPEATABLE_IDLE)),
            (IdleLimits { used: seconds(60), unused: seconds(90) }, true, None, any, Some(seconds(60))),
            (IdleLimits { used: seconds(60), unused: seconds(90) }, false, None, any, Some(seconds(90))),
        ] {
            let case = format!("{limits:?} {is_used} {keep_alive:?} {selection:?}");
            let since = Instant::now();
            let taken_after = |age| {
                let connections = Connections::new(limits);
                match is_used {
                    true => connections.put_used(numbered(1).0, keep_alive.map(seconds), since),
                    false => connections.put_unused(numbered(1).0, since),
                }
                let has = connections.has(selection, since + age);
                let taken = connections.take(selection, since + age).is_some();
                assert_eq!(has, taken, "{case}");
                taken
            };
            assert_eq!(taken_after(Duration::ZERO), most.is_some(), "{case}");
            if let Some(most) = most {
                assert!(taken_after(most) && !taken_after(most + Duration::from_nanos(1)), "{case}");
            }
        }
    }

    #[test]
    fn the_connection_that_was_used_last_is_taken_first_and_those_opened_ahead_last() {
        let (connections, now) = (Connections::new(LIMITS), Instant::now());
        connections.put_used(numbered(1).0, None, now);
        connections.put_used(numbered(2).0, None, now);
        connections.put_unused(numbered(3).0, now);
        let taken: Vec<_> = (0..4).map(|_| number(connections.take(Selection::Recent, now))).collect();
        assert_eq!(taken, [Some(2), Some(1), Some(3), None]);
    }

    #[test]
    fn a_connection_that_the_server_has_closed_is_passed_over() {
        let (connections, now) = (Connections::new(LIMITS), Instant::now());
        for number in 1..=3 {
            let (connection, is_open) = numbered(number);
            is_open.store(number == 1, Ordering::Relaxed);
            connections.put_used(connection, None, now);
        }
        assert_eq!(number(connections.take(Selection::Any, now)), Some(1));
        assert!(!connections.has(Selection::Any, now), "the closed ones are gone");
    }

    #[test]
    fn after_a_close_right_behind_a_response_a_payment_opens_its_own_for_a_while() {
        let (used, unused) =
            (|connections: &Connections, at| connections.put_used(numbered(1).0, None, at), numbered(2).0);
        for (closes_after, is_distrusted) in
            [(LIMITS.used, true), (LIMITS.used + Duration::from_millis(1), false)]
        {
            let (connections, since) = (Connections::new(LIMITS), Instant::now());
            let (closed, is_open) = numbered(0);
            is_open.store(false, Ordering::Relaxed);
            connections.put_used(closed, None, since);
            let noticed = since + closes_after;
            assert!(connections.take(Selection::Any, noticed).is_none());
            used(&connections, noticed);
            assert_eq!(connections.has(Selection::Recent, noticed), !is_distrusted);
            assert!(connections.has(Selection::Any, noticed), "what may be repeated goes on");
            used(&connections, noticed + DISTRUST);
            assert!(connections.has(Selection::Recent, noticed + DISTRUST), "a while later");
        }
        let (connections, now) = (Connections::new(LIMITS), Instant::now());
        lock(&connections.state).closed_early = Some(now);
        connections.put_unused(unused, now);
        assert!(connections.has(Selection::Recent, now), "one that was opened ahead has had no response");
    }

    #[test]
    fn no_more_are_kept_than_the_most_and_none_whose_time_is_over() {
        let (connections, now) = (Connections::new(LIMITS), Instant::now());
        (0..=MOST_IDLE as u32).for_each(|number| connections.put_used(numbered(number).0, None, now));
        let kept = |connections: &Connections| lock(&connections.state).idle.len();
        assert_eq!((kept(&connections), lock(&connections.state).idle[0].is_used), (MOST_IDLE, true));
        connections.put_used(numbered(99).0, None, now + 2 * REPEATABLE_IDLE);
        assert_eq!(kept(&connections), 1);
        connections.close_idle();
        assert_eq!(kept(&connections), 0);
    }

    #[test]
    fn the_servers_own_time_is_read_from_its_header() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        for (headers, time) in [
            (vec![("keep-alive", "timeout=5, max=100")], seconds(5)),
            (vec![("Keep-Alive", "max=100 , Timeout = \"7\"")], seconds(7)),
            (vec![("keep-alive", "timeout=0")], seconds(0)),
            (vec![("keep-alive", "timeout=9"), ("keep-alive", "timeout=3")], seconds(3)),
            (vec![("keep-alive", "timeout=-1"), ("keep-alive", "timeout"), ("keep-alive", "")], None),
            (vec![("connection", "keep-alive"), ("x-timeout", "timeout=5")], None),
        ] {
            assert_eq!(keep_alive(headers.into_iter()), time);
        }
    }
}
