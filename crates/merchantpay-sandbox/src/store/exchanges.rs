//! The last signed exchanges with the merchant, limited in number and size.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::base::event_bus::EventBus;
use crate::base::lock;
use crate::model::exchange::{Exchange, ExchangeSummary};

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
        exchange.summary.id = exchanges.last_id;
        events.publish("exchange", || &exchange.summary);
        exchanges.bytes += exchange.captured_bytes();
        let (list, most) = if exchange.summary.operation == Some("getStatus") {
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
        exchanges.status.iter().chain(&exchanges.others).find(|one| one.summary.id == id).cloned()
    }

    /// The newest exchanges for which `wanted` is true, with numbers below `before` if that is set.
    pub(crate) fn newest(
        &self,
        before: Option<u64>,
        limit: usize,
        wanted: impl Fn(&ExchangeSummary) -> bool,
    ) -> Vec<(u64, ExchangeSummary)> {
        let exchanges = lock(&self.0);
        let (mut status, mut others) =
            (exchanges.status.iter().rev().peekable(), exchanges.others.iter().rev().peekable());
        // Both lists are in the order of the ids.
        let newest = std::iter::from_fn(|| match (status.peek(), others.peek()) {
            (Some(one), Some(other)) if one.summary.id > other.summary.id => status.next(),
            (Some(_), None) => status.next(),
            _ => others.next(),
        });
        let older = newest
            .map(|exchange| &exchange.summary)
            .skip_while(|summary| before.is_some_and(|before| summary.id >= before));
        older.filter(|summary| wanted(summary)).take(limit).map(|one| (one.id, one.clone())).collect()
    }
}
