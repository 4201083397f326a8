//! Forwards each callback from the service to one of the living processes. Some callbacks are forwarded
//! twice, and some are delayed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;

use super::shop::Shop;
use crate::{AnyResult, TIMEOUT};

#[derive(Clone)]
struct Message {
    path: String,
    body: Bytes,
    signature: String,
    key_id: String,
}

impl Message {
    fn new(uri: &Uri, headers: &HeaderMap, body: Bytes) -> Message {
        let header = |name: &str| {
            headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        Message {
            path: uri.path().to_owned(),
            body,
            signature: header("x-signature"),
            key_id: header("x-keyid"),
        }
    }

    fn receive(&self, shop: &Shop) -> u16 {
        let received = shop.journal.receive(&self.path, &self.body, &self.signature, Some(&self.key_id));
        received.http_status
    }
}

/// A process's own receiver of callbacks.
pub(crate) fn serve(shop: Arc<Shop>) -> AnyResult<u16> {
    listen(move |message| message.receive(&shop))
}

/// Serves on separate threads until the process ends.
fn listen(take: impl Fn(Message) -> u16 + Send + Sync + 'static) -> AnyResult<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let take = Arc::new(take);
    let handler = move |State(()): State<()>, uri: Uri, headers: HeaderMap, body: Bytes| async move {
        let message = Message::new(&uri, &headers, body);
        let answered = tokio::task::spawn_blocking(move || take(message)).await;
        answered
            .ok()
            .and_then(|status| StatusCode::from_u16(status).ok())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let app = Router::new().route("/hooks/{token}", post(handler));
            axum::serve(tokio::net::TcpListener::from_std(listener)?, app).await
        })
    });
    Ok(port)
}

#[derive(Default)]
struct Relay {
    /// The ports of the living processes.
    ports: Mutex<BTreeMap<usize, u16>>,
    /// The receiver of callbacks if no process is alive. Without this receiver such callbacks are refused.
    shop: Mutex<Option<Arc<Shop>>>,
    late: Mutex<Late>,
    taken: AtomicU32,
    twice: AtomicU32,
    reordered: AtomicU32,
    /// The number of answers about an unknown token or another order, which must be 0.
    misplaced: AtomicU32,
}

/// The delayed callbacks.
#[derive(Default)]
struct Late {
    messages: Vec<Message>,
    /// True when no more messages are delayed. If a message were not delivered at the end, the journal would
    /// query the service only after up to five minutes.
    is_over: bool,
}

impl Late {
    fn hold(&mut self, message: &Message) -> bool {
        if !self.is_over {
            self.messages.push(message.clone());
        }
        !self.is_over
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn chance(percent: u32) -> bool {
    getrandom::u32().is_ok_and(|number| number % 100 < percent)
}

impl Relay {
    /// Receives a callback from the service. Three callbacks of a hundred are answered with 200 and delivered
    /// later. Five callbacks of a hundred are delivered twice.
    fn receive(&self, message: Message) -> u16 {
        self.taken.fetch_add(1, Ordering::Relaxed);
        if chance(3) && lock(&self.late).hold(&message) {
            self.reordered.fetch_add(1, Ordering::Relaxed);
            return 200;
        }
        if chance(5) && lock(&self.late).hold(&message) {
            self.twice.fetch_add(1, Ordering::Relaxed);
        }
        self.deliver(&message)
    }

    fn deliver(&self, message: &Message) -> u16 {
        let alive: Vec<u16> = lock(&self.ports).values().copied().collect();
        let status = if alive.is_empty() {
            let shop = lock(&self.shop).clone();
            shop.map_or(503, |shop| message.receive(&shop))
        } else {
            let place = getrandom::u32().unwrap_or_default() as usize % alive.len();
            post_to(alive[place], message).unwrap_or(503)
        };
        if [400, 404, 409].contains(&status) {
            self.misplaced.fetch_add(1, Ordering::Relaxed);
        }
        status
    }

    /// Delivers one delayed callback at random. Returns `false` if no callback is delayed.
    fn deliver_a_late_one(&self) -> bool {
        let message = {
            let messages = &mut lock(&self.late).messages;
            if messages.is_empty() {
                return false;
            }
            let place = getrandom::u32().unwrap_or_default() as usize % messages.len();
            messages.swap_remove(place)
        };
        if self.deliver(&message) == 503 {
            lock(&self.late).messages.push(message);
        }
        true
    }
}

fn post_to(port: u16, message: &Message) -> Result<u16, ureq::Error> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false)
        .timeout_global(Some(TIMEOUT))
        .build()
        .into();
    let request = agent.post(format!("http://127.0.0.1:{port}{}", message.path));
    let request = request.header("x-signature", &message.signature).header("x-keyid", &message.key_id);
    Ok(request.send(&message.body[..])?.status().as_u16())
}

pub(crate) struct Callbacks {
    relay: Arc<Relay>,
    url: String,
}

impl Callbacks {
    pub(crate) fn start() -> AnyResult<Callbacks> {
        let relay = Arc::new(Relay::default());
        let receiving = Arc::clone(&relay);
        let port = listen(move |message| receiving.receive(message))?;
        let delivering = Arc::clone(&relay);
        std::thread::spawn(move || {
            loop {
                // Delivery waits until enough callbacks are delayed to change their order.
                let late = lock(&delivering.late);
                let waits = late.messages.len() < 20 && !late.is_over;
                drop(late);
                if waits || !delivering.deliver_a_late_one() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        });
        Ok(Callbacks { relay, url: format!("http://127.0.0.1:{port}/hooks") })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sets the receiver of callbacks if no process is alive.
    pub(crate) fn take_over(&self, shop: Option<Arc<Shop>>) {
        *lock(&self.relay.shop) = shop;
    }

    pub(crate) fn set_port(&self, worker: usize, port: Option<u16>) {
        let mut ports = lock(&self.relay.ports);
        match port {
            Some(port) => ports.insert(worker, port),
            None => ports.remove(&worker),
        };
    }

    /// Delivers all delayed callbacks. After this call no callback is delayed.
    pub(crate) fn deliver_what_is_late(&self) -> AnyResult<()> {
        lock(&self.relay.late).is_over = true;
        let end = Instant::now() + TIMEOUT;
        while self.relay.deliver_a_late_one() {
            if Instant::now() > end {
                return Err("late callbacks are not taken".into());
            }
        }
        Ok(())
    }
}

impl fmt::Display for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: &AtomicU32| count.load(Ordering::Relaxed);
        let Relay { taken, twice, reordered, misplaced, .. } = &*self.relay;
        let (taken, twice, reordered, misplaced) =
            (count(taken), count(twice), count(reordered), count(misplaced));
        write!(
            f,
            "{taken} from the service, {twice} delivered twice, {reordered} delivered later than others, {misplaced} without a place"
        )
    }
}
