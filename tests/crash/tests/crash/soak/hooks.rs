//! The service's webhooks. Each is taken at once, and given to some process later: out of order, and some twice.

use std::fmt;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use merchantpay_services::{Hook, receive};

/// In percent.
const TWICE: u32 = 5;

#[derive(Default)]
struct Queue {
    hooks: Mutex<Vec<Hook>>,
    taken: AtomicU32,
    twice: AtomicU32,
}

pub struct Hooks {
    queue: Arc<Queue>,
    pub url: String,
}

pub fn random(below: u32) -> u32 {
    getrandom::u32().unwrap_or_default() % below.max(1)
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Vec<Hook>> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks {
    pub fn start() -> std::io::Result<Hooks> {
        let queue = Arc::<Queue>::default();
        let taking = queue.clone();
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}/hooks", listener.local_addr()?);
        receive(listener, move |hook| {
            taking.taken.fetch_add(1, Ordering::Relaxed);
            taking.lock().push(hook);
            200
        });
        Ok(Hooks { queue, url })
    }

    pub fn next(&self) -> Option<Hook> {
        let mut hooks = self.queue.lock();
        let count = u32::try_from(hooks.len()).ok().filter(|count| *count > 0)?;
        let place = random(count) as usize;
        if random(100) < TWICE {
            self.queue.twice.fetch_add(1, Ordering::Relaxed);
            return hooks.get(place).cloned();
        }
        Some(hooks.swap_remove(place))
    }

    pub fn put_back(&self, hook: Hook) {
        self.queue.lock().push(hook);
    }
}

impl fmt::Display for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: &AtomicU32| count.load(Ordering::Relaxed);
        write!(f, "{}, {} of them twice", count(&self.queue.taken), count(&self.queue.twice))
    }
}
