//! The last webhooks; every change is saved and published.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Numbered;
use super::database::{Database, WEBHOOK};
use crate::base::{EventBus, lock};
use crate::model::webhook::{Delivery, Webhook, WebhookSummary};

const MAX_WEBHOOKS: usize = 2_000;

pub(crate) struct WebhookLog {
    webhooks: Mutex<Numbered<Webhook>>,
    changed: Condvar,
    database: Arc<Database>,
    events: Arc<EventBus>,
}

impl WebhookLog {
    pub(crate) fn new(earlier: Vec<Webhook>, database: Arc<Database>, events: Arc<EventBus>) -> WebhookLog {
        let webhooks = Numbered::of(earlier.into_iter().map(|webhook| (webhook.summary.id, webhook)));
        WebhookLog { webhooks: Mutex::new(webhooks), changed: Condvar::new(), database, events }
    }

    fn save(&self, webhook: &Webhook) {
        self.database.save_record(WEBHOOK, webhook.summary.id, webhook);
        self.events.publish("webhook", || &webhook.summary);
        self.changed.notify_all();
    }

    pub(crate) fn add(&self, mut webhook: Webhook) -> Webhook {
        let mut webhooks = lock(&self.webhooks);
        webhook.summary.id = webhooks.next();
        webhooks.values.insert(webhook.summary.id, webhook.clone());
        if webhooks.values.len() > MAX_WEBHOOKS {
            // With a database a waiting webhook is never dropped: the next run must deliver it.
            let is_done = |webhook: &Webhook| webhook.is_done() || !self.database.is_open();
            let oldest = webhooks.values.iter().find(|(_, webhook)| is_done(webhook)).map(|(id, _)| *id);
            if let Some(id) = oldest {
                webhooks.values.remove(&id);
                self.database.delete(WEBHOOK, id);
            }
        }
        self.save(&webhook);
        webhook
    }

    pub(crate) fn change(&self, id: u64, change: impl FnOnce(&mut Webhook)) {
        let mut webhooks = lock(&self.webhooks);
        if let Some(webhook) = webhooks.values.get_mut(&id) {
            change(webhook);
            self.save(webhook);
        }
    }

    pub(crate) fn remove_done(&self) -> usize {
        let mut webhooks = lock(&self.webhooks);
        let done = webhooks.values.extract_if(.., |_, webhook| webhook.is_done());
        done.map(|(id, _)| self.database.delete(WEBHOOK, id)).count()
    }

    pub(crate) fn get(&self, id: u64) -> Option<Webhook> {
        lock(&self.webhooks).values.get(&id).cloned()
    }

    pub(crate) fn unfinished(&self) -> Vec<Webhook> {
        lock(&self.webhooks).values.values().filter(|webhook| !webhook.is_done()).cloned().collect()
    }

    pub(crate) fn finished(&self) -> Vec<Delivery> {
        let webhooks = lock(&self.webhooks);
        webhooks.values.values().filter(|webhook| webhook.is_done()).map(Delivery::from).collect()
    }

    pub(crate) fn wait_for(&self, order_id: &str, kind: &str, timeout: Duration) -> Option<Delivery> {
        let end = Instant::now() + timeout;
        let mut webhooks = lock(&self.webhooks);
        loop {
            let wanted = |webhook: &&Webhook| {
                let WebhookSummary { order_id: about, kind: known, .. } = &webhook.summary;
                webhook.is_done() && about == order_id && known.as_str() == kind
            };
            if let Some(found) = webhooks.values.values().find(wanted) {
                return Some(found.into());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            webhooks = self.changed.wait_timeout(webhooks, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn newest(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&WebhookSummary) -> bool,
    ) -> Vec<(u64, WebhookSummary)> {
        let show = |webhook: &Webhook| wanted(&webhook.summary).then(|| webhook.summary.clone());
        lock(&self.webhooks).newest(before, limit, show)
    }
}
