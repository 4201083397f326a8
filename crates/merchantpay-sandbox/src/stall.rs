//! Requests that stand still at a point, until the client or the sandbox ends.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;
use merchantpay::{BASE_PATH, OPERATIONS};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::fault::Fault;
use crate::lock::lock;
use crate::merchant_api::AppState;

/// The points at which requests stand now, by the names of their faults.
#[derive(Clone, Default)]
pub(crate) struct StalledRequests(Arc<Mutex<Vec<&'static str>>>);

impl StalledRequests {
    pub(crate) fn all(&self) -> Vec<&'static str> {
        lock(&self.0).clone()
    }

    /// Says that a request stands at this point, as long as the result is kept.
    pub(crate) fn enter(&self, point: &Fault) -> StallGuard {
        lock(&self.0).push(point.name());
        StallGuard { stalled: self.clone(), point: point.name() }
    }
}

/// One request that stands still.
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
    _standing: StallGuard,
}

impl HalfBody {
    pub(crate) fn body(bytes: Bytes, stall: StallGuard) -> Body {
        Body::new(HalfBody { bytes: Some(bytes), _standing: stall })
    }
}

impl HttpBody for HalfBody {
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

/// A connection whose requests may have to stay unread: the bytes of each are looked at where they lie, also on a connection that was
/// kept.
pub(crate) struct StallableStream {
    stream: TcpStream,
    app: Arc<AppState>,
    /// Once a request stays unread: that it stands, and when to look next whether its client is gone.
    unread: Option<(StallGuard, Pin<Box<Sleep>>)>,
}

/// There is no event for a client that goes while its bytes are not read.
const CLIENT_CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl StallableStream {
    pub(crate) fn new(stream: TcpStream, app: Arc<AppState>) -> StallableStream {
        StallableStream { stream, app, unread: None }
    }

    /// Whether the request that has come is to stay unread.
    fn is_to_stay_unread(&self, head: &[u8]) -> bool {
        let path = head.strip_prefix(b"POST ").and_then(|rest| rest.strip_prefix(BASE_PATH.as_bytes())).unwrap_or_default();
        let path = path.split(|byte| *byte == b' ').next().unwrap_or_default();
        let operation = OPERATIONS.iter().find(|known| known.path.as_bytes() == path);
        operation.is_some_and(|operation| self.app.faults.take_unread(operation.name))
    }

    fn poll_is_gone(&self, cx: &mut Context<'_>) -> bool {
        let ready = std::pin::pin!(self.stream.ready(Interest::READABLE));
        matches!(ready.poll(cx), Poll::Ready(ready) if ready.as_ref().map_or(true, |ready| ready.is_read_closed()))
    }
}

impl AsyncRead for StallableStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.unread.is_none() && self.app.faults.wants_unread() {
            let mut head = [0; 128];
            let mut peeked = ReadBuf::new(&mut head);
            ready!(self.stream.poll_peek(cx, &mut peeked))?;
            if self.is_to_stay_unread(peeked.filled()) {
                let stall = self.app.stalled.enter(&Fault::StallUnread);
                self.unread = Some((stall, Box::pin(tokio::time::sleep(CLIENT_CHECK_INTERVAL))));
            }
        }
        while let Some((_, next_check)) = &mut self.unread {
            ready!(next_check.as_mut().poll(cx));
            next_check.as_mut().reset(Instant::now() + CLIENT_CHECK_INTERVAL);
            if self.poll_is_gone(cx) {
                // The end of the connection, as far as whoever reads is concerned.
                return Poll::Ready(Ok(()));
            }
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for StallableStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, cx: &mut Context<'_>, parts: &[io::IoSlice<'_>]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
