//! The last webhooks; every change is saved and published.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::base::event_bus::EventBus;
use crate::base::lock::lock;
use crate::model::view;
use crate::model::webhook::{Webhook, WebhookState};
use crate::stores::database::Database;

/// The number of webhooks that are kept.
const MAX_WEBHOOKS: usize = 2_000;

/// The last webhooks, by their ids.
pub(crate) struct WebhookLog {
    webhooks: Mutex<Webhooks>,
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
        let last_id = earlier.last().map_or(0, |webhook| webhook.id);
        let by_id = earlier.into_iter().map(|webhook| (webhook.id, webhook)).collect();
        WebhookLog { webhooks: Mutex::new(Webhooks { last_id, by_id }), database, events }
    }

    /// Adds a webhook, and assigns its id.
    pub(crate) fn add(&self, mut webhook: Webhook) -> Webhook {
        let mut webhooks = lock(&self.webhooks);
        webhooks.last_id += 1;
        webhook.id = webhooks.last_id;
        webhooks.by_id.insert(webhook.id, webhook.clone());
        // With a database a waiting webhook is never dropped: the next run must deliver it.
        let is_done = |webhook: &Webhook| webhook.state != WebhookState::Waiting || !self.database.is_open();
        let oldest = || webhooks.by_id.iter().find(|(_, webhook)| is_done(webhook)).map(|(id, _)| *id);
        let dropped = if webhooks.by_id.len() > MAX_WEBHOOKS { oldest() } else { None };
        self.database.save_webhook(&webhook);
        if let Some(id) = dropped {
            webhooks.by_id.remove(&id);
            self.database.delete_webhook(id);
        }
        self.events.publish("webhook", || view::webhook(&webhook));
        webhook
    }

    /// Changes a webhook, if it is still kept.
    pub(crate) fn change(&self, id: u64, change: impl FnOnce(&mut Webhook)) {
        let mut webhooks = lock(&self.webhooks);
        let Some(webhook) = webhooks.by_id.get_mut(&id) else { return };
        change(webhook);
        self.database.save_webhook(webhook);
        self.events.publish("webhook", || view::webhook(webhook));
    }

    /// Removes the webhooks whose delivery has succeeded or finally failed, and returns their number.
    pub(crate) fn remove_done(&self) -> usize {
        let mut webhooks = lock(&self.webhooks);
        let is_done = |webhook: &Webhook| webhook.state != WebhookState::Waiting;
        let done: Vec<u64> =
            webhooks.by_id.values().filter(|webhook| is_done(webhook)).map(|webhook| webhook.id).collect();
        for id in &done {
            webhooks.by_id.remove(id);
            self.database.delete_webhook(*id);
        }
        done.len()
    }

    pub(crate) fn get(&self, id: u64) -> Option<Webhook> {
        lock(&self.webhooks).by_id.get(&id).cloned()
    }

    /// The webhooks that were not delivered when the sandbox stopped.
    pub(crate) fn unfinished(&self) -> Vec<Webhook> {
        lock(&self.webhooks)
            .by_id
            .values()
            .filter(|webhook| webhook.state == WebhookState::Waiting)
            .cloned()
            .collect()
    }

    /// The newest webhooks for which `wanted` is true, with numbers below `before` if that is set. `make`
    /// converts each webhook.
    pub(crate) fn newest<T>(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Webhook) -> bool,
        make: impl Fn(&Webhook) -> T,
    ) -> Vec<(u64, T)> {
        let webhooks = lock(&self.webhooks);
        let newest =
            webhooks.by_id.range(..before.unwrap_or(u64::MAX)).rev().filter(|(_, webhook)| wanted(webhook));
        newest.take(limit).map(|(id, webhook)| (*id, make(webhook))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::webhook::tests::webhook;

    #[test]
    fn one_that_waits_outlives_any_number_of_others_in_a_database() {
        let path = std::env::temp_dir().join(format!("merchantpay-sandbox-{}-waits.db", std::process::id()));
        let read = || Arc::new(Database::open(&path).unwrap());
        let database = read();
        let log = WebhookLog::new(Vec::new(), Arc::clone(&database), Arc::default());
        let waiting = log.add(webhook(WebhookState::Waiting)).id;
        (0..=MAX_WEBHOOKS).for_each(|_| drop(log.add(webhook(WebhookState::Delivered))));
        assert_eq!(lock(&log.webhooks).by_id.len(), MAX_WEBHOOKS);
        drop((log, database));
        let kept = WebhookLog::new(read().webhooks().unwrap(), Arc::default(), Arc::default()).unfinished();
        assert_eq!(kept.iter().map(|webhook| webhook.id).collect::<Vec<_>>(), [waiting]);
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}
