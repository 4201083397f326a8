//! What happens, told to whoever listens at that moment.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::broadcast;

/// How far a reader may be behind before it misses something.
const BEHIND: usize = 1024;

/// How many may listen at once.
const MOST_LISTENERS: usize = 64;

/// One event of the control API's stream.
pub(crate) struct News {
    pub(crate) name: &'static str,
    /// On one line.
    pub(crate) data: String,
}

pub(crate) struct Feed(broadcast::Sender<Arc<News>>);

impl Default for Feed {
    fn default() -> Feed {
        Feed(broadcast::channel(BEHIND).0)
    }
}

impl Feed {
    /// Tells the listeners; where there are none, nothing is even written.
    pub(crate) fn tell(&self, name: &'static str, data: impl FnOnce() -> Value) {
        if self.0.receiver_count() > 0 {
            let _ = self.0.send(Arc::new(News { name, data: data().to_string() }));
        }
    }

    /// `None` if there are enough listeners already.
    pub(crate) fn listen(&self) -> Option<broadcast::Receiver<Arc<News>>> {
        (self.0.receiver_count() < MOST_LISTENERS).then(|| self.0.subscribe())
    }
}
