//! Webhooks: delivered in order for each payment, and retried if the merchant does not answer (contract,
//! section 6).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, Semaphore};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::base::clock::Clock;
use crate::base::hosts::WebhookHosts;
use crate::base::options::Options;
use crate::base::{assumptions, lock, millis};
use crate::model::ServerKeys;
use crate::model::exchange::{Captured, header_list};
use crate::model::payment::Payment;
use crate::model::state::{WebhookAction, WebhookPlan};
use crate::model::webhook::{
    Attempt, LONGEST_REPLY, Webhook, WebhookKind, WebhookState, WebhookSummary, is_accepted,
};
use crate::store::WebhookLog;

pub(crate) struct Deliveries {
    keys: ServerKeys,
    retries: Vec<Duration>,
    hosts: Arc<WebhookHosts>,
    clock: Arc<Clock>,
    pub(crate) log: WebhookLog,
    /// By order id, the webhooks behind the one in delivery. A payment without a delivery has no queue.
    queues: Mutex<HashMap<String, VecDeque<Webhook>>>,
    arrivals: Notify,
    agents: Agents,
    permits: Semaphore,
}

impl Deliveries {
    pub(crate) fn new(
        options: &Options,
        keys: ServerKeys,
        hosts: Arc<WebhookHosts>,
        clock: Arc<Clock>,
        log: WebhookLog,
    ) -> io::Result<Deliveries> {
        let ca_pem = options.ca_file.as_ref().map(std::fs::read).transpose().map_err(|error| {
            io::Error::new(error.kind(), format!("the file of the CA cannot be read: {error}"))
        })?;
        Ok(Deliveries {
            keys,
            retries: options.webhook_retries.clone(),
            hosts,
            clock,
            log,
            queues: Mutex::default(),
            arrivals: Notify::new(),
            agents: Agents::new(options.webhook_timeout, ca_pem.unwrap_or_default()),
            permits: Semaphore::new(assumptions::WEBHOOKS_AT_ONCE),
        })
    }

    /// Of an earlier run. Must be called on the Tokio runtime.
    pub(crate) fn resume(self: &Arc<Deliveries>) {
        for webhook in self.log.unfinished() {
            self.enqueue(webhook);
        }
    }

    pub(crate) fn sign(&self, kind: WebhookKind, payment: &Payment, url: &str) -> Webhook {
        Webhook::signed(kind, payment, url, self.clock.now(), &self.keys)
    }

    /// Returns the number of webhooks that the plan made. Must be called on the Tokio runtime, under the payment's lock.
    pub(crate) fn queue(self: &Arc<Deliveries>, webhook: Webhook, plan: Option<WebhookPlan>) -> u64 {
        let made = self.add(webhook, plan);
        let count = made.len() as u64;
        made.into_iter().for_each(|webhook| self.enqueue(webhook));
        count
    }

    /// Does not wait for the queued webhooks. Must be called on the Tokio runtime.
    pub(crate) fn resend(self: &Arc<Deliveries>, past: &Webhook, plan: WebhookPlan) -> Vec<WebhookSummary> {
        let summary = WebhookSummary {
            at: self.clock.now(),
            copy_of: Some(past.summary.id),
            state: WebhookState::Waiting,
            attempts: 0,
            http_status: None,
            ..past.summary.clone()
        };
        let copy = Webhook { summary, request: past.request.clone(), attempt_list: Vec::new() };
        let send = |copy: Webhook| {
            let (deliveries, summary) = (Arc::clone(self), copy.summary.clone());
            tokio::spawn(async move { deliveries.deliver(copy).await });
            summary
        };
        self.add(copy, Some(plan)).into_iter().map(send).collect()
    }

    /// Does not wait for the queued webhooks, and returns with the answer.
    pub(crate) async fn send_once(&self, webhook: Webhook, action: Option<WebhookAction>) -> Webhook {
        let plan = action.map(|action| WebhookPlan::new(action, None));
        let mut webhook = self.log.add(webhook.with_action(plan, &self.keys));
        webhook.attempted(self.post(&webhook).await, false);
        self.log.change(webhook.summary.id, |logged| *logged = webhook.clone());
        webhook
    }

    /// Logs the webhook that the plan makes of this one, or both.
    fn add(&self, webhook: Webhook, plan: Option<WebhookPlan>) -> Vec<Webhook> {
        let mut made = vec![self.log.add(webhook.with_action(plan, &self.keys))];
        if made[0].summary.action == Some(WebhookAction::Duplicate) {
            let mut copy = made[0].clone();
            copy.summary.copy_of = copy.summary.copy_of.or(Some(copy.summary.id));
            made.push(self.log.add(copy));
        }
        made
    }

    fn enqueue(self: &Arc<Deliveries>, webhook: Webhook) {
        match lock(&self.queues).entry(webhook.summary.order_id.clone()) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push_back(webhook),
            Entry::Vacant(none) => {
                none.insert(VecDeque::new());
                tokio::spawn(Arc::clone(self).deliver_in_order(webhook));
            }
        }
        self.arrivals.notify_waiters();
    }

    async fn deliver_in_order(self: Arc<Deliveries>, first: Webhook) {
        let order_id = first.summary.order_id.clone();
        let mut next = Some(first);
        while let Some(webhook) = next {
            if webhook.summary.action == Some(WebhookAction::Reorder)
                && let Some(later) = self.wait_for_next(&order_id).await
            {
                self.deliver(later).await;
            }
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

    async fn wait_for_next(&self, order_id: &str) -> Option<Webhook> {
        let next = async {
            loop {
                let arrival = self.arrivals.notified();
                if let Some(webhook) = lock(&self.queues).get_mut(order_id).and_then(VecDeque::pop_front) {
                    return Some(webhook);
                }
                arrival.await;
            }
        };
        tokio::select! {
            next = next => next,
            () = self.clock.sleep(assumptions::REORDER_PATIENCE) => None,
        }
    }

    async fn deliver(&self, webhook: Webhook) {
        if let Some(ms) = webhook.summary.delay_ms {
            self.clock.sleep(Duration::from_millis(ms)).await;
        }
        // Attempts of an earlier run count too.
        let mut pauses = self.retries.iter().skip(webhook.summary.attempts);
        loop {
            let attempt = self.post(&webhook).await;
            let pause = pauses.next().filter(|_| !is_accepted(attempt.http_status));
            self.log.change(webhook.summary.id, |webhook| webhook.attempted(attempt, pause.is_some()));
            let Some(pause) = pause else { return };
            self.clock.sleep(*pause).await;
        }
    }

    async fn post(&self, webhook: &Webhook) -> Attempt {
        let _permit = self.permits.acquire().await;
        let (at, started) = (self.clock.now(), Instant::now());
        let answer = self.answer(webhook).await;
        let failed = |error| Attempt { error: Some(error), ..Attempt::default() };
        Attempt { at, duration_ms: millis(started.elapsed()), ..answer.unwrap_or_else(failed) }
    }

    async fn answer(&self, webhook: &Webhook) -> Result<Attempt, String> {
        // The URL may come from the file of an earlier run, which had other flags.
        if !self.hosts.allows(&webhook.summary.url) {
            return Err("not sent: --webhook-host does not name this host".to_owned());
        }
        let mut request = self.agents.of(&webhook.summary.url)?.post(&webhook.summary.url);
        for (name, value) in &webhook.request.headers {
            request = request.header(name, value);
        }
        let body = webhook.request.body.bytes.clone();
        let reply = tokio::task::spawn_blocking(move || request.send(&body[..]).map(read_reply)).await;
        reply.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
    }
}

fn read_reply(reply: ureq::http::Response<ureq::Body>) -> Attempt {
    let (head, mut body) = reply.into_parts();
    let announced = body.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let (mut bytes, limit) = (Vec::new(), LONGEST_REPLY as u64 + 1);
    // An incomplete answer still has a status.
    let _ = body.as_reader().take(limit).read_to_end(&mut bytes);
    let size = announced.max(bytes.len());
    bytes.truncate(LONGEST_REPLY);
    Attempt {
        http_status: Some(head.status.as_u16()),
        headers: header_list(&head.headers),
        body: Captured { bytes: bytes.into(), size },
        ..Attempt::default()
    }
}

/// The system's CAs are read only for the first webhook to https.
pub(crate) struct Agents {
    http: ureq::Agent,
    https: OnceLock<Result<ureq::Agent, String>>,
    timeout: Duration,
    ca_pem: Vec<u8>,
}

impl Agents {
    pub(crate) fn new(timeout: Duration, ca_pem: Vec<u8>) -> Agents {
        Agents { http: agent(timeout, None), https: OnceLock::new(), timeout, ca_pem }
    }

    pub(crate) fn of(&self, url: &str) -> Result<&ureq::Agent, String> {
        if !url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")) {
            return Ok(&self.http);
        }
        let trusting = || {
            let trusted = merchantpay::trusted_certificates(&[("ca_file", self.ca_pem.clone())], false);
            Ok(agent(self.timeout, Some(trusted.map_err(|error| error.message().to_owned())?)))
        };
        self.https.get_or_init(trusting).as_ref().map_err(Clone::clone)
    }
}

/// A client that sends exactly the given request: it uses no proxy of the environment, follows no redirect, and
/// returns every status as an answer. It can call https if it gets the certificates of the trusted CAs, as DER.
pub fn agent(timeout: Duration, trusted: Option<Vec<Vec<u8>>>) -> ureq::Agent {
    let certificates = trusted.unwrap_or_default();
    let certificates = certificates.iter().map(|der| Certificate::from_der(der).to_owned());
    let tls = TlsConfig::builder().root_certs(RootCerts::from(certificates));
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .tls_config(tls.build())
        // A webhook is far smaller, and no more of its answer is kept.
        .input_buffer_size(LONGEST_REPLY)
        .output_buffer_size(LONGEST_REPLY)
        .timeout_global(Some(timeout))
        .build()
        .new_agent()
}
