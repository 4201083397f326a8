//! Webhooks: signed, delivered in order for each payment, and retried if the merchant does not answer
//! (contract, section 6).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::app::merchant::ServerKeys;
use crate::base::assumptions;
use crate::base::clock::Clock;
use crate::base::json::{Fields, Value, object};
use crate::base::lock::lock;
use crate::base::options::Options;
use crate::base::webhook_hosts::WebhookHosts;
use crate::model::payment::Payment;
use crate::model::webhook::{Webhook, WebhookState};
use crate::model::webhook_fault::{WebhookFault, WebhookPlan};
use crate::stores::webhooks::WebhookLog;
use crate::webhooks::client::WebhookClient;
use crate::webhooks::plans::WebhookPlans;
use crate::webhooks::report::Delivery;

/// The number of finished deliveries that are kept.
const MAX_FINISHED: usize = 2_000;

/// The deliveries of webhooks: a queue for each payment keeps the order.
pub(crate) struct Deliveries {
    keys: ServerKeys,
    retries: Vec<Duration>,
    client: WebhookClient,
    clock: Arc<Clock>,
    pub(crate) log: WebhookLog,
    /// The webhooks after the current webhook. A payment without a delivery has no queue.
    queues: Mutex<HashMap<String, VecDeque<Webhook>>>,
    /// Webhooks that wait for the payment's next webhook.
    reordered: Mutex<Vec<Webhook>>,
    plans: WebhookPlans,
    finished: Mutex<VecDeque<Delivery>>,
    finished_changed: Condvar,
}

/// The parts of the sandbox that deliveries use.
pub(crate) struct DeliveryDeps<'a> {
    pub(crate) options: &'a Options,
    pub(crate) keys: ServerKeys,
    pub(crate) clock: Arc<Clock>,
    pub(crate) log: WebhookLog,
    pub(crate) hosts: Arc<WebhookHosts>,
}

impl Deliveries {
    pub(crate) fn new(deps: DeliveryDeps<'_>) -> Deliveries {
        Deliveries {
            keys: deps.keys,
            retries: deps.options.webhook_retries.clone(),
            client: WebhookClient::new(deps.options.webhook_timeout, Arc::clone(&deps.clock), deps.hosts),
            clock: deps.clock,
            log: deps.log,
            queues: Mutex::default(),
            reordered: Mutex::default(),
            plans: WebhookPlans::default(),
            finished: Mutex::default(),
            finished_changed: Condvar::new(),
        }
    }

    /// Queues the undelivered webhooks of an earlier run. Must be called on the Tokio runtime.
    pub(crate) fn resume(self: &Arc<Deliveries>) {
        for webhook in self.log.unfinished() {
            self.enqueue(webhook);
        }
    }

    /// Signs a webhook and queues it after the payment's earlier webhooks. Returns the number of webhooks
    /// that were made. Must be called on the Tokio runtime.
    pub(crate) fn queue(
        self: &Arc<Deliveries>,
        kind: &'static str,
        payment: &Payment,
        url: String,
        success: bool,
        fields: Fields,
    ) -> u64 {
        let order_id = payment.order_id.as_str();
        let webhook = self.sign(kind, payment, url, success, fields);
        let fault = self.plans.take(order_id);
        let first = self.log.add(self.with_fault(webhook, fault));
        if fault == Some(WebhookFault::Reorder) {
            self.hold_until_next(first);
            return 1;
        }
        let copy = (fault == Some(WebhookFault::Duplicate))
            .then(|| self.log.add(Webhook { copy_of: Some(first.id), ..first.clone() }));
        // The payment's lock is held, so that no other webhook of the payment is queued in between.
        let later: Vec<Webhook> =
            lock(&self.reordered).extract_if(.., |held| held.order_id == order_id).collect();
        let made = 1 + u64::from(copy.is_some());
        for webhook in [Some(first), copy].into_iter().flatten().chain(later) {
            self.enqueue(webhook);
        }
        made
    }

    /// Signs a webhook without queueing it.
    pub(crate) fn sign(
        &self,
        kind: &'static str,
        payment: &Payment,
        url: String,
        success: bool,
        fields: Fields,
    ) -> Webhook {
        let status = fields.iter().find_map(|(name, value)| match value {
            Value::Text(status) if *name == "status" => Some(status.clone()),
            _ => None,
        });
        // Empty and zero fields are left out (contract, section 2), except the flag `success`.
        let mut kept: Fields = fields.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        kept.insert(0, ("success", Value::Flag(success)));
        let body = object(&kept).into_bytes();
        Webhook {
            id: 0,
            at: self.clock.now(),
            order_id: payment.order_id.clone(),
            merchant_id: payment.order.merchant_id.clone(),
            kind,
            url,
            key_id: Some(self.keys.key_id.clone()),
            signature: Some(self.keys.key.sign(&body).to_base64()),
            body,
            status,
            fault: None,
            copy_of: None,
            state: WebhookState::Waiting,
            attempts: Vec::new(),
        }
    }

    /// Sends a webhook once, immediately, and returns it with the answer.
    pub(crate) async fn send_once(&self, webhook: Webhook, fault: Option<WebhookFault>) -> Webhook {
        let mut webhook = self.log.add(self.with_fault(webhook, fault));
        webhook.attempts.push(self.client.post(&webhook).await);
        let is_delivered = webhook.http_status().is_some_and(|status| (200..300).contains(&status));
        webhook.state = if is_delivered { WebhookState::Delivered } else { WebhookState::GivenUp };
        self.log.change(webhook.id, |logged| *logged = webhook.clone());
        webhook
    }

    /// Applies a fault to a webhook.
    fn with_fault(&self, mut webhook: Webhook, fault: Option<WebhookFault>) -> Webhook {
        webhook.fault = fault;
        match fault {
            // With one more space, the JSON has the same meaning, but the bytes are not the signed bytes.
            Some(WebhookFault::Tamper) => webhook.body.push(b' '),
            Some(WebhookFault::WrongKey) => {
                webhook.signature = Some(self.keys.wrong_key.sign(&webhook.body).to_base64())
            }
            Some(WebhookFault::Unsigned) => (webhook.key_id, webhook.signature) = (None, None),
            _ => {}
        }
        webhook
    }

    fn hold_until_next(self: &Arc<Deliveries>, webhook: Webhook) {
        let (deliveries, id) = (Arc::clone(self), webhook.id);
        lock(&self.reordered).push(webhook);
        self.clock.after(assumptions::REORDER_PATIENCE, move || {
            let later: Vec<Webhook> =
                lock(&deliveries.reordered).extract_if(.., |held| held.id == id).collect();
            for webhook in later {
                deliveries.enqueue(webhook);
            }
        });
    }

    /// Plans a fault for the payment's next webhooks; `false` if the payment has too many plans.
    pub(crate) fn plan(&self, order_id: &str, fault: WebhookFault, times: u32) -> bool {
        self.plans.add(order_id, fault, times)
    }

    pub(crate) fn plans(&self, order_id: &str) -> Vec<WebhookPlan> {
        self.plans.of(order_id)
    }

    pub(crate) fn forget_plans(&self, order_id: &str) {
        self.plans.forget(order_id);
    }

    /// Sends a past webhook again, without waiting for the queued webhooks. Returns the new webhooks. Must be
    /// called on the Tokio runtime.
    pub(crate) fn resend(self: &Arc<Deliveries>, past: &Webhook, fault: WebhookFault) -> Vec<Webhook> {
        let times = if fault == WebhookFault::Duplicate { 2 } else { 1 };
        let copies: Vec<Webhook> = (0..times)
            .map(|_| {
                let copy = Webhook {
                    at: self.clock.now(),
                    copy_of: Some(past.id),
                    state: WebhookState::Waiting,
                    attempts: Vec::new(),
                    ..past.clone()
                };
                self.log.add(self.with_fault(copy, Some(fault)))
            })
            .collect();
        for copy in &copies {
            let (deliveries, copy) = (Arc::clone(self), copy.clone());
            tokio::spawn(async move { deliveries.deliver(copy).await });
        }
        copies
    }

    fn enqueue(self: &Arc<Deliveries>, webhook: Webhook) {
        match lock(&self.queues).entry(webhook.order_id.clone()) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push_back(webhook),
            Entry::Vacant(none) => {
                none.insert(VecDeque::new());
                tokio::spawn(Arc::clone(self).deliver_in_order(webhook));
            }
        }
    }

    /// Delivers this webhook, and then the webhooks that were queued during the delivery.
    async fn deliver_in_order(self: Arc<Deliveries>, first: Webhook) {
        let order_id = first.order_id.clone();
        let mut next = Some(first);
        while let Some(webhook) = next {
            self.deliver(webhook).await;
            next = self.take_next(&order_id);
        }
    }

    fn take_next(&self, order_id: &str) -> Option<Webhook> {
        let mut queues = lock(&self.queues);
        let next = queues.get_mut(order_id)?.pop_front();
        if next.is_none() {
            queues.remove(order_id);
        }
        next
    }

    async fn deliver(&self, webhook: Webhook) {
        if let Some(fault) = webhook.fault.filter(|fault| fault.delay_ms().is_some()) {
            self.clock.sleep(fault.delay()).await;
        }
        // The delivery attempts of an earlier run are counted too.
        let mut pauses = self.retries.iter().skip(webhook.attempts.len());
        let mut delivery = Delivery {
            kind: webhook.kind,
            order_id: webhook.order_id.clone(),
            url: webhook.url.clone(),
            attempts: u32::try_from(webhook.attempts.len()).unwrap_or(u32::MAX),
            http_status: None,
            body: webhook.body.clone(),
            signature: webhook.signature.clone().unwrap_or_default(),
        };
        loop {
            let attempt = self.client.post(&webhook).await;
            delivery.attempts += 1;
            delivery.http_status = attempt.http_status;
            let pause = pauses.next().filter(|_| !delivery.is_delivered());
            self.log.change(webhook.id, |webhook| {
                webhook.attempts.push(attempt);
                webhook.state = match (delivery.is_delivered(), pause) {
                    (true, _) => WebhookState::Delivered,
                    (false, Some(_)) => WebhookState::Waiting,
                    (false, None) => WebhookState::GivenUp,
                };
            });
            let Some(pause) = pause else { break };
            self.clock.sleep(*pause).await;
        }
        let mut finished = lock(&self.finished);
        if finished.len() == MAX_FINISHED {
            finished.pop_front();
        }
        finished.push_back(delivery);
        self.finished_changed.notify_all();
    }

    pub(crate) fn finished(&self) -> Vec<Delivery> {
        lock(&self.finished).iter().cloned().collect()
    }

    /// Waits until a delivery of this kind about this payment has ended.
    pub(crate) fn wait_for(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        let end = Instant::now() + timeout;
        let mut finished = lock(&self.finished);
        loop {
            let found =
                finished.iter().find(|delivery| delivery.order_id == order_id && delivery.kind == kind);
            if let Some(found) = found {
                return Some(found.clone());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            finished =
                self.finished_changed.wait_timeout(finished, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
