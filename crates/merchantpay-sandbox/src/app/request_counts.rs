//! Counts the requests to each operation.

use std::sync::atomic::{AtomicU64, Ordering};

use merchantpay::OPERATIONS;

/// The counts of all operations, in the order of [`OPERATIONS`].
#[derive(Default)]
pub(crate) struct RequestCounts([AtomicU64; OPERATIONS.len()]);

impl RequestCounts {
    pub(crate) fn add(&self, operation: &str) {
        if let Some(counter) = self.counter(operation) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn of(&self, operation: &str) -> u64 {
        self.counter(operation).map_or(0, |counter| counter.load(Ordering::Relaxed))
    }

    fn counter(&self, operation: &str) -> Option<&AtomicU64> {
        OPERATIONS.iter().position(|known| known.name == operation).and_then(|index| self.0.get(index))
    }
}
