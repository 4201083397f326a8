//! The connection below TLS. It knows whether the received bytes end within a TLS record.

use std::io::{self, Read, Write};

use ureq::unversioned::transport::TransportAdapter;

/// Reads and writes for rustls. This type counts the received bytes, because rustls does not report whether a
/// record is incomplete.
pub(super) struct TlsRecords {
    transport: TransportAdapter,
    place: Place,
}

impl TlsRecords {
    pub(super) fn new(transport: TransportAdapter) -> TlsRecords {
        TlsRecords { transport, place: Place::default() }
    }

    /// Returns `true` if the layers below are open, and have no unread or unwritten bytes.
    pub(super) fn is_open(&mut self) -> bool {
        self.transport.get_mut().is_open()
    }

    /// Returns `true` if the last record has arrived completely.
    pub(super) fn is_between_records(&self) -> bool {
        self.place == Place::default()
    }
}

impl Read for TlsRecords {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.transport.read(buffer)?;
        self.place.advance(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl Write for TlsRecords {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.transport.write(bytes)
    }

    /// Does nothing, because each `write` is complete.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The number of bytes of a record's header: type, version and length (RFC 8446, section 5.1).
const HEADER: usize = 5;

/// A position in a stream of TLS records.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    /// The number of received header bytes. `length` is the content length that these bytes contain so far.
    header: usize,
    length: usize,
    /// The number of content bytes that have not arrived yet.
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
    fn a_record_ends_where_its_length_says_however_its_bytes_arrive() {
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
