//! Events of the sandbox, published to the current subscribers of the control API's stream.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::broadcast;

/// The number of waiting events after which a slow subscriber begins to miss events.
const CAPACITY: usize = 1024;

const MAX_SUBSCRIBERS: usize = 64;

/// One event of the control API's stream.
pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// JSON on one line.
    pub(crate) data: String,
}

pub(crate) struct EventBus(broadcast::Sender<Arc<Event>>);

impl Default for EventBus {
    fn default() -> EventBus {
        EventBus(broadcast::channel(CAPACITY).0)
    }
}

impl EventBus {
    /// Without subscribers `data` is not called.
    pub(crate) fn publish<T: Serialize>(&self, name: &'static str, data: impl FnOnce() -> T) {
        if self.0.receiver_count() > 0 {
            let data = serde_json::to_string(&data()).unwrap_or_default();
            let _ = self.0.send(Arc::new(Event { name, data }));
        }
    }

    /// Subscribes; `None` if there are already [`MAX_SUBSCRIBERS`] subscribers.
    pub(crate) fn subscribe(&self) -> Option<broadcast::Receiver<Arc<Event>>> {
        (self.0.receiver_count() < MAX_SUBSCRIBERS).then(|| self.0.subscribe())
    }
}
