//! Who is told of receipts that a client has attached.

use std::sync::{Arc, Mutex, Weak};

use super::Client;

/// Gets the order's id.
#[doc(hidden)]
pub type ReceiptListener = dyn Fn(&str) + Send + Sync;

impl Client {
    /// Tells a journal, as long as it holds the listener, of receipts that this client and those with the
    /// same connections attach: the service may require another one without a status in between.
    #[doc(hidden)]
    pub fn on_receipt(&self, listener: &Arc<ReceiptListener>) {
        self.shared.receipt_listeners.add(listener);
    }
}

#[derive(Default)]
pub(super) struct ReceiptListeners(Mutex<Vec<Weak<ReceiptListener>>>);

impl ReceiptListeners {
    pub(super) fn add(&self, listener: &Arc<ReceiptListener>) {
        self.changed(|listeners| {
            listeners.retain(|listener| listener.strong_count() > 0);
            listeners.push(Arc::downgrade(listener));
        });
    }

    pub(super) fn tell(&self, order_id: &str) {
        for listener in self.changed(|_| {}) {
            listener(order_id);
        }
    }

    /// The listeners after a change. A forked child may inherit a lock that nobody releases, so after a while
    /// there are none.
    fn changed(&self, change: impl FnOnce(&mut Vec<Weak<ReceiptListener>>)) -> Vec<Arc<ReceiptListener>> {
        for _ in 0..1000 {
            if let Ok(mut listeners) = self.0.try_lock() {
                change(&mut listeners);
                return listeners.iter().filter_map(Weak::upgrade).collect();
            }
            std::thread::yield_now();
        }
        Vec::new()
    }
}
