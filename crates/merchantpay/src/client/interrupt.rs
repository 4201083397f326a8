//! Interrupts calls from another thread. The running calls of a handle end immediately, and no more calls
//! start.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::sockopt::set_socket_linger;

use super::failure::Cause;
use super::process::{PerProcess, lock};
use crate::error::{Error, Outcome, Result};

/// If a wait cannot be woken up, it checks for an interruption at this interval.
pub(super) const INTERRUPTION_CHECK: Duration = Duration::from_millis(10);

/// The state that a client shares with its clones: a flag that these clients were interrupted, and the
/// running calls of these clients and of the clients derived from them.
#[derive(Clone, Debug)]
pub(super) struct Handle(Arc<Node>);

#[derive(Debug)]
struct Node {
    interrupted: AtomicBool,
    parent: Option<Arc<Node>>,
    calls: PerProcess<Mutex<Vec<Arc<RunningCall>>>>,
}

impl Node {
    fn below(parent: Option<Arc<Node>>) -> Handle {
        Handle(Arc::new(Node { interrupted: AtomicBool::new(false), parent, calls: PerProcess::new() }))
    }

    /// This handle, then the handle from which it was derived, and so on.
    fn ancestors(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(Some(self), |node| node.parent.as_deref())
    }

    fn calls(&self, pid: u32) -> MutexGuard<'_, Vec<Arc<RunningCall>>> {
        lock(self.calls.get(pid, |_| ()))
    }
}

impl Handle {
    pub(super) fn new() -> Handle {
        Node::below(None)
    }

    pub(super) fn derive(&self) -> Handle {
        Node::below(Some(Arc::clone(&self.0)))
    }

    pub(super) fn interrupt(&self) {
        self.0.interrupted.store(true, Ordering::SeqCst);
        // The lock is held until all calls are stopped. Otherwise a call could end before it is stopped, and
        // another call could already use the same connection.
        self.0.calls(std::process::id()).iter().for_each(|call| call.stop());
    }

    /// Fails with `cancelled` if the handle was interrupted.
    pub(super) fn begin(&self) -> Result<CallGuard<'_>> {
        let pid = std::process::id();
        let call = Arc::new(RunningCall { pid, ..RunningCall::default() });
        for node in self.0.ancestors() {
            node.calls(pid).push(Arc::clone(&call));
        }
        let guard = CallGuard { node: &self.0, call };
        // The flag is checked after the call is registered, because an interruption first sets the flag and
        // then stops the registered calls.
        let interrupted = self.0.ancestors().any(|node| node.interrupted.load(Ordering::SeqCst));
        if interrupted { Err(Error::cancelled(Outcome::NotSent)) } else { Ok(guard) }
    }
}

pub(super) struct CallGuard<'a> {
    node: &'a Node,
    call: Arc<RunningCall>,
}

impl CallGuard<'_> {
    pub(super) fn call(&self) -> &Arc<RunningCall> {
        &self.call
    }
}

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        for node in self.node.ancestors() {
            let mut calls = node.calls(self.call.pid);
            if let Some(place) = calls.iter().position(|call| Arc::ptr_eq(call, &self.call)) {
                calls.swap_remove(place);
            }
        }
    }
}

/// The data that another thread needs to end a call.
#[derive(Debug, Default)]
pub(super) struct RunningCall {
    pid: u32,
    state: Mutex<State>,
    stopped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_stopped: bool,
    /// The connection that the call uses, until the connection is returned to the pool.
    stream: Option<Arc<TcpStream>>,
}

impl State {
    fn check(&self) -> io::Result<()> {
        if self.is_stopped { Err(Cause::Interrupted.into()) } else { Ok(()) }
    }
}

impl RunningCall {
    /// The id of the process that makes the call. Stored, because that saves a system call.
    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Fails if the call must end.
    pub(super) fn check(&self) -> io::Result<()> {
        lock(&self.state).check()
    }

    /// Registers the connection that the call will use, before it writes to it: from now on an interruption shuts
    /// the connection down. Fails if the call must end.
    pub(super) fn uses(&self, stream: &Arc<TcpStream>) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.stream = Some(Arc::clone(stream));
        state.check()
    }

    /// Removes the connection, before another call can use it. Fails if the call was stopped.
    pub(super) fn uses_none(&self) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.stream = None;
        state.check()
    }

    /// `false` as soon as the call must end.
    pub(super) fn sleep(&self, duration: Duration) -> bool {
        let end = Instant::now() + duration;
        let mut state = lock(&self.state);
        while !state.is_stopped {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.stopped.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    fn stop(&self) {
        let mut state = lock(&self.state);
        state.is_stopped = true;
        if let Some(stream) = &state.stream {
            // With this option the system drops the unsent bytes in its buffer when the connection is closed.
            let _ = set_socket_linger(stream, Some(Duration::ZERO));
            // This wakes up threads that read from the connection or wait for it. Every later write fails.
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.stopped.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(handle: &Handle) -> bool {
        handle.begin().is_ok()
    }

    #[test]
    fn an_interruption_reaches_clones_and_derived_handles_only() {
        let root = Handle::new();
        let (one, other) = (root.derive(), root.derive());
        let (clone, below) = (one.clone(), one.derive());
        let running = [&root, &one, &other, &clone, &below].map(|handle| handle.begin().unwrap());
        one.interrupt();
        assert_eq!(
            running.each_ref().map(|guard| guard.call().check().is_err()),
            [false, true, false, true, true]
        );
        assert_eq!([&root, &one, &other, &clone, &below].map(begins), [true, false, true, false, false]);
        assert!(!begins(&one.derive()), "nor what is derived afterwards");
        root.interrupt();
        assert!(
            running.iter().all(|guard| guard.call().check().is_err()) && !begins(&root) && !begins(&other)
        );
    }

    #[test]
    fn an_ended_call_is_forgotten() {
        let (root, pid) = (Handle::new(), std::process::id());
        let derived = root.derive();
        let (one, two) = (derived.begin().unwrap(), derived.begin().unwrap());
        drop(one);
        assert_eq!((root.0.calls(pid).len(), derived.0.calls(pid).len()), (1, 1));
        assert!(Arc::ptr_eq(&root.0.calls(pid)[0], two.call()));
        drop(two);
        assert_eq!((root.0.calls(pid).len(), derived.0.calls(pid).len()), (0, 0));
        root.interrupt();
        assert!(
            derived.begin().is_err() && root.0.calls(pid).is_empty(),
            "nor is one entered that may not begin"
        );
    }

    #[test]
    fn a_connection_is_shut_down_only_while_its_call_uses_it() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let connect = || Arc::new(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        let handle = Handle::new();
        let guard = handle.begin().unwrap();
        let (given_back, used) = (connect(), connect());
        guard.call().uses(&given_back).unwrap();
        guard.call().uses_none().unwrap();
        guard.call().uses(&used).unwrap();
        handle.interrupt();
        let writes = |stream: &TcpStream| std::io::Write::write(&mut &*stream, b"x").is_ok();
        assert_eq!((writes(&given_back), writes(&used)), (true, false));
        assert!(guard.call().uses(&given_back).is_err(), "nothing is written any more");
    }

    #[test]
    fn an_interruption_ends_a_sleep() {
        let handle = Handle::new();
        let guard = handle.begin().unwrap();
        assert!(guard.call().sleep(Duration::ZERO));
        std::thread::scope(|scope| {
            let sleeping = scope.spawn(|| guard.call().sleep(Duration::from_secs(20)));
            handle.interrupt();
            assert!(!sleeping.join().unwrap());
        });
        assert!(!guard.call().sleep(Duration::ZERO));
    }
}
