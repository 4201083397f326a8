//! Requests that are stalled at a point until the client or the sandbox ends.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;

use crate::base::lock::lock;
use crate::model::fault::Fault;

/// The points at which requests are stalled now, by the names of their faults.
#[derive(Clone, Default)]
pub(crate) struct StalledRequests(Arc<Mutex<Vec<&'static str>>>);

impl StalledRequests {
    pub(crate) fn all(&self) -> Vec<&'static str> {
        lock(&self.0).clone()
    }

    /// Counts a request as stalled at this point until the guard is dropped.
    pub(crate) fn enter(&self, point: &Fault) -> StallGuard {
        lock(&self.0).push(point.name());
        StallGuard { stalled: self.clone(), point: point.name() }
    }
}

/// One stalled request.
pub(crate) struct StallGuard {
    stalled: StalledRequests,
    point: &'static str,
}

impl Drop for StallGuard {
    fn drop(&mut self) {
        let mut all = lock(&self.stalled.0);
        if let Some(index) = all.iter().position(|point| *point == self.point) {
            all.swap_remove(index);
        }
    }
}

/// A body that sends its bytes and then never ends.
pub(crate) struct HalfBody {
    bytes: Option<Bytes>,
    _stall: StallGuard,
}

impl HalfBody {
    pub(crate) fn body(bytes: Bytes, stall: StallGuard) -> Body {
        Body::new(HalfBody { bytes: Some(bytes), _stall: stall })
    }
}

impl HttpBody for HalfBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            // The body is dropped when the connection ends.
            None => Poll::Pending,
        }
    }
}
