//! Writes to a socket, and watches for input at the same time. A server may answer before it has read a long
//! request, and then stop reading.

use std::io;
use std::net::TcpStream;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use ureq::Error;

use super::call_context;
use super::socket_wait::{End, wait_for};

/// Writes to a socket without waiting inside a write. Between writes it waits until the socket is writable,
/// or until input has arrived that should be read first.
#[derive(Debug, Default)]
pub(super) struct Writing {
    /// Bytes that were accepted but not written yet, because input arrived. They must be written before all
    /// other bytes.
    held: Vec<u8>,
    /// `true` if unread input has arrived. If so, a write does not wait for input again.
    has_input: bool,
}

enum Event {
    Room,
    Input,
}

impl Writing {
    /// Returns `true` if unwritten bytes of a request are left.
    pub(super) fn holds_back(&self) -> bool {
        !self.held.is_empty()
    }

    /// Writes all bytes. If the socket is full and the server sends something, the unwritten rest is kept for
    /// later. So the code that sends a long request must check for input after each part.
    pub(super) fn write(&mut self, stream: &TcpStream, bytes: &[u8], end: &End) -> Result<(), Error> {
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            let count = self.write_until_input(stream, &held, end)?;
            if count < held.len() {
                self.held.extend_from_slice(&held[count..]);
                self.held.extend_from_slice(bytes);
                return Ok(());
            }
        }
        let count = self.write_until_input(stream, bytes, end)?;
        self.held.extend_from_slice(&bytes[count..]);
        Ok(())
    }

    /// Call this before a read. It writes the bytes that are not written yet, and stops if input arrives
    /// while the socket is full. An error of the write is ignored, because bytes that were received earlier
    /// can still be read. Only a passed deadline is returned as an error.
    pub(super) fn write_held_until_input(&mut self, stream: &TcpStream, end: &End) -> Result<(), Error> {
        self.has_input = false;
        match self.write(stream, &[], end) {
            Err(Error::Io(_)) => Ok(()),
            written => written,
        }
    }

    /// Writes until all bytes are written, or until input arrives while the socket is full. Returns the number
    /// of written bytes.
    fn write_until_input(&mut self, stream: &TcpStream, bytes: &[u8], end: &End) -> Result<usize, Error> {
        let mut count = 0;
        while count < bytes.len() {
            end.left()?;
            match send(stream, &bytes[count..], FLAGS) {
                Ok(written) => {
                    call_context::note_write();
                    count += written;
                }
                Err(Errno::WOULDBLOCK) => {
                    self.has_input = self.has_input || matches!(wait(stream, end)?, Event::Input);
                    if self.has_input {
                        return Ok(count);
                    }
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(io::Error::from(errno).into()),
            }
        }
        Ok(count)
    }
}

fn wait(stream: &TcpStream, end: &End) -> Result<Event, Error> {
    let ready = wait_for(stream, PollFlags::OUT | PollFlags::IN, end)?;
    // An event other than `IN` and `OUT` means that the socket has an error. The next write returns the
    // error.
    let only_input = PollFlags::IN.contains(ready);
    Ok(if only_input { Event::Input } else { Event::Room })
}

#[cfg(not(any(windows, target_vendor = "apple")))]
const FLAGS: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
/// Apple's systems have no flag that prevents the signal SIGPIPE. There the standard library sets a socket
/// option instead.
#[cfg(target_vendor = "apple")]
const FLAGS: SendFlags = SendFlags::DONTWAIT;
/// Windows has neither the signal SIGPIPE nor these flags. There the socket itself is non-blocking.
#[cfg(windows)]
const FLAGS: SendFlags = SendFlags::empty();
