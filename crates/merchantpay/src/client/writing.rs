//! Writing to a socket while watching for input: a server may answer before it has read a long request, and
//! then stop reading.

use std::io;
use std::net::TcpStream;

use ureq::Error;

use super::call_context;
use super::socket_wait::End;

pub(super) use platform::Writing;

#[cfg(unix)]
mod platform {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::net::{SendFlags, send};

    use super::{End, Error, TcpStream, call_context, io};

    /// Never waits in a write: it waits until the socket is writable, or until something has come that should
    /// be read first.
    #[derive(Debug)]
    pub(in crate::client) struct Writing {
        /// Whether the writer checks after each part for input. Else nothing is held back.
        is_watched: bool,
        /// What was handed over but not written, because something came in the meantime. Written before
        /// anything else.
        held: Vec<u8>,
        /// Whether there is unread input: then no wait is for input.
        has_input: bool,
    }

    enum Event {
        Room,
        Input,
    }

    impl Writing {
        pub(in crate::client) fn new(is_watched: bool) -> Writing {
            Writing { is_watched, held: Vec::new(), has_input: false }
        }

        /// Writes all of it, or holds the rest back as soon as the server sends something: the writer of a
        /// long request checks for that after each part.
        pub(in crate::client) fn write(
            &mut self,
            stream: &TcpStream,
            bytes: &[u8],
            end: &End,
        ) -> Result<(), Error> {
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

        /// Before a read: writes what was held back, unless there is something to read. Where it cannot be
        /// written any more, what was received before can still be read.
        pub(in crate::client) fn write_held_until_input(
            &mut self,
            stream: &TcpStream,
            end: &End,
        ) -> Result<(), Error> {
            self.has_input = false;
            match self.write(stream, &[], end) {
                Err(Error::Io(_)) => Ok(()),
                written => written,
            }
        }

        /// How many bytes were written when all were, or when something came while there was no space for
        /// more.
        fn write_until_input(&mut self, stream: &TcpStream, bytes: &[u8], end: &End) -> Result<usize, Error> {
            let mut count = 0;
            while count < bytes.len() {
                end.left()?;
                match send(stream, &bytes[count..], FLAGS) {
                    Ok(written) => {
                        call_context::note_write();
                        count += written;
                    }
                    Err(Errno::AGAIN) => {
                        self.has_input = self.has_input || matches!(self.wait(stream, end)?, Event::Input);
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

        fn wait(&self, stream: &TcpStream, end: &End) -> Result<Event, Error> {
            let wanted = if self.is_watched { PollFlags::OUT | PollFlags::IN } else { PollFlags::OUT };
            loop {
                let left = Timespec::try_from(end.left()?).ok();
                let mut fds = [PollFd::new(stream, wanted)];
                match poll(&mut fds, left.as_ref()) {
                    Ok(0) | Err(Errno::INTR) => {}
                    Ok(_) if fds[0].revents() == PollFlags::IN => return Ok(Event::Input),
                    // Or an error, which the next write returns.
                    Ok(_) => return Ok(Event::Room),
                    Err(errno) => return Err(io::Error::from(errno).into()),
                }
            }
        }
    }

    /// Apple's systems have no such flag; there the standard library asks for the same when it makes a
    /// socket.
    #[cfg(not(target_vendor = "apple"))]
    const FLAGS: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
    #[cfg(target_vendor = "apple")]
    const FLAGS: SendFlags = SendFlags::DONTWAIT;
}

#[cfg(not(unix))]
mod platform {
    use std::io::{ErrorKind, Write};

    use super::super::socket_wait::Patience;
    use super::{End, Error, TcpStream, call_context, io};

    /// Writes until all is written, an error comes or the deadline passes. What the server sends meanwhile is
    /// read afterwards.
    #[derive(Debug, Default)]
    pub(in crate::client) struct Writing(Patience);

    impl Writing {
        pub(in crate::client) fn new(_: bool) -> Writing {
            Writing::default()
        }

        pub(in crate::client) fn write(
            &mut self,
            stream: &TcpStream,
            bytes: &[u8],
            end: &End,
        ) -> Result<(), Error> {
            let mut unwritten = bytes;
            while !unwritten.is_empty() {
                if let Some(patience) = self.0.for_wait(end.left()?) {
                    stream.set_write_timeout(Some(patience))?;
                }
                call_context::note_write();
                let mut stream = stream;
                match stream.write(unwritten) {
                    Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                    Ok(count) => unwritten = &unwritten[count..],
                    Err(error) => self.0.after(error)?,
                }
            }
            Ok(())
        }

        pub(in crate::client) fn write_held_until_input(
            &mut self,
            _: &TcpStream,
            _: &End,
        ) -> Result<(), Error> {
            Ok(())
        }
    }
}
