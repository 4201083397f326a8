//! The sandbox's data in memory and in its database. No lock is held across an await.

pub(crate) mod database;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;

use crate::base::{EventBus, Random, lock};
use crate::model::exchange::{Exchange, ExchangeSummary};
use crate::model::payment::{Order, Payment};
use crate::model::webhook::{Delivery, Webhook, WebhookSummary};
use crate::store::database::{Database, WEBHOOK};

/// The newest has the highest number.
struct Numbered<T> {
    last: u64,
    values: BTreeMap<u64, T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { last: 0, values: BTreeMap::new() }
    }
}

impl<T> Numbered<T> {
    fn of(values: impl IntoIterator<Item = (u64, T)>) -> Numbered<T> {
        let values: BTreeMap<u64, T> = values.into_iter().collect();
        Numbered { last: values.keys().next_back().copied().unwrap_or(0), values }
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Values for which `show` returns something, with numbers below `before`.
    fn newest<S>(&self, before: Option<u64>, limit: usize, show: impl Fn(&T) -> Option<S>) -> Vec<(u64, S)> {
        let older = self.values.range(..before.unwrap_or(u64::MAX)).rev();
        older.filter_map(|(number, value)| Some((*number, show(value)?))).take(limit).collect()
    }
}

const MAX_EXCHANGES: usize = 1_000;
/// Fewer, because polling must not displace the other exchanges.
const MAX_STATUS_EXCHANGES: usize = 250;
const MAX_BYTES: usize = 32 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct ExchangeLog(Mutex<Exchanges>);

#[derive(Default)]
struct Exchanges {
    bytes: usize,
    /// Also numbers the exchanges of `status`.
    others: Numbered<Exchange>,
    status: Numbered<Exchange>,
}

impl ExchangeLog {
    pub(crate) fn add(&self, mut exchange: Exchange, events: &EventBus) {
        let mut exchanges = lock(&self.0);
        let Exchanges { bytes, others, status } = &mut *exchanges;
        let id = others.next();
        exchange.summary.id = id;
        events.publish("exchange", || &exchange.summary);
        *bytes += exchange.captured_bytes();
        match exchange.summary.operation {
            Some("getStatus") => status.values.insert(id, exchange),
            _ => others.values.insert(id, exchange),
        };
        while others.values.len() > MAX_EXCHANGES
            || status.values.len() > MAX_STATUS_EXCHANGES
            || *bytes > MAX_BYTES
        {
            let polled = status.values.len() > MAX_STATUS_EXCHANGES || others.values.is_empty();
            let oldest = if polled { status.values.pop_first() } else { others.values.pop_first() };
            *bytes -= oldest.map_or(*bytes, |(_, exchange)| exchange.captured_bytes());
        }
    }

    pub(crate) fn clear(&self) -> usize {
        let mut exchanges = lock(&self.0);
        let cleared = exchanges.status.values.len() + exchanges.others.values.len();
        let last = exchanges.others.last;
        *exchanges = Exchanges::default();
        exchanges.others.last = last;
        cleared
    }

    pub(crate) fn get(&self, id: u64) -> Option<Exchange> {
        let exchanges = lock(&self.0);
        exchanges.status.values.get(&id).or_else(|| exchanges.others.values.get(&id)).cloned()
    }

    pub(crate) fn newest(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&ExchangeSummary) -> bool,
    ) -> Vec<(u64, ExchangeSummary)> {
        let exchanges = lock(&self.0);
        let show = |exchange: &Exchange| wanted(&exchange.summary).then(|| exchange.summary.clone());
        let mut newest = exchanges.status.newest(before, limit, show);
        newest.extend(exchanges.others.newest(before, limit, show));
        newest.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
        newest.truncate(limit);
        newest
    }
}

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

const MAX_RECEIPT_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct PaymentStore {
    payments: Mutex<Payments>,
    random: Random,
}

#[derive(Default)]
struct Payments {
    /// Boxed, because many places of a tree are empty.
    all: Numbered<Box<Payment>>,
    numbers: HashMap<String, u64>,
    /// With files in memory, oldest first: order id, receipt id, size.
    receipts: VecDeque<(String, u64, usize)>,
}

impl Payments {
    fn get_mut(&mut self, order_id: &str) -> Option<&mut Box<Payment>> {
        self.all.values.get_mut(self.numbers.get(order_id)?)
    }
}

impl PaymentStore {
    pub(crate) fn new(random: Random, earlier: Vec<Payment>) -> PaymentStore {
        let numbers = earlier.iter().map(|payment| (payment.order_id.clone(), payment.number)).collect();
        let all = Numbered::of(earlier.into_iter().map(|payment| (payment.number, Box::new(payment))));
        PaymentStore { payments: Mutex::new(Payments { all, numbers, receipts: VecDeque::new() }), random }
    }

    pub(crate) fn random(&self) -> &Random {
        &self.random
    }

    pub(crate) fn create(&self, order: Order, held: bool) -> Result<String, getrandom::Error> {
        let mut payments = lock(&self.payments);
        let order_id = loop {
            let order_id = format!("sb-{}", self.random.digits::<12>()?);
            // An earlier run with the same seed may have made this id.
            if !payments.numbers.contains_key(&order_id) {
                break order_id;
            }
        };
        let number = payments.all.next();
        payments.numbers.insert(order_id.clone(), number);
        let payment = Payment::new(number, order_id.clone(), order, held);
        payments.all.values.insert(number, Box::new(payment));
        Ok(order_id)
    }

    pub(crate) fn remove_final(&self) -> Vec<Payment> {
        let mut payments = lock(&self.payments);
        let Payments { all, numbers, receipts } = &mut *payments;
        let removed = all.values.extract_if(.., |_, payment| payment.state.is_final());
        let removed: Vec<Payment> = removed.map(|(_, payment)| *payment).collect();
        for payment in &removed {
            numbers.remove(&payment.order_id);
        }
        receipts.retain(|(order_id, _, _)| numbers.contains_key(order_id));
        removed
    }

    /// Drops the oldest files in memory; `saved` says whether the database has them.
    pub(crate) fn keep_receipts(&self, order_id: &str, new: &[(u64, usize)], saved: bool) {
        let mut payments = lock(&self.payments);
        payments.receipts.extend(new.iter().map(|(id, size)| (order_id.to_owned(), *id, *size)));
        let mut size: usize = payments.receipts.iter().map(|(_, _, size)| size).sum();
        while size > MAX_RECEIPT_BYTES && payments.receipts.len() > 1 {
            let Some((order_id, id, dropped)) = payments.receipts.pop_front() else { break };
            size -= dropped;
            let list = payments.get_mut(&order_id).into_iter().flat_map(|payment| &mut payment.receipt_list);
            for receipt in list.filter(|receipt| receipt.id == id) {
                (receipt.bytes, receipt.kept) = (Bytes::new(), saved);
            }
        }
    }

    pub(crate) fn has(&self, order_id: &str) -> bool {
        lock(&self.payments).numbers.contains_key(order_id)
    }

    pub(crate) fn with<T>(&self, order_id: &str, action: impl FnOnce(&mut Payment) -> T) -> Option<T> {
        lock(&self.payments).get_mut(order_id).map(|payment| action(payment))
    }

    pub(crate) fn newest<S>(
        &self,
        before: Option<u64>,
        limit: usize,
        show: impl Fn(&Payment) -> Option<S>,
    ) -> Vec<(u64, S)> {
        lock(&self.payments).all.newest(before, limit, |payment| show(payment))
    }
}
