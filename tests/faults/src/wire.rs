//! The service's end of a connection, with counted bytes.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use crate::link::Link;

pub(crate) struct Wire {
    stream: Arc<TcpStream>,
    link: Arc<Link>,
    pub(crate) received: usize,
    pub(crate) sent: usize,
    /// Where the last read part begins: a TLS record, or without TLS the bytes of the last read.
    pub(crate) part_start: usize,
    /// One TLS record is read at a time, so that the counts show after which record something happened.
    record: Option<Record>,
}

impl Wire {
    pub(crate) fn new(stream: Arc<TcpStream>, link: Arc<Link>, by_record: bool) -> Wire {
        Wire { stream, link, received: 0, sent: 0, part_start: 0, record: by_record.then(Record::default) }
    }

    pub(crate) fn has_more(&self) -> bool {
        self.link.has_more(&self.stream)
    }

    pub(crate) fn close(&mut self) {
        self.link.close(&self.stream);
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = self.record.as_ref().map_or(buffer.len(), |record| record.missing().min(buffer.len()));
        let count = self.link.read(&self.stream, &mut buffer[..room])?;
        if self.record.as_ref().is_none_or(|record| record.header.is_empty()) {
            self.part_start = self.received;
        }
        if let Some(record) = &mut self.record {
            record.take(&buffer[..count]);
        }
        self.received += count;
        Ok(count)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.link.write(&self.stream, bytes);
        self.sent += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Of a TLS record: type, version and length.
const HEADER: usize = 5;

#[derive(Default)]
struct Record {
    header: Vec<u8>,
    /// How many bytes are missing, once the header is complete.
    body: usize,
}

impl Record {
    fn missing(&self) -> usize {
        if self.header.len() < HEADER { HEADER - self.header.len() } else { self.body }
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.header.len() == HEADER {
            self.body -= bytes.len();
        } else {
            self.header.extend_from_slice(bytes);
            self.body = length(&self.header).unwrap_or(0);
        }
        if self.header.len() == HEADER && self.body == 0 {
            self.header.clear();
        }
    }
}

fn length(header: &[u8]) -> Option<usize> {
    let [_, _, _, high, low, ..] = header else { return None };
    Some(usize::from(u16::from_be_bytes([*high, *low])))
}

pub(crate) fn record_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut end = 0;
    while let Some(length) = bytes.get(end..).and_then(length) {
        end += HEADER + length;
        ends.push(end);
    }
    ends
}
