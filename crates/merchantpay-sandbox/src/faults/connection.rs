//! A connection on which the sandbox can leave requests unread.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use merchantpay::{BASE_PATH, OPERATIONS};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

use crate::faults::queue::FaultQueue;
use crate::faults::stalled_requests::{StallGuard, StalledRequests};
use crate::model::fault::Fault;

/// Reads ahead the head of each request, also on a reused connection, and decides whether the request stays
/// unread.
pub(crate) struct StallableStream {
    stream: TcpStream,
    faults: Arc<FaultQueue>,
    stalled: StalledRequests,
    /// `Some` while a request stays unread; then it has the time of the next check for a disconnected client.
    unread: Option<(StallGuard, Pin<Box<Sleep>>)>,
}

/// The interval of the check for a disconnected client: no event reports this while the client's bytes are
/// unread.
const CLIENT_CHECK_INTERVAL: Duration = Duration::from_millis(50);

impl StallableStream {
    pub(crate) fn new(
        stream: TcpStream,
        faults: Arc<FaultQueue>,
        stalled: StalledRequests,
    ) -> StallableStream {
        StallableStream { stream, faults, stalled, unread: None }
    }

    /// Returns `true` if the request that arrived must stay unread.
    fn is_to_stay_unread(&self, head: &[u8]) -> bool {
        let path = head
            .strip_prefix(b"POST ")
            .and_then(|rest| rest.strip_prefix(BASE_PATH.as_bytes()))
            .unwrap_or_default();
        let path = path.split(|byte| *byte == b' ').next().unwrap_or_default();
        let operation = OPERATIONS.iter().find(|known| known.path.as_bytes() == path);
        operation.is_some_and(|operation| self.faults.take_unread(operation.name))
    }

    fn poll_client_closed(&self, cx: &mut Context<'_>) -> bool {
        let ready = std::pin::pin!(self.stream.ready(Interest::READABLE));
        matches!(ready.poll(cx), Poll::Ready(ready) if ready.as_ref().map_or(true, |ready| ready.is_read_closed()))
    }
}

impl AsyncRead for StallableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_none() && self.faults.wants_unread() {
            let mut head = [0; 128];
            let mut peeked = ReadBuf::new(&mut head);
            ready!(self.stream.poll_peek(cx, &mut peeked))?;
            if self.is_to_stay_unread(peeked.filled()) {
                let stall = self.stalled.enter(&Fault::StallUnread);
                self.unread = Some((stall, Box::pin(tokio::time::sleep(CLIENT_CHECK_INTERVAL))));
            }
        }
        while let Some((_, next_check)) = &mut self.unread {
            ready!(next_check.as_mut().poll(cx));
            next_check.as_mut().reset(Instant::now() + CLIENT_CHECK_INTERVAL);
            if self.poll_client_closed(cx) {
                // The reader sees the end of the connection.
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

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
