//! Webhooks: signed, delivered in order per payment, and again where the merchant does not answer (contract, section 6).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use merchantpay::PrivateKey;
use tokio::sync::Semaphore;

use crate::decisions;
use crate::json::{Fields, Value, object};
use crate::lock::lock;
use crate::options::Options;

/// How many finished deliveries are remembered.
const REMEMBERED: usize = 10_000;

/// One webhook and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// `credentials`, `credentials_failed` or `status`.
    pub kind: &'static str,
    /// The payment it is about.
    pub order_id: String,
    /// Where it was sent.
    pub url: String,
    /// How often it was sent.
    pub attempts: u32,
    /// The last answer's HTTP status; `None` if there was none.
    pub http_status: Option<u16>,
    /// The signed bytes.
    pub body: Vec<u8>,
    /// The text of `X-Signature`.
    pub signature: String,
}

impl Delivery {
    /// Whether the merchant took it.
    pub fn is_delivered(&self) -> bool {
        self.http_status.is_some_and(|status| (200..300).contains(&status))
    }
}

/// The outgoing desk: a queue a payment, so that its webhooks come in order.
pub(crate) struct Deliveries {
    key_id: String,
    key: PrivateKey,
    retries: Vec<Duration>,
    agent: ureq::Agent,
    /// A merchant who does not answer holds up his own webhooks, not everybody's.
    at_once: Semaphore,
    at_once_to: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// What waits behind the delivery that is under way. A payment without one has no queue.
    queues: Mutex<HashMap<String, VecDeque<Delivery>>>,
    finished: Mutex<VecDeque<Delivery>>,
    news: Condvar,
}

impl Deliveries {
    pub(crate) fn new(options: &Options, key: PrivateKey) -> Deliveries {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(options.webhook_timeout))
            .build()
            .new_agent();
        Deliveries {
            key_id: options.server_key_id.clone(),
            key,
            retries: options.webhook_retries.clone(),
            agent,
            at_once: Semaphore::new(decisions::WEBHOOKS_AT_ONCE.1),
            at_once_to: Mutex::default(),
            queues: Mutex::default(),
            finished: Mutex::default(),
            news: Condvar::new(),
        }
    }

    /// Signs an event and queues it behind the payment's earlier ones. Called on the runtime.
    pub(crate) fn queue(self: &Arc<Deliveries>, kind: &'static str, order_id: &str, url: String, success: bool, fields: Fields) {
        // Empty and zero fields are left out (contract, section 2), but for the flag.
        let mut kept: Fields = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        kept.insert(0, ("success", Value::Flag(success)));
        let body = object(&kept).into_bytes();
        let signature = self.key.sign(&body).to_base64();
        let delivery = Delivery { kind, order_id: order_id.to_owned(), url, attempts: 0, http_status: None, body, signature };
        match lock(&self.queues).entry(order_id.to_owned()) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push_back(delivery),
            Entry::Vacant(none) => {
                none.insert(VecDeque::new());
                tokio::spawn(Arc::clone(self).deliver_in_order(delivery));
            }
        }
    }

    /// Delivers this one and whatever is queued behind it in the meantime.
    async fn deliver_in_order(self: Arc<Deliveries>, first: Delivery) {
        let order_id = first.order_id.clone();
        let mut next = Some(first);
        while let Some(delivery) = next {
            self.deliver(delivery).await;
            next = self.next_of(&order_id);
        }
    }

    fn next_of(&self, order_id: &str) -> Option<Delivery> {
        let mut queues = lock(&self.queues);
        let next = queues.get_mut(order_id)?.pop_front();
        if next.is_none() {
            queues.remove(order_id);
        }
        next
    }

    async fn deliver(&self, mut delivery: Delivery) {
        let mut pauses = self.retries.iter();
        loop {
            delivery.attempts += 1;
            delivery.http_status = self.post(&delivery).await;
            let Some(pause) = pauses.next().filter(|_| !delivery.is_delivered()) else { break };
            tokio::time::sleep(*pause).await;
        }
        let mut finished = lock(&self.finished);
        if finished.len() == REMEMBERED {
            finished.pop_front();
        }
        finished.push_back(delivery);
        self.news.notify_all();
    }

    /// The places to one host and port.
    fn places_to(&self, url: &str) -> Arc<Semaphore> {
        let authority = url.split('/').nth(2).unwrap_or_default().to_ascii_lowercase();
        let mut places = lock(&self.at_once_to);
        // Those that nobody uses are let go, so that a merchant's many addresses do not add up.
        if places.len() > REMEMBERED {
            places.retain(|_, places| Arc::strong_count(places) > 1);
        }
        Arc::clone(places.entry(authority).or_insert_with(|| Arc::new(Semaphore::new(decisions::WEBHOOKS_AT_ONCE.0))))
    }

    async fn post(&self, delivery: &Delivery) -> Option<u16> {
        let places = self.places_to(&delivery.url);
        let _place = places.acquire().await.ok()?;
        let _permit = self.at_once.acquire().await.ok()?;
        let request = self
            .agent
            .post(&delivery.url)
            .header("Content-Type", "application/json")
            .header("X-KeyId", &self.key_id)
            .header("X-Signature", &delivery.signature);
        let body = delivery.body.clone();
        let sent = tokio::task::spawn_blocking(move || request.send(body)).await;
        Some(sent.ok()?.ok()?.status().as_u16())
    }

    pub(crate) fn finished(&self) -> Vec<Delivery> {
        lock(&self.finished).iter().cloned().collect()
    }

    /// Waits until a delivery of this kind about this payment has ended.
    pub(crate) fn wait_for(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        let end = Instant::now() + timeout;
        let mut finished = lock(&self.finished);
        loop {
            let found = finished.iter().find(|delivery| delivery.order_id == order_id && delivery.kind == kind);
            if let Some(found) = found {
                return Some(found.clone());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            finished = self.news.wait_timeout(finished, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
