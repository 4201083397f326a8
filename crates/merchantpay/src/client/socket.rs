//! TCP for ureq's `unversioned` API. Each wait ends at the call's deadline. A call over a pooled connection
//! makes three system calls: a check that the connection is open, one write, and one read (on Windows also a
//! wait for input).

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::Arc;

use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport,
};

use super::call_context;
use super::connect::connect;
use super::reading::Reading;
use super::socket_wait::End;
use super::writing::Writing;

/// Opens a connection, unless another connector has already opened a connection through a proxy.
#[derive(Debug)]
pub(super) struct SocketConnector;

impl<In: Transport> Connector<In> for SocketConnector {
    type Out = Either<In, Socket>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        if let Some(tunnel) = chained {
            return Ok(Some(Either::A(tunnel)));
        }
        let stream = Arc::new(connect(&details.addrs, &End::of(&details.timeout))?);
        stream.set_nodelay(true)?;
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(Socket {
            stream,
            buffers,
            reading: Reading::default(),
            writing: Writing::default(),
        })))
    }
}

#[derive(Debug)]
pub(super) struct Socket {
    stream: Arc<TcpStream>,
    buffers: LazyBuffers,
    reading: Reading,
    writing: Writing,
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        call_context::uses(&self.stream)?;
        self.writing.write(&self.stream, &self.buffers.output()[..amount], &End::of(&timeout))
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let buffer = self.buffers.input_append_buf();
        let count = if call_context::must_not_wait() {
            receive_now(&self.stream, buffer, Received::Taken)?
        } else {
            let end = End::of(&timeout);
            self.writing.write_held_until_input(&self.stream, &end)?;
            self.reading.read(&self.stream, buffer, &end)?
        };
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    /// Returns `true` if this layer is quiet, by the rule of
    /// [`Connections::take`](super::connections::Connections::take).
    fn is_open(&mut self) -> bool {
        let is_silent = || {
            receive_now(&self.stream, &mut [0], Received::Left)
                .is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        };
        self.buffers.input().is_empty() && !self.writing.holds_back() && is_silent()
    }
}

/// Shows whether a read removes the received bytes from the system's buffer or leaves them there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Received {
    Taken,
    Left,
}

/// Reads the bytes that have arrived, without waiting. `WouldBlock` if there are no bytes.
#[cfg(unix)]
fn receive_now(stream: &TcpStream, buffer: &mut [u8], received: Received) -> io::Result<usize> {
    use rustix::net::{RecvFlags, recv};
    let peek = if received == Received::Left { RecvFlags::PEEK } else { RecvFlags::empty() };
    let (count, _) = recv(stream, buffer, RecvFlags::DONTWAIT.union(peek))?;
    Ok(count)
}

/// On Windows the socket is non-blocking, so a read never waits.
#[cfg(windows)]
fn receive_now(mut stream: &TcpStream, buffer: &mut [u8], received: Received) -> io::Result<usize> {
    if received == Received::Left { stream.peek(buffer) } else { io::Read::read(&mut stream, buffer) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use super::super::call_context::tests::during;
    use super::*;

    #[test]
    fn a_connection_with_unwritten_bytes_of_a_request_is_not_open_for_another() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        // On Windows, the function `connect` also makes the socket non-blocking.
        stream.set_nonblocking(cfg!(windows)).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        let (reading, writing) = (Reading::default(), Writing::default());
        let buffers = LazyBuffers::new(1024, 1024 * 1024);
        let mut socket = Socket { stream: Arc::new(stream), buffers, reading, writing };
        during(Instant::now() + Duration::from_secs(20), || {
            assert!(socket.is_open());
            // The peer answers but reads nothing. So the system's buffers become full.
            peer.write_all(b"answer").unwrap();
            let mut total = 0;
            while !socket.writing.holds_back() {
                let amount = socket.buffers.output().len();
                socket.transmit_output(amount, NextTimeout::default()).unwrap();
                total += amount;
            }
            // Further bytes are appended to the bytes that are not written yet.
            let end = End::of(&NextTimeout::default());
            socket.writing.write(&socket.stream, b"behind", &end).unwrap();
            total += b"behind".len();
            assert!(!socket.is_open(), "the answer is unread");
            call_context::without_waiting(|| socket.await_input(NextTimeout::default())).unwrap();
            socket.buffers.input_consume(b"answer".len());
            assert!(!socket.is_open(), "a part of the request is unwritten");
            let reader = std::thread::spawn(move || {
                let mut all = Vec::new();
                peer.read_to_end(&mut all).map(|_| all)
            });
            socket.writing.write_held_until_input(&socket.stream, &end).unwrap();
            assert!(!socket.writing.holds_back() && socket.is_open());
            socket.stream.shutdown(std::net::Shutdown::Write).unwrap();
            let all = reader.join().unwrap().unwrap();
            assert!(all.len() == total && all.ends_with(b"behind"), "{} of {total} bytes", all.len());
        });
    }
}
