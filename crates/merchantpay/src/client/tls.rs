//! TLS over an open connection, with rustls.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, ProtocolVersion};

use super::failure::Cause;
use super::stream::{Connection, Stream, Tcp};

pub(super) struct Tls {
    session: ClientConnection,
    below: Records,
}

impl Tls {
    pub(super) fn open(below: Connection, host: &str, config: &Arc<ClientConfig>) -> io::Result<Tls> {
        let name = ServerName::try_from(host.trim_start_matches('[').trim_end_matches(']'))
            .map_err(|_| Cause::HostName)?
            .to_owned();
        let session = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        let mut tls = Tls { session, below: Records { connection: below, place: Place::default() } };
        tls.session.complete_io(&mut tls.below)?;
        Ok(tls)
    }

    pub(super) fn version(&self) -> Option<&'static str> {
        match self.session.protocol_version()? {
            ProtocolVersion::TLSv1_2 => Some("TLS 1.2"),
            ProtocolVersion::TLSv1_3 => Some("TLS 1.3"),
            _ => None,
        }
    }

    /// Reads once from the server and decrypts the bytes. Zero means the end of the connection.
    fn read_records(&mut self) -> io::Result<usize> {
        let count = self.session.read_tls(&mut self.below)?;
        self.session.process_new_packets().map_err(io::Error::other)?;
        Ok(count)
    }
}

impl Read for Tls {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                result => return result,
            }
            // TLS's own answers, such as a key update. If they cannot be written, what came is read all the same.
            let _ = self.flush();
            // At the end of the connection this reads nothing, and then the reader above reports the end.
            self.read_records()?;
        }
    }
}

impl Write for Tls {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.flush()?;
        let count = self.session.writer().write(bytes)?;
        self.flush()?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.below)?;
        }
        self.below.flush()
    }
}

/// The largest number of reads in one check that a connection is quiet. A server sends only a few session tickets.
const MOST_READS: usize = 16;

impl Stream for Tls {
    fn is_quiet(&mut self) -> bool {
        let until = self.tcp().until.take();
        let mut reads = 0..MOST_READS;
        let is_quiet = loop {
            match self.session.process_new_packets() {
                Ok(state) if state.plaintext_bytes_to_read() == 0 && !state.peer_has_closed() => {}
                _ => break false,
            }
            if self.below.connection.is_quiet() {
                break self.below.place == Place::default();
            }
            let (Some(_), Ok(1..)) = (reads.next(), self.read_records()) else { break false };
        };
        self.tcp().until = until;
        is_quiet
    }

    fn tcp(&mut self) -> &mut Tcp {
        self.below.connection.tcp()
    }
}

/// The layer below. It knows whether the received bytes end within a TLS record, because rustls does not say so.
struct Records {
    connection: Connection,
    place: Place,
}

impl Read for Records {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.connection.read(buffer)?;
        self.place.advance(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl Write for Records {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.connection.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.connection.flush()
    }
}

/// The number of bytes of a record's header: type, version and length (RFC 8446, section 5.1).
const HEADER: usize = 5;

/// A position in a stream of TLS records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    /// The number of header bytes that have come, and the length that they contain so far.
    header: usize,
    length: usize,
    /// The number of content bytes that have not come yet.
    missing: usize,
}

impl Place {
    fn advance(&mut self, mut bytes: &[u8]) {
        while let [byte, rest @ ..] = bytes {
            if self.missing > 0 {
                let count = self.missing.min(bytes.len());
                self.missing -= count;
                bytes = bytes.get(count..).unwrap_or_default();
                continue;
            }
            self.header += 1;
            if self.header + 2 > HEADER {
                self.length = self.length << 8 | usize::from(*byte);
            }
            if self.header == HEADER {
                *self = Place { missing: self.length, ..Place::default() };
            }
            bytes = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_ends_where_its_length_says() {
        // A record of 258 bytes, an empty record, and a record of one byte.
        let mut stream = [[23, 3, 3, 1, 2].as_slice(), &[9; 258]].concat();
        stream.extend([22, 3, 3, 0, 0, 23, 3, 3, 0, 1, 7]);
        let ends = [0, 263, 268, stream.len()];
        for size in [1, 2, 3, 5, 100, 263, stream.len()] {
            let (mut place, mut seen) = (Place::default(), 0);
            for part in stream.chunks(size) {
                place.advance(part);
                seen += part.len();
                assert_eq!(place == Place::default(), ends.contains(&seen), "{size}: {seen}");
            }
        }
    }
}
