//! Webhooks: signed, delivered in order for each payment, and retried if the merchant does not answer
//! (contract, section 6).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::base::assumptions;
use crate::base::clock::Clock;
use crate::base::lock;
use crate::model::body::Body;
use crate::model::exchange::{Captured, Message};
use crate::model::keys::ServerKeys;
use crate::model::payment::Payment;
use crate::model::webhook::{
    Webhook, WebhookAction, WebhookKind, WebhookPlan, WebhookState, WebhookSummary, headers, token,
};
use crate::service::client::WebhookClient;
use crate::stores::webhooks::WebhookLog;

/// The deliveries of webhooks: a queue for each payment keeps the order.
pub(crate) struct Deliveries {
    pub(crate) keys: ServerKeys,
    pub(crate) retries: Vec<Duration>,
    pub(crate) client: WebhookClient,
    pub(crate) clock: Arc<Clock>,
    pub(crate) log: WebhookLog,
    /// The webhooks after the current webhook. A payment without a delivery has no queue.
    pub(crate) queues: Mutex<HashMap<String, VecDeque<Webhook>>>,
    /// Webhooks that wait for the payment's next webhook.
    pub(crate) reordered: Mutex<Vec<Webhook>>,
    /// The actions on each payment's next webhooks, in the order in which they were planned, and the last id.
    pub(crate) plans: Mutex<(u64, HashMap<String, VecDeque<WebhookPlan>>)>,
}

impl Deliveries {
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
        kind: WebhookKind,
        payment: &Payment,
        url: &str,
        body: Body<'_>,
    ) -> u64 {
        let order_id = payment.order_id.as_str();
        let plan = self.take_plan(order_id);
        let action = plan.map(|plan| plan.action);
        let first = self.log.add(self.with_action(self.sign(kind, payment, url, body), plan));
        if action == Some(WebhookAction::Reorder) {
            self.hold_until_next(first);
            return 1;
        }
        let copy = (action == Some(WebhookAction::Duplicate)).then(|| {
            let copy_of = Some(first.summary.id);
            self.log.add(Webhook {
                summary: WebhookSummary { copy_of, ..first.summary.clone() },
                ..first.clone()
            })
        });
        // The payment's lock is held, so that no other webhook of the payment is queued in between.
        let later: Vec<Webhook> =
            lock(&self.reordered).extract_if(.., |held| held.summary.order_id == order_id).collect();
        let made = 1 + u64::from(copy.is_some());
        for webhook in [Some(first), copy].into_iter().flatten().chain(later) {
            self.enqueue(webhook);
        }
        made
    }

    /// Signs a webhook without queueing it.
    pub(crate) fn sign(&self, kind: WebhookKind, payment: &Payment, url: &str, body: Body<'_>) -> Webhook {
        let status = body.status.map(str::to_owned);
        let body = body.without_empty().json().into_bytes();
        let (key_id, signature) = (self.keys.key_id.clone(), self.keys.key.sign(&body).to_base64());
        Webhook {
            summary: WebhookSummary {
                id: 0,
                at: self.clock.now(),
                order_id: payment.order_id.clone(),
                order_exists: None,
                merchant_id: payment.order.merchant_id.clone(),
                kind,
                url: url.to_owned(),
                token: token(url),
                state: WebhookState::Waiting,
                action: None,
                delay_ms: None,
                copy_of: None,
                attempts: 0,
                http_status: None,
                status,
            },
            request: Message {
                method: None,
                path: None,
                http_status: None,
                headers: headers(Some(&key_id), Some(&signature)),
                key_id: Some(key_id),
                signature: Some(signature),
                body: Captured::new(&body),
            },
            attempt_list: Vec::new(),
        }
    }

    /// Sends a webhook once, immediately, and returns it with the answer.
    pub(crate) async fn send_once(&self, webhook: Webhook, action: Option<WebhookAction>) -> Webhook {
        let plan = action.map(|action| WebhookPlan::new(action, None));
        let mut webhook = self.log.add(self.with_action(webhook, plan));
        webhook.attempted(self.client.post(&webhook).await, false);
        self.log.change(webhook.summary.id, |logged| *logged = webhook.clone());
        webhook
    }

    fn with_action(&self, mut webhook: Webhook, plan: Option<WebhookPlan>) -> Webhook {
        let Webhook { summary, request, .. } = &mut webhook;
        summary.action = plan.map(|plan| plan.action);
        summary.delay_ms = plan.and_then(|plan| plan.delay_ms);
        match summary.action {
            // With one more space, the JSON has the same meaning, but the bytes are not the signed bytes.
            Some(WebhookAction::Tamper) => {
                request.body = Captured::new(&[&request.body.bytes, b" ".as_slice()].concat());
            }
            Some(WebhookAction::WrongKey) => {
                request.signature = Some(self.keys.wrong_key.sign(&request.body.bytes).to_base64());
            }
            Some(WebhookAction::Unsigned) => (request.key_id, request.signature) = (None, None),
            _ => return webhook,
        }
        request.headers = headers(request.key_id.as_deref(), request.signature.as_deref());
        webhook
    }

    fn hold_until_next(self: &Arc<Deliveries>, webhook: Webhook) {
        let (deliveries, id) = (Arc::clone(self), webhook.summary.id);
        lock(&self.reordered).push(webhook);
        self.clock.after(assumptions::REORDER_PATIENCE, move || {
            let later: Vec<Webhook> =
                lock(&deliveries.reordered).extract_if(.., |held| held.summary.id == id).collect();
            for webhook in later {
                deliveries.enqueue(webhook);
            }
        });
    }

    /// Plans an action on the payment's next webhooks; `false` if the payment has too many plans.
    pub(crate) fn plan(&self, order_id: &str, mut plan: WebhookPlan) -> bool {
        let mut plans = lock(&self.plans);
        plans.0 += 1;
        plan.id = plans.0;
        let of_payment = plans.1.entry(order_id.to_owned()).or_default();
        if of_payment.len() == assumptions::MOST_PLANS {
            return false;
        }
        of_payment.push_back(plan);
        true
    }

    fn take_plan(&self, order_id: &str) -> Option<WebhookPlan> {
        let mut plans = lock(&self.plans);
        let of_payment = plans.1.get_mut(order_id)?;
        let first = of_payment.front_mut()?;
        first.times = first.times.saturating_sub(1);
        let (taken, used_up) = (*first, first.times == 0);
        if used_up {
            of_payment.pop_front();
        }
        if of_payment.is_empty() {
            plans.1.remove(order_id);
        }
        Some(taken)
    }

    pub(crate) fn plans(&self, order_id: &str) -> Vec<WebhookPlan> {
        lock(&self.plans).1.get(order_id).into_iter().flatten().copied().collect()
    }

    pub(crate) fn forget_plans(&self, order_id: &str) {
        lock(&self.plans).1.remove(order_id);
    }

    /// Sends a past webhook again, without waiting for the queued webhooks. Returns the new webhooks. Must be
    /// called on the Tokio runtime.
    pub(crate) fn resend(self: &Arc<Deliveries>, past: &Webhook, plan: WebhookPlan) -> Vec<WebhookSummary> {
        let copy = |_| {
            let summary = WebhookSummary {
                at: self.clock.now(),
                copy_of: Some(past.summary.id),
                state: WebhookState::Waiting,
                attempts: 0,
                http_status: None,
                ..past.summary.clone()
            };
            let copy = Webhook { summary, request: past.request.clone(), attempt_list: Vec::new() };
            let copy = self.log.add(self.with_action(copy, Some(plan)));
            let (deliveries, summary) = (Arc::clone(self), copy.summary.clone());
            tokio::spawn(async move { deliveries.deliver(copy).await });
            summary
        };
        (0..if plan.action == WebhookAction::Duplicate { 2 } else { 1 }).map(copy).collect()
    }

    fn enqueue(self: &Arc<Deliveries>, webhook: Webhook) {
        match lock(&self.queues).entry(webhook.summary.order_id.clone()) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push_back(webhook),
            Entry::Vacant(none) => {
                none.insert(VecDeque::new());
                tokio::spawn(Arc::clone(self).deliver_in_order(webhook));
            }
        }
    }

    /// Delivers this webhook, and then the webhooks that were queued during the delivery.
    async fn deliver_in_order(self: Arc<Deliveries>, first: Webhook) {
        let order_id = first.summary.order_id.clone();
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
        if let Some(ms) = webhook.summary.delay_ms {
            self.clock.sleep(Duration::from_millis(ms)).await;
        }
        // The delivery attempts of an earlier run are counted too.
        let mut pauses = self.retries.iter().skip(webhook.summary.attempts);
        loop {
            let attempt = self.client.post(&webhook).await;
            let is_delivered = matches!(attempt.http_status, Some(200..300));
            let pause = pauses.next().filter(|_| !is_delivered);
            self.log.change(webhook.summary.id, |webhook| webhook.attempted(attempt, pause.is_some()));
            let Some(pause) = pause else { return };
            self.clock.sleep(*pause).await;
        }
    }
}
