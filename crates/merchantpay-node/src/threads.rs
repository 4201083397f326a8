//! The threads on which calls run, for all event loops of the process. libuv's own are four, and file reads and look-ups of names need them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a thread waits for its next job before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// Runs a call, and returns what posts its answer. It must not panic.
pub(crate) type Job = Box<dyn FnOnce() -> Box<dyn FnOnce()> + Send>;

struct State {
    jobs: VecDeque<Job>,
    idle: usize,
}

static STATE: Mutex<State> = Mutex::new(State { jobs: VecDeque::new(), idle: 0 });
static JOB_QUEUED: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a job on an idle thread, or on a new one. Returns false if the system has no thread for it.
pub(crate) fn start(job: Job) -> bool {
    let mut state = state();
    state.jobs.push_back(job);
    if state.jobs.len() <= state.idle {
        JOB_QUEUED.notify_one();
        return true;
    }
    let started = thread::Builder::new().name("merchantpay".to_owned()).spawn(work).is_ok();
    if !started {
        state.jobs.pop_back();
    }
    started
}

fn work() {
    let mut now = state();
    while let Some(job) = now.jobs.pop_front() {
        drop(now);
        let post = job();
        // JavaScript starts its next call when it hears of this one.
        state().idle += 1;
        post();
        let waited = JOB_QUEUED.wait_timeout_while(state(), IDLE, |state| state.jobs.is_empty());
        (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
        now.idle -= 1;
    }
}
