//! What ureq takes for the connection of one request.

use std::fmt;
use std::io;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, NextTimeout, Transport};

use super::agents::LONGEST_HEAD;
use super::call;
use super::informational::{self, Start};

/// What ureq writes, head and body, is held until the buffer is full or the reply is waited for, so that a request that
/// fits is one write. Before the first write to a connection that was kept, it is made sure that the server has not closed
/// it: not when ureq takes it out of its pool, because there a lock is held.
#[derive(Debug)]
pub(super) struct RequestTransport {
    transport: Box<dyn Transport>,
    /// How many bytes at the front of the buffer are not written yet.
    held: usize,
    /// Whether a reply has come, so that what is written next is another request.
    answered: bool,
    /// Whether it carries a tunnel, whose own end knows the requests.
    within_another: bool,
    /// Whether the last read filled all the room there was: TLS may have more at hand, of which the socket knows nothing.
    filled: bool,
    /// Whether there is no proxy's tunnel below, which cannot say whether a response has come.
    is_direct: bool,
    /// Whether the response's own head has not begun, and how many bytes of informational responses have come instead of it.
    before_response: bool,
    informational: usize,
    /// Set once no more of the request is written, because its response came early or the connection broke.
    stopped: Option<Stop>,
}

/// Why a request is not written to its end. What the server has said before is read all the same: it may have refused.
#[derive(Debug)]
enum Stop {
    Answered,
    Broken(Error),
}

/// A buffer with less room than this is written: more than any header is long.
const LEAST_ROOM: usize = 8 * 1024;

impl RequestTransport {
    pub(super) fn new(transport: Box<dyn Transport>, is_direct: bool, within_another: bool) -> RequestTransport {
        RequestTransport {
            transport,
            held: 0,
            answered: false,
            within_another,
            filled: false,
            is_direct,
            before_response: true,
            informational: 0,
            stopped: None,
        }
    }

    fn write_held(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let held = std::mem::take(&mut self.held);
        if held == 0 || self.stopped.is_some() {
            return Ok(());
        }
        match self.transport.transmit_output(held, timeout) {
            Err(error) if !self.within_another && is_broken(&error) => {
                self.stopped = Some(Stop::Broken(error));
                Ok(())
            }
            written => written,
        }
    }

    fn read(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let room = self.transport.buffers().input_append_buf().len();
        let before = self.transport.buffers().input().len();
        let came = self.transport.await_input(timeout);
        self.filled = self.transport.buffers().input().len() - before >= room;
        came
    }

    /// Takes out the informational responses that have come. Says whether more has to come to tell what is behind them.
    fn skip_informational(&mut self) -> Result<bool, Error> {
        while self.before_response {
            let buffers = self.transport.buffers();
            let (incomplete, skipped) = match informational::start_of(buffers.input()) {
                Start::Response => {
                    self.before_response = false;
                    return Ok(false);
                }
                Start::Incomplete => (buffers.input().len(), 0),
                Start::Informational(length) => (0, length),
            };
            if skipped > 0 {
                buffers.input_consume(skipped);
            }
            self.informational += skipped;
            if self.informational + incomplete > LONGEST_HEAD {
                return Err(Error::LargeResponseHeader(self.informational + incomplete, LONGEST_HEAD));
            }
            if skipped == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What came of reading, or why the request could not be written if nothing did.
    fn or_why_it_stopped(&mut self, came: Result<bool, Error>) -> Result<bool, Error> {
        match (came, self.stopped.take()) {
            (Ok(false) | Err(Error::Io(_)), Some(Stop::Broken(error))) => Err(error),
            (came, stopped) => {
                self.stopped = stopped;
                came
            }
        }
    }
}

/// Whether the server, or something between, ended the connection while it was written to.
fn is_broken(error: &Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    !call::is_opening() && matches!(error, Error::Io(error) if matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset))
}

impl Transport for RequestTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        if self.held == 0 { self.transport.buffers() } else { self }
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if self.stopped.is_some() {
            return Ok(());
        }
        if std::mem::take(&mut self.answered) && !self.within_another {
            if !self.transport.is_open() {
                return Err(Error::Io(io::Error::other(ClosedWhileKept)));
            }
            (self.before_response, self.informational) = (true, 0);
        }
        self.held += amount;
        // What comes through a tunnel was held at its own end. TLS in it may have a reply at hand before it waits for one.
        let held_before = self.within_another && !call::is_opening();
        if !held_before && self.output().len() >= LEAST_ROOM {
            return Ok(());
        }
        self.write_held(timeout)?;
        if self.is_direct && self.stopped.is_none() && !self.transport.is_open() {
            self.stopped = Some(Stop::Answered);
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.write_held(timeout)?;
        self.answered = true;
        loop {
            let came = self.read(timeout);
            let came = self.or_why_it_stopped(came)?;
            if !came || !self.skip_informational()? {
                return Ok(came);
            }
        }
    }

    /// ureq asks after a reply and, under the lock of its pool, before a request: for it, see `transmit_output`. What asks
    /// within a tunnel is the connection that the tunnel carries, when it is about to write.
    fn is_open(&mut self) -> bool {
        call::uses_no_connection();
        self.held == 0 && !self.filled && self.stopped.is_none() && (!self.within_another || self.transport.is_open())
    }

    fn is_tls(&self) -> bool {
        self.transport.is_tls()
    }
}

/// The buffers while something is held: what is put in comes behind it. Nothing has come in yet.
impl Buffers for RequestTransport {
    fn output(&mut self) -> &mut [u8] {
        &mut self.transport.buffers().output()[self.held..]
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        let (tmp, output) = self.transport.buffers().tmp_and_output();
        (tmp, &mut output[self.held..])
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.transport.buffers().input_append_buf()
    }

    fn input_appended(&mut self, amount: usize) {
        self.transport.buffers().input_appended(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.transport.buffers().input_consume(amount);
    }

    fn input(&self) -> &[u8] {
        &[]
    }

    fn can_use_input(&self) -> bool {
        false
    }
}

/// The server closed a connection that was kept, and nothing was written to it: another one will do.
#[derive(Debug)]
struct ClosedWhileKept;

impl fmt::Display for ClosedWhileKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was closed while it was kept")
    }
}

impl std::error::Error for ClosedWhileKept {}

pub(super) fn was_closed_while_kept(failure: &Error) -> bool {
    matches!(failure, Error::Io(error) if error.get_ref().is_some_and(|error| error.is::<ClosedWhileKept>()))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use ureq::unversioned::transport::LazyBuffers;

    use super::*;

    /// Notes what is written, and whether it is still there is what the test says.
    #[derive(Debug)]
    struct Recorder {
        buffers: LazyBuffers,
        written: Arc<Mutex<Vec<Vec<u8>>>>,
        open: bool,
        /// How much of the room that there is the next reply leaves.
        leaves: usize,
    }

    impl Transport for Recorder {
        fn buffers(&mut self) -> &mut dyn Buffers {
            &mut self.buffers
        }

        fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
            self.written.lock().unwrap().push(self.buffers.output()[..amount].to_vec());
            Ok(())
        }

        fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
            let room = self.buffers.input_append_buf().len();
            self.buffers.input_appended(room - self.leaves);
            Ok(true)
        }

        fn is_open(&mut self) -> bool {
            self.open
        }
    }

    fn transport(open: bool) -> (RequestTransport, Arc<Mutex<Vec<Vec<u8>>>>) {
        transport_that_leaves(1, open)
    }

    fn transport_that_leaves(leaves: usize, open: bool) -> (RequestTransport, Arc<Mutex<Vec<Vec<u8>>>>) {
        let written = Arc::default();
        let recorder = Recorder { buffers: LazyBuffers::new(1024, 4 * LEAST_ROOM), written: Arc::clone(&written), open, leaves };
        (RequestTransport::new(Box::new(recorder), true, false), written)
    }

    /// Hands `bytes` over as ureq does: into the room that there is, part by part.
    fn send(transport: &mut RequestTransport, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let (_, room) = transport.buffers().tmp_and_output();
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            transport.transmit_output(count, NextTimeout::default())?;
        }
        Ok(())
    }

    #[test]
    fn head_and_body_are_one_write() {
        let (mut transport, written) = transport(true);
        for _ in 0..2 {
            send(&mut transport, b"POST / HTTP/1.1\r\n\r\n").unwrap();
            send(&mut transport, b"{}").unwrap();
            assert_eq!(*written.lock().unwrap(), [] as [&[u8]; 0], "nothing is written before the reply is waited for");
            transport.await_input(NextTimeout::default()).unwrap();
            assert_eq!(std::mem::take(&mut *written.lock().unwrap()), [b"POST / HTTP/1.1\r\n\r\n{}"]);
        }
    }

    #[test]
    fn a_long_body_is_written_as_the_buffer_fills() {
        let (mut transport, written) = transport(true);
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        send(&mut transport, &bytes[..50]).unwrap();
        send(&mut transport, &bytes[50..]).unwrap();
        transport.await_input(NextTimeout::default()).unwrap();
        let written = written.lock().unwrap();
        assert_eq!((written.len(), written.concat()), (100_000_usize.div_ceil(4 * LEAST_ROOM), bytes));
    }

    #[test]
    fn a_connection_that_was_closed_is_noticed_before_the_next_request_and_only_then() {
        let (mut transport, written) = transport(false);
        send(&mut transport, b"first").unwrap();
        transport.await_input(NextTimeout::default()).unwrap();
        assert!(was_closed_while_kept(&send(&mut transport, b"second").unwrap_err()));
        assert_eq!(*written.lock().unwrap(), [b"first"]);
    }
    #[test]
    fn a_connection_of_which_more_may_be_at_hand_than_there_was_room_for_is_not_kept() {
        for (leaves, kept) in [(0, false), (1, true)] {
            let (mut transport, _) = transport_that_leaves(leaves, true);
            send(&mut transport, b"request").unwrap();
            assert!(!transport.is_open(), "it holds a request");
            transport.await_input(NextTimeout::default()).unwrap();
            let count = transport.buffers().input().len();
            transport.buffers().input_consume(count);
            assert_eq!(transport.is_open(), kept, "{leaves}");
        }
    }
}
