//! TLS over an open connection, with rustls, for ureq's `unversioned` API.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};

use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use ureq::Error;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use super::call_context;
use super::tls_records::TlsRecords;
use super::tls_settings::TlsConfigs;

/// Wraps the connection to an https server in TLS.
pub(super) struct TlsConnector {
    configs: TlsConfigs,
    has_proxy: bool,
}

impl TlsConnector {
    pub(super) fn new(configs: TlsConfigs, has_proxy: bool) -> TlsConnector {
        TlsConnector { configs, has_proxy }
    }
}

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsTransport>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() || transport.is_tls() {
            return Ok(Some(Either::A(transport)));
        }
        // For the connection to the proxy itself, ureq removes the proxy from the settings.
        let is_proxy = self.has_proxy && details.config.proxy().is_none();
        let config = if is_proxy { &self.configs.proxy } else { &self.configs.service };
        let host = details.uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(host)
            .map_err(|_| Error::Tls("the host is neither a DNS name nor an IP address"))?
            .to_owned();
        let mut connection = ClientConnection::new(config.clone(), name)
            .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        // The handshake needs no timeout of its own: each wait at the socket ends at the call's deadline.
        let mut socket =
            TlsRecords::new(TransportAdapter::new(transport.boxed(), details.current_time.clone()));
        connection.complete_io(&mut socket)?;
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { connection, socket, buffers, is_write_broken: false })))
    }
}

impl fmt::Debug for TlsConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsConnector").finish_non_exhaustive()
    }
}

pub(super) struct TlsTransport {
    connection: ClientConnection,
    socket: TlsRecords,
    buffers: LazyBuffers,
    /// After a failed write nothing more can be written, but bytes from the server can still be read.
    is_write_broken: bool,
}

/// The largest number of reads in one check that a connection has no unread data. More reads are not needed,
/// because a server sends only a few TLS session tickets.
const MOST_READS: usize = 16;

impl TlsTransport {
    /// Reads once from the server and decrypts the bytes. Returns the number of read bytes; zero means the
    /// end of the connection.
    fn read_records(&mut self) -> io::Result<usize> {
        let count = self.connection.read_tls(&mut self.socket)?;
        self.connection
            .process_new_packets()
            .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        Ok(count)
    }

    /// Reads the bytes that the peer has sent so far, without waiting. Returns `true` if there were no bytes,
    /// or only TLS messages such as session tickets.
    fn is_quiet(&mut self) -> bool {
        for _ in 0..MOST_READS {
            match self.connection.process_new_packets() {
                Ok(state) if state.plaintext_bytes_to_read() == 0 && !state.peer_has_closed() => {}
                _ => return false,
            }
            if self.socket.is_open() {
                return self.socket.is_between_records();
            }
            let Ok(1..) = self.read_records() else { return false };
        }
        false
    }
}

/// Writes everything that rustls has buffered.
fn write_records(connection: &mut ClientConnection, socket: &mut TlsRecords) -> io::Result<()> {
    while connection.wants_write() {
        connection.write_tls(socket)?;
    }
    Ok(())
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        let mut unwritten = &self.buffers.output()[..amount];
        while !unwritten.is_empty() {
            let count = self.connection.writer().write(unwritten)?;
            unwritten = &unwritten[count..];
            write_records(&mut self.connection, &mut self.socket)
                .inspect_err(|_| self.is_write_broken = true)?;
        }
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        loop {
            match self.connection.reader().read(self.buffers.input_append_buf()) {
                Ok(count) => {
                    self.buffers.input_appended(count);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
            if !self.is_write_broken && !call_context::must_not_wait() {
                write_records(&mut self.connection, &mut self.socket)?;
            }
            // At the end of the connection this reads nothing, and then the reader above reports the end.
            self.read_records()?;
        }
    }

    /// Returns `true` if this layer and the layers below are quiet, by the rule of
    /// [`Connections::take`](super::connections::Connections::take).
    fn is_open(&mut self) -> bool {
        self.buffers.input().is_empty() && call_context::without_waiting(|| self.is_quiet())
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsTransport").finish_non_exhaustive()
    }
}
