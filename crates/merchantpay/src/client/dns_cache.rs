//! The DNS cache. It looks names up within the call's deadline, and never looks up the same name twice at the
//! same time. Known addresses stay usable: if a new look-up is late or fails, the last known addresses are
//! used.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::call_context;
use super::interrupt::INTERRUPTION_CHECK;
use super::per_process::lock;
use crate::config::LONGEST;

/// The time for which an answer is used without a new look-up.
const FRESH: Duration = Duration::from_secs(30);

/// A call waits this long for a newer answer before it uses the known addresses.
const REFRESH_WAIT: Duration = Duration::from_millis(300);

/// A call waits this long for a newer answer if no connection to the known addresses could be opened.
const SUSPECT_WAIT: Duration = Duration::from_secs(1);

type LookUp = dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync;

/// The host names that one client looks up: the name of the service, and the name of the proxy, if there is a
/// proxy.
pub(super) struct DnsCache {
    names: Mutex<Vec<Arc<Name>>>,
    look_up: Arc<LookUp>,
    clock: fn() -> Instant,
}

/// The reason why the cache returns no addresses.
#[derive(Debug)]
pub(super) enum Fault {
    TooLate,
    NotFound,
    Failed(io::Error),
    Interrupted,
}

/// The answers for one `host:port`.
struct Name {
    name: String,
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    known: Option<Known>,
    /// `true` if a thread is looking the name up. The operating system's look-up cannot be cancelled: the
    /// look-up may continue after the end of the call that began it, and the next call waits for the same
    /// answer.
    is_asked: bool,
    /// The error of the last look-up, for the calls that waited for that look-up.
    failure: Option<Failure>,
    /// The number of ended look-ups.
    answers: u64,
}

/// At least one address, and the time of the answer. After a failed connection the addresses are suspect.
struct Known {
    addresses: Vec<SocketAddr>,
    since: Instant,
    is_suspect: bool,
}

enum Failure {
    NotFound,
    Failed(io::ErrorKind, String),
}

impl Default for DnsCache {
    fn default() -> DnsCache {
        DnsCache::new(|name| name.to_socket_addrs().map(Iterator::collect), Instant::now)
    }
}

impl DnsCache {
    fn new(
        look_up: impl Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
        clock: fn() -> Instant,
    ) -> DnsCache {
        DnsCache { names: Mutex::default(), look_up: Arc::new(look_up), clock }
    }

    /// The addresses of `host:port`. Fresh addresses are returned immediately. For older addresses a look-up
    /// starts. If `waits` is set, the caller waits for the look-up for a short time. If no addresses are
    /// known, the caller waits up to the time `within`.
    pub(super) fn find(&self, name: &str, waits: bool, within: Duration) -> Result<Vec<SocketAddr>, Fault> {
        self.name(name).find((self.clock)(), waits, within, &self.look_up)
    }

    /// Marks the addresses as suspect after a failed connection: the addresses may have changed.
    pub(super) fn suspect(&self) {
        for name in lock(&self.names).iter() {
            if let Some(known) = &mut lock(&name.state).known {
                known.is_suspect = true;
            }
        }
    }

    fn name(&self, name: &str) -> Arc<Name> {
        let mut names = lock(&self.names);
        if let Some(known) = names.iter().find(|known| known.name == name) {
            return Arc::clone(known);
        }
        let new = Arc::new(Name { name: name.to_owned(), state: Mutex::default(), answered: Condvar::new() });
        names.push(Arc::clone(&new));
        new
    }
}

impl Name {
    fn find(
        self: Arc<Name>,
        now: Instant,
        waits: bool,
        within: Duration,
        look_up: &Arc<LookUp>,
    ) -> Result<Vec<SocketAddr>, Fault> {
        let mut state = lock(&self.state);
        if let Some(known) = &state.known
            && known.is_fresh(now)
        {
            return Ok(known.addresses.clone());
        }
        let before = state.answers;
        if !state.is_asked {
            match self.ask(look_up) {
                Ok(()) => state.is_asked = true,
                Err(error) => {
                    return state
                        .known
                        .as_ref()
                        .map_or(Err(Fault::Failed(error)), |known| Ok(known.addresses.clone()));
                }
            }
        }
        let patience = match &state.known {
            None => within.min(LONGEST),
            Some(_) if !waits => Duration::ZERO,
            Some(known) => within.min(if known.is_suspect { SUSPECT_WAIT } else { REFRESH_WAIT }),
        };
        let end = Instant::now() + patience;
        while state.answers == before {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if call_context::is_interrupted() {
                return Err(Fault::Interrupted);
            }
            state = self
                .answered
                .wait_timeout(state, left.min(INTERRUPTION_CHECK))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        let was_answered = state.answers != before;
        match (&state.known, &state.failure) {
            (Some(known), _) => Ok(known.addresses.clone()),
            (None, Some(failure)) if was_answered => Err(failure.fault()),
            _ => Err(Fault::TooLate),
        }
    }

    /// Queries the operating system on a separate thread. The thread ends after the answer.
    fn ask(self: &Arc<Name>, look_up: &Arc<LookUp>) -> io::Result<()> {
        let (name, look_up) = (Arc::clone(self), Arc::clone(look_up));
        // Without an explicit stack size the standard library would read the environment. The host may change
        // the environment at the same time.
        let thread = std::thread::Builder::new().name("merchantpay-name".to_owned()).stack_size(1 << 20);
        let asking = thread.spawn(move || {
            let answer = look_up(&name.name);
            lock(&name.state).take_answer(answer, Instant::now());
            name.answered.notify_all();
        });
        asking.map(drop)
    }
}

impl State {
    /// If the answer contains no addresses, the known addresses stay.
    fn take_answer(&mut self, answer: io::Result<Vec<SocketAddr>>, now: Instant) {
        self.is_asked = false;
        self.answers += 1;
        self.failure = match answer {
            Ok(addresses) if addresses.is_empty() => Some(Failure::NotFound),
            Ok(addresses) => {
                self.known = Some(Known { addresses, since: now, is_suspect: false });
                None
            }
            Err(error) => Some(Failure::Failed(error.kind(), error.to_string())),
        };
    }
}

impl Known {
    fn is_fresh(&self, now: Instant) -> bool {
        !self.is_suspect && now.saturating_duration_since(self.since) < FRESH
    }
}

impl Failure {
    fn fault(&self) -> Fault {
        match self {
            Failure::NotFound => Fault::NotFound,
            Failure::Failed(kind, why) => Fault::Failed(io::Error::new(*kind, why.clone())),
        }
    }
}

impl fmt::Debug for DnsCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DnsCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    const NAME: &str = "pay.example:443";
    const LONG: Duration = Duration::from_secs(60);

    thread_local! {
        static PASSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    }

    /// A clock that the test advances.
    fn clock() -> Instant {
        Instant::now() + PASSED.get()
    }

    fn address(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 443).into()
    }

    /// A resolver that reports each query. The test decides when the resolver answers.
    struct Resolver {
        asked: Receiver<String>,
        answers: Sender<io::Result<Vec<SocketAddr>>>,
    }

    impl Resolver {
        fn answer(&self, answer: io::Result<Vec<SocketAddr>>) {
            self.answers.send(answer).unwrap();
        }

        fn was_asked(&self) -> bool {
            self.asked.try_recv().is_ok()
        }
    }

    fn cache() -> (DnsCache, Resolver) {
        let (asked, was_asked) = channel();
        let (answers, to_answer) = channel();
        let to_answer = Mutex::new(to_answer);
        let look_up = move |name: &str| {
            // If the test has ended, the receiver no longer exists, and `send` fails.
            let _ = asked.send(name.to_owned());
            lock(&to_answer).recv().unwrap_or_else(|_| Err(io::Error::other("the test is over")))
        };
        (DnsCache::new(look_up, clock), Resolver { asked: was_asked, answers })
    }

    /// A cache that knows `NAME`.
    fn cache_that_knows(last: u8) -> (DnsCache, Resolver) {
        let (cache, resolver) = cache();
        resolver.answer(Ok(vec![address(last)]));
        assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(last)]);
        assert!(resolver.was_asked());
        (cache, resolver)
    }

    /// A cache in which the lookup of every name is running and never ends.
    pub(in crate::client) fn without_an_answer() -> DnsCache {
        DnsCache::new(
            |_| loop {
                std::thread::park()
            },
            Instant::now,
        )
    }

    /// A cache with a resolver that answers once and then never again.
    pub(in crate::client) fn hanging_after(answer: SocketAddr) -> DnsCache {
        let first = AtomicBool::new(true);
        let look_up = move |_: &str| {
            while !first.swap(false, Ordering::Relaxed) {
                std::thread::park();
            }
            Ok(vec![answer])
        };
        DnsCache::new(look_up, clock)
    }

    /// Puts the clock of this test forward, so that no answer is fresh any more.
    pub(in crate::client) fn outdate() {
        PASSED.set(PASSED.get() + FRESH);
    }

    impl DnsCache {
        /// Returns `true` if the addresses of `name` would be used without a query.
        pub(in crate::client) fn remembers(&self, name: &str) -> bool {
            lock(&self.name(name).state).known.as_ref().is_some_and(|known| known.is_fresh((self.clock)()))
        }
    }

    /// Waits until the running look-up has ended.
    fn wait_for_the_answer(cache: &DnsCache) {
        let name = cache.name(NAME);
        let mut state = lock(&name.state);
        while state.is_asked {
            state = name.answered.wait(state).unwrap();
        }
    }

    #[test]
    fn a_name_is_asked_for_once_while_its_answer_is_fresh() {
        let (cache, resolver) = cache_that_knows(1);
        PASSED.set(FRESH - Duration::from_secs(1));
        assert_eq!(cache.find(NAME, true, Duration::ZERO).unwrap(), [address(1)]);
        assert!(!resolver.was_asked() && cache.remembers(NAME));
        PASSED.set(FRESH);
        resolver.answer(Ok(vec![address(2)]));
        assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(2)]);
        assert!(resolver.was_asked());
    }

    #[test]
    fn what_is_known_is_used_where_the_resolver_hangs_or_fails() {
        for answer in [None, Some(Err(io::Error::other("SERVFAIL"))), Some(Ok(Vec::new()))] {
            let (cache, resolver) = cache_that_knows(1);
            PASSED.set(10 * FRESH);
            let hangs = answer.is_none();
            answer.into_iter().for_each(|answer| resolver.answer(answer));
            assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(1)]);
            if hangs {
                // The next caller waits for the same look-up.
                assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(1)]);
                assert!(resolver.was_asked() && !resolver.was_asked());
            }
        }
    }

    #[test]
    fn a_call_that_has_a_connection_does_not_wait_and_the_next_one_has_the_new_answer() {
        let (cache, resolver) = cache_that_knows(1);
        PASSED.set(FRESH);
        assert_eq!(cache.find(NAME, false, LONG).unwrap(), [address(1)]);
        resolver.answer(Ok(vec![address(2)]));
        wait_for_the_answer(&cache);
        assert_eq!(cache.find(NAME, false, LONG).unwrap(), [address(2)]);
    }

    #[test]
    fn addresses_that_led_nowhere_are_asked_for_again_and_used_if_there_are_no_others() {
        let (cache, resolver) = cache_that_knows(1);
        cache.suspect();
        assert!(!cache.remembers(NAME));
        resolver.answer(Err(io::Error::other("no answer")));
        assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(1)]);
        resolver.answer(Ok(vec![address(2)]));
        assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(2)]);
        assert!(cache.remembers(NAME));
    }

    #[test]
    fn without_an_entry_the_failure_is_returned_and_the_next_call_looks_up_again() {
        let (cache, resolver) = cache();
        resolver.answer(Err(io::Error::other("no answer")));
        assert!(
            matches!(cache.find(NAME, true, LONG), Err(Fault::Failed(error)) if error.to_string() == "no answer")
        );
        resolver.answer(Ok(Vec::new()));
        assert!(matches!(cache.find(NAME, true, LONG), Err(Fault::NotFound)));
        resolver.answer(Ok(vec![address(1)]));
        assert_eq!(cache.find(NAME, true, LONG).unwrap(), [address(1)]);
    }

    #[test]
    fn a_look_up_that_is_slow_ends_with_the_deadline_and_not_with_a_second_thread() {
        let (cache, resolver) = cache();
        for _ in 0..2 {
            assert!(matches!(cache.find(NAME, true, Duration::from_millis(1)), Err(Fault::TooLate)));
        }
        resolver.answer(Ok(vec![address(1)]));
        wait_for_the_answer(&cache);
        assert_eq!(cache.find(NAME, true, Duration::ZERO).unwrap(), [address(1)]);
        assert!(resolver.was_asked() && !resolver.was_asked());
    }

    #[test]
    fn each_name_has_addresses_of_its_own() {
        let cache = DnsCache::default();
        for port in [80, 81, 80] {
            let found = cache.find(&format!("localhost:{port}"), true, LONG).unwrap();
            assert!(!found.is_empty() && found.iter().all(|address| address.port() == port), "{found:?}");
        }
    }
}
