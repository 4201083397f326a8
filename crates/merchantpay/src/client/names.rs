//! The addresses of the host to which a client connects. A look-up is never made twice at the same time, and known
//! addresses stay usable if a new look-up is late or fails.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::failure::Cause;
use super::interrupt::{INTERRUPTION_CHECK, RunningCall};
use super::process::lock;

/// The time for which an answer is used without a new look-up.
const FRESH: Duration = Duration::from_secs(30);

/// A call waits this long for a newer answer before it uses the known addresses.
const REFRESH_WAIT: Duration = Duration::from_millis(300);

/// The same, if no connection to the known addresses could be opened.
const SUSPECT_WAIT: Duration = Duration::from_secs(1);

/// The name of the service, or of the proxy, with its port.
pub(super) struct Name {
    host_and_port: String,
    look_up: Box<LookUp>,
    state: Mutex<State>,
    answered: Condvar,
}

type LookUp = dyn Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync;

#[derive(Default)]
struct State {
    /// The last known addresses, and when they were looked up. Without a time they are suspect.
    addresses: Vec<SocketAddr>,
    since: Option<Instant>,
    /// A thread is looking the name up. The system's look-up cannot be cancelled: it may outlive the call that
    /// began it, and the next call waits for the same answer.
    is_asked: bool,
    /// The number of ended look-ups, and the failure of the last one.
    answers: u64,
    failure: Option<(ErrorKind, String)>,
}

impl Name {
    pub(super) fn new(host_and_port: String) -> Arc<Name> {
        Name::with(host_and_port, |name| name.to_socket_addrs().map(Iterator::collect))
    }

    fn with(
        host_and_port: String,
        look_up: impl Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Arc<Name> {
        let look_up = Box::new(look_up);
        Arc::new(Name { host_and_port, look_up, state: Mutex::default(), answered: Condvar::new() })
    }

    /// The addresses are looked up again for the next connection, because they may have changed.
    pub(super) fn suspect(&self) {
        lock(&self.state).since = None;
    }

    #[cfg(test)]
    pub(super) fn is_suspect(&self) -> bool {
        lock(&self.state).since.is_none()
    }

    pub(super) fn find(self: &Arc<Name>, by: Instant, call: &RunningCall) -> io::Result<Vec<SocketAddr>> {
        if let Ok(address) = self.host_and_port.parse() {
            return Ok(vec![address]);
        }
        let mut state = lock(&self.state);
        let now = Instant::now();
        if state.since.is_some_and(|since| now.saturating_duration_since(since) < FRESH) {
            return Ok(state.addresses.clone());
        }
        let by = match (state.addresses.is_empty(), state.since) {
            (true, _) => by,
            (false, Some(_)) => by.min(now + REFRESH_WAIT),
            (false, None) => by.min(now + SUSPECT_WAIT),
        };
        let before = state.answers;
        if !state.is_asked {
            match self.ask() {
                Ok(()) => state.is_asked = true,
                Err(error) if state.addresses.is_empty() => return Err(error),
                Err(_) => return Ok(state.addresses.clone()),
            }
        }
        while state.answers == before {
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            call.check()?;
            let wait = self.answered.wait_timeout(state, left.min(INTERRUPTION_CHECK));
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        match &state.failure {
            _ if !state.addresses.is_empty() => Ok(state.addresses.clone()),
            Some((kind, why)) if state.answers != before => Err(io::Error::new(*kind, why.clone())),
            _ if state.answers != before => Err(Cause::HostNotFound.into()),
            _ => Err(Cause::Late.into()),
        }
    }

    /// Asks the operating system on a thread, which ends after the answer.
    fn ask(self: &Arc<Name>) -> io::Result<()> {
        let name = Arc::clone(self);
        // Without an explicit stack size the standard library would read the environment, which the host may be
        // changing.
        let thread = std::thread::Builder::new().name("merchantpay-name".to_owned()).stack_size(1 << 20);
        let asking = thread.spawn(move || {
            let answer = (name.look_up)(&name.host_and_port);
            let mut state = lock(&name.state);
            (state.is_asked, state.answers, state.failure) = (false, state.answers + 1, None);
            match answer {
                Ok(addresses) if addresses.is_empty() => {}
                Ok(addresses) => (state.addresses, state.since) = (addresses, Some(Instant::now())),
                Err(error) => state.failure = Some((error.kind(), error.to_string())),
            }
            name.answered.notify_all();
        });
        asking.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::super::interrupt::Handle;
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A system that reports each question, and answers when the test says so.
    struct System {
        name: Arc<Name>,
        asked: Receiver<()>,
        answers: Sender<io::Result<Vec<SocketAddr>>>,
    }

    fn address(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 443).into()
    }

    impl System {
        fn new() -> System {
            let ((ask, asked), (answers, to_answer)) = (channel(), channel());
            let to_answer = Mutex::new(to_answer);
            let name = Name::with("pay.example:443".to_owned(), move |name| {
                assert_eq!(name, "pay.example:443");
                let _ = ask.send(());
                lock(&to_answer).recv().unwrap_or_else(|_| Err(io::Error::other("the test is over")))
            });
            System { name, asked, answers }
        }

        fn knowing(last: u8) -> System {
            let system = System::new();
            system.answer(Ok(vec![address(last)]));
            assert_eq!(system.find(LONG).unwrap(), [address(last)]);
            assert!(system.was_asked());
            system
        }

        fn answer(&self, answer: io::Result<Vec<SocketAddr>>) {
            self.answers.send(answer).unwrap();
        }

        fn find(&self, within: Duration) -> io::Result<Vec<SocketAddr>> {
            self.name.find(Instant::now() + within, &RunningCall::default())
        }

        fn was_asked(&self) -> bool {
            self.asked.try_recv().is_ok()
        }

        fn outdate(&self) {
            let mut state = lock(&self.name.state);
            state.since = state.since.and_then(|since| since.checked_sub(FRESH));
            assert!(state.since.is_some());
        }

        fn wait_for_the_answer(&self) {
            let mut state = lock(&self.name.state);
            while state.is_asked {
                state = self.name.answered.wait(state).unwrap();
            }
        }
    }

    #[test]
    fn a_fresh_answer_is_used_without_a_question() {
        let system = System::knowing(1);
        assert_eq!(system.find(Duration::ZERO).unwrap(), [address(1)]);
        assert!(!system.was_asked());
        system.outdate();
        system.answer(Ok(vec![address(2)]));
        assert_eq!(system.find(LONG).unwrap(), [address(2)]);
        assert!(system.was_asked());
    }

    #[test]
    fn known_addresses_are_used_where_the_system_hangs_or_fails() {
        for answer in [None, Some(Err(io::Error::other("SERVFAIL"))), Some(Ok(Vec::new()))] {
            let system = System::knowing(1);
            system.outdate();
            let hangs = answer.is_none();
            answer.into_iter().for_each(|answer| system.answer(answer));
            for _ in 0..2 {
                assert_eq!(system.find(LONG).unwrap(), [address(1)]);
                if !hangs {
                    break;
                }
            }
            assert!(system.was_asked() && !system.was_asked(), "the second call waits for the same look-up");
        }
    }

    #[test]
    fn suspect_addresses_are_looked_up_again_and_used_if_there_are_no_others() {
        let system = System::knowing(1);
        system.name.suspect();
        system.answer(Err(io::Error::other("no answer")));
        assert_eq!(system.find(LONG).unwrap(), [address(1)]);
        system.answer(Ok(vec![address(2)]));
        assert_eq!(system.find(LONG).unwrap(), [address(2)]);
        assert_eq!(system.find(Duration::ZERO).unwrap(), [address(2)], "it is fresh");
    }

    #[test]
    fn without_addresses_the_failure_is_returned_and_the_next_call_asks_again() {
        let system = System::new();
        system.answer(Err(io::Error::other("no answer")));
        assert_eq!(system.find(LONG).unwrap_err().to_string(), "no answer");
        system.answer(Ok(Vec::new()));
        assert_eq!(system.find(LONG).unwrap_err().to_string(), "host not found");
        system.answer(Ok(vec![address(1)]));
        assert_eq!(system.find(LONG).unwrap(), [address(1)]);
    }

    #[test]
    fn a_slow_look_up_ends_with_the_deadline_and_starts_no_second_one() {
        let system = System::new();
        for _ in 0..2 {
            let failure = system.find(Duration::from_millis(1)).unwrap_err();
            assert!(matches!(Cause::of(&failure), Some(Cause::Late)), "{failure}");
        }
        system.answer(Ok(vec![address(1)]));
        system.wait_for_the_answer();
        assert_eq!(system.find(Duration::ZERO).unwrap(), [address(1)]);
        assert!(system.was_asked() && !system.was_asked());
    }

    #[test]
    fn an_interruption_ends_the_wait_for_a_look_up() {
        let (system, handle) = (System::new(), Handle::new());
        let guard = handle.begin().unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| system.name.find(Instant::now() + LONG, guard.call()));
            system.asked.recv().unwrap();
            handle.interrupt();
            let failure = waiting.join().unwrap().unwrap_err();
            assert!(matches!(Cause::of(&failure), Some(Cause::Interrupted)), "{failure}");
        });
    }
}
