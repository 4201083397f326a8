//! The threads on which calls run, for all event loops of the process. libuv's own are four, and file reads and look-ups of names need them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use merchantpay::{Error, Result};
use merchantpay_calls::Object;

/// How many calls run at a time, besides those that mostly sleep. The others wait for a thread.
const MOST: usize = 256;

/// How long a thread waits for its next call before it ends.
const IDLE: Duration = Duration::from_secs(5);

/// A call on an object. It must not panic.
pub(crate) struct Job {
    pub(crate) object: Arc<Object>,
    /// It sleeps between requests, perhaps for minutes, so it takes no thread from other calls.
    pub(crate) sleeps: bool,
    /// Gets an error if there is no thread for it.
    pub(crate) run: Box<dyn FnOnce(Result<()>) + Send>,
}

struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    most: usize,
}

static STATE: Mutex<State> = Mutex::new(State { queue: VecDeque::new(), threads: 0, idle: 0, most: MOST });
static GIVEN: Condvar = Condvar::new();

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a call on an idle thread, or on a new one.
pub(crate) fn start(job: Job) {
    let mut state = state();
    if job.sleeps {
        state.most += 1;
        state.queue.push_front(job);
    } else {
        state.queue.push_back(job);
    }
    if state.queue.len() <= state.idle {
        GIVEN.notify_one();
    } else if state.threads < state.most {
        spawn(state);
    }
}

/// Lets the calls of an interrupted object that wait for a thread end now.
pub(crate) fn hurry(object: &Arc<Object>) {
    let mut waiting = state();
    let (own, others) = waiting.queue.drain(..).partition(|job| Arc::ptr_eq(&job.object, object));
    waiting.queue = others;
    drop(waiting);
    for job in Vec::from(own) {
        let mut state = state();
        state.queue.push_front(job);
        spawn(state);
    }
}

/// Starts a thread, also beyond `most`: it then ends after its call.
fn spawn(mut state: MutexGuard<'_, State>) {
    state.threads += 1;
    if thread::Builder::new().name("merchantpay".to_owned()).spawn(work).is_ok() {
        return;
    }
    state.threads -= 1;
    // A thread that runs takes the call later.
    let job = if state.threads == 0 { state.queue.pop_back() } else { None };
    drop(state);
    if let Some(job) = job {
        (job.run)(Err(Error::transport("the system could start no thread for the call")));
    }
}

fn work() {
    let mut now = state();
    loop {
        if let Some(job) = now.queue.pop_front() {
            drop(now);
            let sleeps = usize::from(job.sleeps);
            (job.run)(Ok(()));
            drop(job.object);
            now = state();
            now.most -= sleeps;
        } else {
            now.idle += 1;
            let waited = GIVEN.wait_timeout_while(now, IDLE, |state| state.queue.is_empty());
            (now, _) = waited.unwrap_or_else(PoisonError::into_inner);
            now.idle -= 1;
            if now.queue.is_empty() {
                break;
            }
        }
        if now.threads > now.most {
            break;
        }
    }
    now.threads -= 1;
}
