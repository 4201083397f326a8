//! The last signed exchanges with the merchant, limited in number and size.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::base::event_bus::EventBus;
use crate::base::lock::lock;
use crate::model::exchange::{Endpoint, Exchange};
use crate::model::view;

/// The number of exchanges that are kept.
const MAX_EXCHANGES: usize = 1_000;
/// The number of `/status` exchanges that are kept: polling must not displace the other exchanges.
const MAX_STATUS_EXCHANGES: usize = 250;
/// The total number of body bytes that are kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The last exchanges, oldest first.
#[derive(Default)]
pub(crate) struct ExchangeLog(Mutex<Exchanges>);

#[derive(Default)]
struct Exchanges {
    last_id: u64,
    bytes: usize,
    status: VecDeque<Exchange>,
    others: VecDeque<Exchange>,
}

impl ExchangeLog {
    pub(crate) fn add(&self, mut exchange: Exchange, events: &EventBus) {
        let mut exchanges = lock(&self.0);
        let exchanges = &mut *exchanges;
        exchanges.last_id += 1;
        exchange.id = exchanges.last_id;
        events.publish("exchange", || view::exchange(&exchange));
        exchanges.bytes += exchange.captured_bytes();
        let (list, most) = if exchange.endpoint == Endpoint::Operation("getStatus") {
            (&mut exchanges.status, MAX_STATUS_EXCHANGES)
        } else {
            (&mut exchanges.others, MAX_EXCHANGES)
        };
        list.push_back(exchange);
        let forgotten = if list.len() > most { list.pop_front() } else { None };
        exchanges.bytes -= forgotten.map_or(0, |exchange| exchange.captured_bytes());
        while exchanges.bytes > MAX_BYTES {
            let Some(oldest) = exchanges.others.pop_front().or_else(|| exchanges.status.pop_front()) else {
                break;
            };
            exchanges.bytes -= oldest.captured_bytes();
        }
    }

    /// Deletes all exchanges, and returns their number. New exchanges continue the numbering.
    pub(crate) fn clear(&self) -> usize {
        let mut exchanges = lock(&self.0);
        let cleared = exchanges.status.len() + exchanges.others.len();
        *exchanges = Exchanges { last_id: exchanges.last_id, ..Exchanges::default() };
        cleared
    }

    pub(crate) fn get(&self, id: u64) -> Option<Exchange> {
        let exchanges = lock(&self.0);
        exchanges.status.iter().chain(&exchanges.others).find(|exchange| exchange.id == id).cloned()
    }

    /// The newest exchanges for which `wanted` is true, with numbers below `before` if that is set.
    pub(crate) fn newest(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&Exchange) -> bool,
    ) -> Vec<Exchange> {
        // The exchanges are copied first: `wanted` may parse bodies, and requests must not wait for the lock
        // during this time.
        let mut all: Vec<Exchange> = {
            let exchanges = lock(&self.0);
            exchanges.status.iter().chain(&exchanges.others).cloned().collect()
        };
        all.sort_by_key(|exchange| std::cmp::Reverse(exchange.id));
        let older = all.into_iter().filter(|exchange| before.is_none_or(|before| exchange.id < before));
        older.filter(|exchange| wanted(exchange)).take(limit).collect()
    }
}
