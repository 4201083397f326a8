//! Requests that stand still at a point, until the client or the sandbox ends.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use merchantpay::{BASE_PATH, OPERATIONS};
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::fault::{Fault, Faults};
use crate::lock::lock;

/// The points at which requests stand now, by the names of their faults.
#[derive(Clone, Default)]
pub(crate) struct Stalled(Arc<Mutex<Vec<&'static str>>>);

impl Stalled {
    pub(crate) fn all(&self) -> Vec<&'static str> {
        lock(&self.0).clone()
    }

    /// Says that a request stands at this point, as long as the result is kept.
    pub(crate) fn enter(&self, point: &Fault) -> Standing {
        lock(&self.0).push(point.name());
        Standing { stalled: self.clone(), point: point.name() }
    }
}

/// One request that stands still.
pub(crate) struct Standing {
    stalled: Stalled,
    point: &'static str,
}

impl Drop for Standing {
    fn drop(&mut self) {
        let mut all = lock(&self.stalled.0);
        if let Some(index) = all.iter().position(|point| *point == self.point) {
            all.swap_remove(index);
        }
    }
}

/// A body that sends its bytes and then never ends.
pub(crate) struct Half {
    bytes: Option<Bytes>,
    _standing: Standing,
}

impl Half {
    pub(crate) fn body(bytes: Bytes, standing: Standing) -> Body {
        Body::new(Half { bytes: Some(bytes), _standing: standing })
    }
}

impl HttpBody for Half {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // The connection's own end drops this.
            None => Poll::Pending,
        }
    }
}

/// Gives a connection back, unless what waits in it is a request that is to stay unread. The bytes are looked at where they lie.
pub(crate) async fn unread(stream: TcpStream, faults: &Faults, stalled: &Stalled) -> Option<TcpStream> {
    let mut head = [0; 128];
    let size = stream.peek(&mut head).await.ok()?;
    let path = head.get(..size)?.strip_prefix(b"POST ").and_then(|rest| rest.strip_prefix(BASE_PATH.as_bytes())).unwrap_or_default();
    let path = path.split(|byte| *byte == b' ').next().unwrap_or_default();
    let operation = OPERATIONS.iter().find(|(_, known)| known.as_bytes() == path);
    if !operation.is_some_and(|(name, _)| faults.take_unread(name)) {
        return Some(stream);
    }
    let _standing = stalled.enter(&Fault::StallUnread);
    // There is no event for a client that goes while its bytes are not read.
    while stream.ready(Interest::READABLE).await.is_ok_and(|ready| !ready.is_read_closed()) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    None
}
