//! The last signed exchanges with the merchant, limited in number and size.

use std::sync::Mutex;

use super::Numbered;
use crate::base::{EventBus, lock};
use crate::model::exchange::{Exchange, ExchangeSummary};

const MAX_EXCHANGES: usize = 1_000;
/// The number of `/status` exchanges that are kept: polling must not displace the other exchanges.
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
