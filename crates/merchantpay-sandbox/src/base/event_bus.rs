//! Events of the sandbox, published to the current subscribers of the control API's stream.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::broadcast;

/// The number of waiting events after which a slow subscriber begins to miss events.
const CAPACITY: usize = 1024;

const MAX_SUBSCRIBERS: usize = 64;

/// One event of the control API's stream.
pub(crate) struct Event {
    pub(crate) name: &'static str,
    /// The event's data: JSON on one line.
    pub(crate) data: String,
}

pub(crate) struct EventBus(broadcast::Sender<Arc<Event>>);

impl Default for EventBus {
    fn default() -> EventBus {
        EventBus(broadcast::channel(CAPACITY).0)
    }
}

impl EventBus {
    /// Sends an event to the subscribers; without subscribers `data` is not called.
    pub(crate) fn publish(&self, name: &'static str, data: impl FnOnce() -> Value) {
        if self.0.receiver_count() > 0 {
            let _ = self.0.send(Arc::new(Event { name, data: data().to_string() }));
        }
    }

    /// Subscribes; `None` if there are already [`MAX_SUBSCRIBERS`] subscribers.
    pub(crate) fn subscribe(&self) -> Option<broadcast::Receiver<Arc<Event>>> {
        (self.0.receiver_count() < MAX_SUBSCRIBERS).then(|| self.0.subscribe())
    }
}
