//! The last webhooks; every change is saved and published.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::base::event_bus::EventBus;
use crate::base::lock;
use crate::model::webhook::{Delivery, Webhook, WebhookState, WebhookSummary};
use crate::stores::database::Database;

/// The number of webhooks that are kept.
const MAX_WEBHOOKS: usize = 2_000;

/// The last webhooks, by their ids.
pub(crate) struct WebhookLog {
    webhooks: Mutex<Webhooks>,
    changed: Condvar,
    database: Arc<Database>,
    events: Arc<EventBus>,
}

struct Webhooks {
    last_id: u64,
    by_id: BTreeMap<u64, Webhook>,
}

impl WebhookLog {
    /// Makes a log with the webhooks of an earlier run.
    pub(crate) fn new(earlier: Vec<Webhook>, database: Arc<Database>, events: Arc<EventBus>) -> WebhookLog {
        let last_id = earlier.last().map_or(0, |webhook| webhook.summary.id);
        let by_id = earlier.into_iter().map(|webhook| (webhook.summary.id, webhook)).collect();
        WebhookLog {
            webhooks: Mutex::new(Webhooks { last_id, by_id }),
            changed: Condvar::new(),
            database,
            events,
        }
    }

    /// Adds a webhook, and assigns its id.
    pub(crate) fn add(&self, mut webhook: Webhook) -> Webhook {
        let mut webhooks = lock(&self.webhooks);
        webhooks.last_id += 1;
        webhook.summary.id = webhooks.last_id;
        webhooks.by_id.insert(webhook.summary.id, webhook.clone());
        // With a database a waiting webhook is never dropped: the next run must deliver it.
        let is_done = |webhook: &Webhook| is_done(webhook) || !self.database.is_open();
        let oldest = || webhooks.by_id.iter().find(|(_, webhook)| is_done(webhook)).map(|(id, _)| *id);
        let dropped = if webhooks.by_id.len() > MAX_WEBHOOKS { oldest() } else { None };
        self.database.save_webhook(&webhook);
        if let Some(id) = dropped {
            webhooks.by_id.remove(&id);
            self.database.delete_webhook(id);
        }
        self.events.publish("webhook", || &webhook.summary);
        webhook
    }

    /// Changes a webhook, if it is still kept.
    pub(crate) fn change(&self, id: u64, change: impl FnOnce(&mut Webhook)) {
        let mut webhooks = lock(&self.webhooks);
        let Some(webhook) = webhooks.by_id.get_mut(&id) else { return };
        change(webhook);
        self.database.save_webhook(webhook);
        self.events.publish("webhook", || &webhook.summary);
        self.changed.notify_all();
    }

    /// Removes the webhooks whose delivery has succeeded or finally failed, and returns their number.
    pub(crate) fn remove_done(&self) -> usize {
        let mut webhooks = lock(&self.webhooks);
        let done = webhooks.by_id.extract_if(.., |_, webhook| is_done(webhook));
        done.map(|(id, _)| self.database.delete_webhook(id)).count()
    }

    pub(crate) fn get(&self, id: u64) -> Option<Webhook> {
        lock(&self.webhooks).by_id.get(&id).cloned()
    }

    /// The webhooks that were not delivered when the sandbox stopped.
    pub(crate) fn unfinished(&self) -> Vec<Webhook> {
        lock(&self.webhooks).by_id.values().filter(|webhook| !is_done(webhook)).cloned().collect()
    }

    pub(crate) fn finished(&self) -> Vec<Delivery> {
        lock(&self.webhooks).by_id.values().filter(|webhook| is_done(webhook)).map(Delivery::from).collect()
    }

    /// Waits until a delivery of this kind about this payment has ended.
    pub(crate) fn wait_for(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        let end = Instant::now() + timeout;
        let mut webhooks = lock(&self.webhooks);
        loop {
            let wanted = |webhook: &&Webhook| {
                is_done(webhook)
                    && webhook.summary.order_id == order_id
                    && webhook.summary.kind.as_str() == kind
            };
            if let Some(found) = webhooks.by_id.values().find(wanted) {
                return Some(found.into());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            webhooks = self.changed.wait_timeout(webhooks, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The newest webhooks for which `wanted` is true, with numbers below `before` if that is set.
    pub(crate) fn newest(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&WebhookSummary) -> bool,
    ) -> Vec<(u64, WebhookSummary)> {
        let webhooks = lock(&self.webhooks);
        let older = webhooks.by_id.range(..before.unwrap_or(u64::MAX)).rev();
        let summaries = older.map(|(id, webhook)| (*id, &webhook.summary));
        summaries.filter(|(_, one)| wanted(one)).take(limit).map(|(id, one)| (id, one.clone())).collect()
    }
}

fn is_done(webhook: &Webhook) -> bool {
    webhook.summary.state != WebhookState::Waiting
}
