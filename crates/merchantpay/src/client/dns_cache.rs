//! Looking up host names: once in a while, within the call's deadline, and never twice at the same time.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::call;
use crate::config::LONGEST;

/// How long a name's addresses are remembered.
const REMEMBERED: Duration = Duration::from_secs(30);

/// The names of one client: its service's, and at most one proxy's.
#[derive(Debug, Default)]
pub(super) struct DnsCache(Mutex<Vec<Arc<Name>>>);

/// Why there are no addresses.
pub(super) enum Fault {
    TooLate,
    NotFound,
    Failed(io::Error),
    Interrupted,
}

/// How long one wait lasts at most, so that an interruption is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(10);

#[derive(Debug)]
struct Name {
    name: String,
    state: Mutex<State>,
    answered: Condvar,
}

#[derive(Debug)]
enum State {
    Unknown,
    /// A thread is asking. The operating system's look-up cannot be called off: it may outlive the call that began it, and
    /// the next call waits for the same answer.
    Asked,
    Known(Vec<SocketAddr>, Instant),
    Failed(io::ErrorKind, String),
}

impl DnsCache {
    /// The addresses of `host:port`.
    pub(super) fn find(&self, name: &str, within: Duration) -> Result<Vec<SocketAddr>, Fault> {
        self.find_at(Instant::now(), name, within)
    }

    fn find_at(&self, now: Instant, name: &str, within: Duration) -> Result<Vec<SocketAddr>, Fault> {
        let known = {
            let mut names = lock(&self.0);
            match names.iter().find(|known| known.name == name) {
                Some(known) => Arc::clone(known),
                None => {
                    let new = Arc::new(Name { name: name.to_owned(), state: Mutex::new(State::Unknown), answered: Condvar::new() });
                    names.push(Arc::clone(&new));
                    new
                }
            }
        };
        known.find(now, within)
    }

    /// As if a look-up of this name were under way that never ends.
    #[cfg(test)]
    pub(super) fn without_an_answer(name: &str) -> DnsCache {
        DnsCache::in_state(name, State::Asked)
    }

    #[cfg(test)]
    fn in_state(name: &str, state: State) -> DnsCache {
        let name = Name { name: name.to_owned(), state: Mutex::new(state), answered: Condvar::new() };
        DnsCache(Mutex::new(vec![Arc::new(name)]))
    }

    /// Whether the addresses of `name` would be used without asking for them.
    #[cfg(test)]
    pub(super) fn remembers(&self, name: &str) -> bool {
        let is_known = |known: &Name| known.name == name && lock(&known.state).is_fresh(Instant::now());
        lock(&self.0).iter().any(|known| is_known(known))
    }

    /// After a failure to connect: the addresses may have changed.
    pub(super) fn forget(&self) {
        for name in lock(&self.0).iter() {
            let mut state = lock(&name.state);
            if matches!(*state, State::Known(..)) {
                *state = State::Unknown;
            }
        }
    }
}

impl Name {
    fn find(self: Arc<Name>, now: Instant, within: Duration) -> Result<Vec<SocketAddr>, Fault> {
        let end = now + within.min(LONGEST);
        let mut state = lock(&self.state);
        if !state.is_fresh(now) && !matches!(*state, State::Asked) {
            *state = State::Unknown;
        }
        loop {
            if let Some(answer) = state.answer() {
                return answer;
            }
            if matches!(*state, State::Unknown) {
                self.ask().map_err(Fault::Failed)?;
                *state = State::Asked;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Fault::TooLate);
            }
            if call::is_interrupted() {
                return Err(Fault::Interrupted);
            }
            state = self.answered.wait_timeout(state, left.min(LONGEST_WAIT)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Asks the operating system on a thread of its own, which ends with its answer.
    fn ask(self: &Arc<Name>) -> io::Result<()> {
        let name = Arc::clone(self);
        // Without a size the standard library would read the environment, which a host may change meanwhile.
        let thread = std::thread::Builder::new().name("merchantpay-name".to_owned()).stack_size(1 << 20);
        let asking = thread.spawn(move || {
            let answer = name.name.to_socket_addrs();
            *lock(&name.state) = match answer {
                Ok(addresses) => State::Known(addresses.collect(), Instant::now()),
                Err(error) => State::Failed(error.kind(), error.to_string()),
            };
            name.answered.notify_all();
        });
        asking.map(drop)
    }
}

impl State {
    /// What is known, or `None` where it has to be asked or waited for. An answer can be forgotten before everybody who
    /// waited for it has woken up.
    fn answer(&self) -> Option<Result<Vec<SocketAddr>, Fault>> {
        match self {
            State::Unknown | State::Asked => None,
            State::Known(addresses, _) if addresses.is_empty() => Some(Err(Fault::NotFound)),
            State::Known(addresses, _) => Some(Ok(addresses.clone())),
            State::Failed(kind, why) => Some(Err(Fault::Failed(io::Error::new(*kind, why.clone())))),
        }
    }

    fn is_fresh(&self, now: Instant) -> bool {
        let is_recent = |since: Instant| now.saturating_duration_since(since) < REMEMBERED;
        matches!(self, State::Known(addresses, since) if !addresses.is_empty() && is_recent(*since))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_asked_for_once_and_remembered() {
        let names = DnsCache::default();
        let within = Duration::from_secs(20);
        let found = names.find("localhost:80", within).ok().unwrap();
        assert!(found.iter().all(|address| address.port() == 80) && !found.is_empty());
        let since = |names: &DnsCache| match &*lock(&lock(&names.0)[0].state) {
            State::Known(_, since) => Some(*since),
            _ => None,
        };
        let asked = since(&names);
        assert_eq!(names.find("localhost:80", within).ok().unwrap(), found);
        assert_eq!(since(&names), asked);
        names.forget();
        assert_eq!(since(&names), None);
        assert!(names.find("localhost:80", within).is_ok());
    }

    #[test]
    fn what_was_known_is_asked_for_again_once_its_time_is_over() {
        let outdated: SocketAddr = ([192, 0, 2, 1], 80).into();
        let since = Instant::now();
        let names = DnsCache::in_state("localhost:80", State::Known(vec![outdated], since));
        let find_after = |age| names.find_at(since + age, "localhost:80", Duration::from_secs(20)).ok().unwrap();
        assert_eq!(find_after(Duration::ZERO), [outdated]);
        assert_eq!(find_after(REMEMBERED - Duration::from_nanos(1)), [outdated]);
        assert!(find_after(REMEMBERED).iter().all(|address| address.ip().is_loopback()));
    }

    #[test]
    fn a_failure_is_no_answer_for_the_next_who_asks() {
        let failed = || State::Failed(io::ErrorKind::Other, "no answer".to_owned());
        assert!(matches!(failed().answer(), Some(Err(Fault::Failed(error))) if error.to_string() == "no answer"));
        for state in [failed(), State::Known(Vec::new(), Instant::now())] {
            let names = DnsCache::in_state("localhost:80", state);
            assert!(names.find("localhost:80", Duration::from_secs(20)).is_ok());
        }
    }

    #[test]
    fn each_name_has_addresses_of_its_own() {
        let names = DnsCache::default();
        for port in [80, 81, 80] {
            let found = names.find(&format!("localhost:{port}"), Duration::from_secs(20)).ok().unwrap();
            assert!(found.iter().all(|address| address.port() == port), "{found:?}");
        }
    }

    #[test]
    fn an_answer_that_was_forgotten_is_no_answer() {
        assert!(State::Unknown.answer().is_none() && State::Asked.answer().is_none());
        assert!(matches!(State::Known(Vec::new(), Instant::now()).answer(), Some(Err(Fault::NotFound))));
    }

    #[test]
    fn a_look_up_that_is_slow_ends_with_the_deadline_and_not_with_a_second_thread() {
        let names = DnsCache::without_an_answer("slow:80");
        assert!(matches!(names.find("slow:80", Duration::from_millis(1)), Err(Fault::TooLate)));
        let slow = Arc::clone(&lock(&names.0)[0]);
        let address: SocketAddr = ([127, 0, 0, 1], 80).into();
        *lock(&slow.state) = State::Known(vec![address], Instant::now());
        slow.answered.notify_all();
        assert_eq!(names.find("slow:80", Duration::from_millis(1)).ok().unwrap(), [address]);
    }
}
