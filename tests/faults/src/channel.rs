//! The service's side of a connection, plain or over TLS. All positions are byte counts on the connection.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection};

use crate::link::Link;
use crate::wire::Wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// The end of the client's first TLS messages.
    pub(crate) hello_end: usize,
    /// The end of the service's answer, which completes the client's side of the handshake.
    pub(crate) answer_end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// If the connection was opened for this exchange, over TLS.
    pub(crate) handshake: Option<Handshake>,
    pub(crate) request_start: usize,
    pub(crate) request_end: usize,
    pub(crate) reply_start: usize,
    pub(crate) reply_end: usize,
}

pub(crate) struct Channel {
    pub(crate) wire: Wire,
    tls: Option<ServerConnection>,
}

impl Channel {
    pub(crate) fn new(
        stream: Arc<TcpStream>,
        link: Arc<Link>,
        tls: Option<Arc<ServerConfig>>,
    ) -> io::Result<Channel> {
        let tls = tls.map(ServerConnection::new).transpose().map_err(io::Error::other)?;
        Ok(Channel { wire: Wire::new(stream, link, tls.is_some()), tls })
    }

    /// `None` without TLS.
    pub(crate) fn open(&mut self) -> io::Result<Option<Handshake>> {
        let mut handshake = Handshake { hello_end: 0, answer_end: 0 };
        while self.tls.as_ref().is_some_and(|tls| tls.is_handshaking()) {
            if self.tls.as_ref().is_some_and(|tls| tls.wants_write()) {
                self.flush()?;
                handshake = Handshake { hello_end: self.wire.received, answer_end: self.wire.sent };
            }
            if !self.receive()? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.tls.is_some().then_some(handshake))
    }

    /// False at the end of the connection. Bytes that cannot be decrypted are answered by an alert.
    fn receive(&mut self) -> io::Result<bool> {
        let Some(tls) = &mut self.tls else { return Ok(false) };
        if tls.read_tls(&mut self.wire)? == 0 {
            return Ok(false);
        }
        if let Err(fault) = tls.process_new_packets() {
            let _ = self.flush();
            return Err(io::Error::other(fault));
        }
        Ok(true)
    }

    /// Appends the next bytes to `unread`; false at the end of the connection.
    pub(crate) fn read(&mut self, unread: &mut Vec<u8>) -> io::Result<bool> {
        let mut part = [0; 16 * 1024];
        let count = loop {
            let Some(tls) = &mut self.tls else { break self.wire.read(&mut part)? };
            match tls.reader().read(&mut part) {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if !self.receive()? {
                break 0;
            }
        };
        unread.extend_from_slice(&part[..count]);
        Ok(count > 0)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.tls {
            Some(tls) => tls.writer().write_all(bytes)?,
            None => self.wire.write_all(bytes)?,
        }
        self.flush()
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        while let Some(tls) = self.tls.as_mut().filter(|tls| tls.wants_write()) {
            tls.write_tls(&mut self.wire)?;
        }
        Ok(())
    }

    pub(crate) fn close(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.send_close_notify();
        }
        let _ = self.flush();
        self.wire.close();
    }
}
