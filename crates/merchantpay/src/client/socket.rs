//! TCP, as ureq's `unversioned` API wants it: each wait ends with the call's deadline, and a connection that
//! is kept costs three system calls a call: whether it is still open, one write, one read
//! (on Windows one more, that waits for what is read).

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

/// Opens connections, unless another connector did (to a proxy).
#[derive(Debug)]
pub(super) struct SocketConnector {
    pub(super) has_proxy: bool,
}

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
            writing: Writing::new(!self.has_proxy),
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
        let end = End::of(&timeout);
        self.writing.write_held_until_input(&self.stream, &end)?;
        let count = self.reading.read(&self.stream, self.buffers.input_append_buf(), &end)?;
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    /// Whether nothing has come, not even the end of the connection: nor lies here what TLS has not taken
    /// yet.
    fn is_open(&mut self) -> bool {
        self.buffers.input().is_empty() && is_silent(&self.stream)
    }
}

#[cfg(unix)]
fn is_silent(stream: &TcpStream) -> bool {
    use rustix::net::{RecvFlags, recv};
    recv(stream, &mut [0u8; 1], RecvFlags::DONTWAIT | RecvFlags::PEEK) == Err(rustix::io::Errno::AGAIN)
}

#[cfg(windows)]
fn is_silent(stream: &TcpStream) -> bool {
    stream.peek(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}
