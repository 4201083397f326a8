//! Advances a payment in a test: by a webhook of the sandbox, or by `settle`.

use std::time::{Duration, Instant};

use merchantpay_journal_old::{Entry, Journal, Received};

use crate::shop::{PATIENCE, Shop, give};

impl Shop {
    /// Passes a webhook to the journal. The sandbox itself could not deliver the webhook, because no server
    /// listens at its URL.
    pub fn deliver(&self, journal: &Journal, order_id: &str, kind: &str) -> Received {
        let delivery =
            self.sandbox.wait_for_delivery(order_id, kind, PATIENCE).expect("the sandbox sends it");
        give(journal, &delivery)
    }
}

/// Calls `settle` until `is_reached` returns `true` for the entry.
pub fn settle_until(journal: &Journal, reference: &str, mut is_reached: impl FnMut(&Entry) -> bool) -> Entry {
    let end = Instant::now() + PATIENCE;
    loop {
        let entry = journal.find(reference).unwrap().expect("it is there");
        if is_reached(&entry) {
            return entry;
        }
        assert!(Instant::now() < end, "{entry:?}");
        let settled = journal.settle(100).unwrap();
        if settled.done == 0 {
            std::thread::sleep(settled.next_due.unwrap_or_default().min(Duration::from_millis(100)));
        }
    }
}
