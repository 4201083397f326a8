//! The service's webhooks. Each is taken at once, and given to some process later: out of order, and some twice.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::routing::post;

use crate::AnyResult;

/// The chance of a second delivery, in percent.
const TWICE: u32 = 5;

#[derive(Clone)]
pub(crate) struct Hook {
    pub(crate) path: String,
    pub(crate) body: Bytes,
    pub(crate) signature: String,
    pub(crate) key_id: String,
}

#[derive(Default)]
struct Queue {
    hooks: Mutex<Vec<Hook>>,
    taken: AtomicU32,
    twice: AtomicU32,
}

pub(crate) struct Hooks {
    queue: Arc<Queue>,
    pub(crate) url: String,
}

pub(crate) fn random(below: u32) -> u32 {
    getrandom::u32().unwrap_or_default() % below.max(1)
}

async fn take(State(queue): State<Arc<Queue>>, uri: Uri, headers: HeaderMap, body: Bytes) {
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (path, signature, key_id) = (uri.path().to_owned(), header("x-signature"), header("x-keyid"));
    queue.taken.fetch_add(1, Ordering::Relaxed);
    queue.lock().push(Hook { path, body, signature, key_id });
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Vec<Hook>> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hooks {
    pub(crate) fn start() -> AnyResult<Hooks> {
        let queue = Arc::<Queue>::default();
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let url = format!("http://{}/hooks", listener.local_addr()?);
        let app = Router::new().route("/hooks/{token}", post(take)).with_state(queue.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        std::thread::spawn(move || {
            runtime.block_on(async { axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await })
        });
        Ok(Hooks { queue, url })
    }

    /// One of the webhooks that wait.
    pub(crate) fn next(&self) -> Option<Hook> {
        let mut hooks = self.queue.lock();
        let count = u32::try_from(hooks.len()).ok().filter(|count| *count > 0)?;
        let place = random(count) as usize;
        if random(100) < TWICE {
            self.queue.twice.fetch_add(1, Ordering::Relaxed);
            return hooks.get(place).cloned();
        }
        Some(hooks.swap_remove(place))
    }

    pub(crate) fn put_back(&self, hook: Hook) {
        self.queue.lock().push(hook);
    }
}

impl fmt::Display for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: &AtomicU32| count.load(Ordering::Relaxed);
        write!(f, "{}, {} of them twice", count(&self.queue.taken), count(&self.queue.twice))
    }
}
