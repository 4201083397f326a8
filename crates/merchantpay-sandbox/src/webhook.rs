//! Webhooks as the log remembers them: what was sent, and what was answered, attempt by attempt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::clock::Millis;
use crate::database::Database;
use crate::event_bus::EventBus;
use crate::lock::lock;
use crate::view;
use crate::webhook_fault::WebhookFault;

/// How many webhooks are remembered.
const REMEMBERED: usize = 2_000;
/// How much of an answer is remembered.
pub(crate) const LONGEST_ANSWER: usize = 16 * 1024;

/// What became of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WebhookState {
    /// For its turn, a delay, or the next attempt.
    Waiting,
    Delivered,
    GivenUp,
}

impl WebhookState {
    pub(crate) const ALL: [WebhookState; 3] = [WebhookState::Waiting, WebhookState::Delivered, WebhookState::GivenUp];

    pub(crate) fn name(self) -> &'static str {
        match self {
            WebhookState::Waiting => "waiting",
            WebhookState::Delivered => "delivered",
            WebhookState::GivenUp => "givenUp",
        }
    }
}

/// One webhook.
#[derive(Clone)]
pub(crate) struct Webhook {
    pub(crate) id: u64,
    pub(crate) at: Millis,
    pub(crate) order_id: String,
    /// The payment's.
    pub(crate) merchant_id: Option<String>,
    pub(crate) kind: &'static str,
    pub(crate) url: String,
    /// `X-KeyId` and `X-Signature`, if they are sent.
    pub(crate) key_id: Option<String>,
    pub(crate) signature: Option<String>,
    /// The bytes that are sent.
    pub(crate) body: Vec<u8>,
    /// The payment's status inside.
    pub(crate) status: Option<String>,
    pub(crate) action: Option<WebhookFault>,
    pub(crate) copy_of: Option<u64>,
    pub(crate) state: WebhookState,
    pub(crate) attempts: Vec<Attempt>,
}

/// One time that it was sent.
#[derive(Clone)]
pub(crate) struct Attempt {
    pub(crate) at: Millis,
    pub(crate) duration_ms: u64,
    pub(crate) http_status: Option<u16>,
    pub(crate) headers: Vec<(String, String)>,
    /// The beginning of the answer, and its size.
    pub(crate) body: Vec<u8>,
    pub(crate) size: usize,
    pub(crate) error: Option<String>,
}

impl Webhook {
    pub(crate) fn http_status(&self) -> Option<u16> {
        self.attempts.last().and_then(|attempt| attempt.http_status)
    }

    /// The last part of the URL's path: where each payment has a webhook URL of its own, it identifies the payment.
    pub(crate) fn token(&self) -> Option<&str> {
        let path = self.url.split(['?', '#']).next()?.split_once("://")?.1.split_once('/')?.1;
        path.trim_end_matches('/').rsplit('/').next().filter(|token| !token.is_empty())
    }

    /// The headers of its request.
    pub(crate) fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "*/*".to_owned()),
            ("user-agent", concat!("merchantpay-sandbox/", env!("CARGO_PKG_VERSION")).to_owned()),
        ];
        headers.extend(self.key_id.clone().map(|key_id| ("x-keyid", key_id)));
        headers.extend(self.signature.clone().map(|signature| ("x-signature", signature)));
        headers
    }
}

/// The last webhooks, by their numbers.
pub(crate) struct WebhookLog {
    webhooks: Mutex<(u64, BTreeMap<u64, Webhook>)>,
    database: Arc<Database>,
    events: Arc<EventBus>,
}

impl WebhookLog {
    /// With the webhooks of an earlier run.
    pub(crate) fn new(earlier: Vec<Webhook>, database: Arc<Database>, events: Arc<EventBus>) -> WebhookLog {
        let last = earlier.last().map_or(0, |webhook| webhook.id);
        let webhooks = earlier.into_iter().map(|webhook| (webhook.id, webhook)).collect();
        WebhookLog { webhooks: Mutex::new((last, webhooks)), database, events }
    }

    /// Gives a webhook its number and remembers it.
    pub(crate) fn add(&self, mut webhook: Webhook) -> Webhook {
        let mut log = lock(&self.webhooks);
        log.0 += 1;
        webhook.id = log.0;
        log.1.insert(webhook.id, webhook.clone());
        // In a database one that waits stays: the next run has to deliver it.
        let is_done = |webhook: &Webhook| webhook.state != WebhookState::Waiting || !self.database.is_open();
        let oldest = || log.1.iter().find(|(_, webhook)| is_done(webhook)).map(|(id, _)| *id);
        let forgotten = if log.1.len() > REMEMBERED { oldest() } else { None };
        self.database.save_webhook(&webhook);
        if let Some(id) = forgotten {
            log.1.remove(&id);
            self.database.delete_webhook(id);
        }
        self.events.publish("webhook", || view::webhook(&webhook));
        webhook
    }

    /// Changes a webhook, if it is still remembered.
    pub(crate) fn change(&self, id: u64, change: impl FnOnce(&mut Webhook)) {
        let mut log = lock(&self.webhooks);
        let Some(webhook) = log.1.get_mut(&id) else { return };
        change(webhook);
        self.database.save_webhook(webhook);
        self.events.publish("webhook", || view::webhook(webhook));
    }

    pub(crate) fn get(&self, id: u64) -> Option<Webhook> {
        lock(&self.webhooks).1.get(&id).cloned()
    }

    /// Those that were not delivered when the sandbox stopped.
    pub(crate) fn unfinished(&self) -> Vec<Webhook> {
        lock(&self.webhooks).1.values().filter(|webhook| webhook.state == WebhookState::Waiting).cloned().collect()
    }

    /// The newest that are wanted and older than a number, each as `make` shows it.
    pub(crate) fn newest<T>(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Webhook) -> bool,
        make: impl Fn(&Webhook) -> T,
    ) -> Vec<(u64, T)> {
        let log = lock(&self.webhooks);
        let newest = log.1.range(..before.unwrap_or(u64::MAX)).rev().filter(|(_, webhook)| wanted(webhook));
        newest.take(limit).map(|(id, webhook)| (*id, make(webhook))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(state: WebhookState) -> Webhook {
        Webhook {
            id: 0,
            at: 0,
            order_id: "sb-1".to_owned(),
            merchant_id: None,
            kind: "status",
            url: "http://127.0.0.1:1/".to_owned(),
            key_id: None,
            signature: None,
            body: Vec::new(),
            status: None,
            action: None,
            copy_of: None,
            state,
            attempts: Vec::new(),
        }
    }

    #[test]
    fn the_token_is_the_last_part_of_the_urls_path() {
        for (url, token) in [
            ("https://shop.example/hooks/4f1c", Some("4f1c")),
            ("https://shop.example/hooks/4f1c/?a=/b#/c", Some("4f1c")),
            ("http://127.0.0.1:1/4f1c", Some("4f1c")),
            ("http://127.0.0.1:1/", None),
            ("http://127.0.0.1:1", None),
            ("http://127.0.0.1:1?a=/b", None),
        ] {
            let webhook = Webhook { url: url.to_owned(), ..webhook(WebhookState::Waiting) };
            assert_eq!(webhook.token(), token, "{url}");
        }
    }

    #[test]
    fn one_that_waits_outlives_any_number_of_others_in_a_database() {
        let path = std::env::temp_dir().join(format!("merchantpay-sandbox-{}-waits.db", std::process::id()));
        let read = || Arc::new(Database::open(&path).unwrap());
        let database = read();
        let log = WebhookLog::new(Vec::new(), Arc::clone(&database), Arc::default());
        let waiting = log.add(webhook(WebhookState::Waiting)).id;
        (0..=REMEMBERED).for_each(|_| drop(log.add(webhook(WebhookState::Delivered))));
        assert_eq!(lock(&log.webhooks).1.len(), REMEMBERED);
        drop((log, database));
        let kept = WebhookLog::new(read().webhooks().unwrap(), Arc::default(), Arc::default()).unfinished();
        assert_eq!(kept.iter().map(|webhook| webhook.id).collect::<Vec<_>>(), [waiting]);
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", path.display()));
        }
    }
}
