//! The transport of one request for ureq.

use std::io;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, NextTimeout, Transport};

use super::call_context;
use super::connections::Connection;
use super::given_back::GivenBack;
use super::informational::{self, LONGEST_HEAD, Start};

/// A connection for one request. It keeps the request's bytes until the buffer is full or ureq waits for the
/// reply. So a small request is one write. After the whole response was read, this transport returns the
/// connection to the call. ureq never keeps the connection.
#[derive(Debug)]
pub(super) struct RequestTransport {
    connection: Connection,
    /// The number of unwritten bytes at the start of the buffer.
    held: usize,
    /// `true` if a tunnel to the service runs in this connection. The tunnel's own transport handles the
    /// requests.
    within_another: bool,
    /// True until the head of the final response begins.
    before_response: bool,
    /// The number of bytes of informational responses until now.
    informational: usize,
    /// Set when the rest of the request is not written, because the response came early or the connection
    /// broke.
    stopped: Option<Stop>,
}

/// The reason why a request is not written completely. Bytes that the server has sent are still read, because
/// those bytes may be a refusal.
#[derive(Debug)]
enum Stop {
    /// The response has begun, or the connection has ended. `unread` is true if ureq does not know yet that
    /// bytes have arrived.
    Answered {
        unread: bool,
    },
    Broken(Error),
}

/// If the buffer has less free space than this, the bytes in the buffer are written. Every header fits into
/// this space.
const LEAST_ROOM: usize = 8192;

impl RequestTransport {
    /// Makes a transport. `within_another` is true for the connection to a proxy if a tunnel to the service
    /// runs in that connection.
    pub(super) fn new(connection: Connection, within_another: bool) -> RequestTransport {
        RequestTransport {
            connection,
            held: 0,
            within_another,
            before_response: true,
            informational: 0,
            stopped: None,
        }
    }

    /// Returns the connection, over which nothing was sent yet.
    pub(super) fn into_unused(self) -> Connection {
        self.connection
    }

    fn write_held(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let held = std::mem::take(&mut self.held);
        if held == 0 {
            return Ok(());
        }
        match self.connection.transmit_output(held, timeout) {
            Err(error) if !self.within_another && is_broken(&error) => {
                self.stopped = Some(Stop::Broken(error));
                Ok(())
            }
            written => written,
        }
    }

    /// Checks whether the response has begun or the connection has ended. In both cases nothing more is
    /// written.
    fn stop_if_answered(&mut self) -> Result<(), Error> {
        let came = call_context::without_waiting(|| self.connection.await_input(NextTimeout::default()));
        self.stopped = match came {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => None,
            // This is a fault of the connection, and no readable bytes are left.
            Err(error) => return Err(error),
            Ok(true) if self.skip_informational()? => None,
            Ok(came) => Some(Stop::Answered { unread: came }),
        };
        Ok(())
    }

    /// Removes the received informational responses. Returns `true` if more bytes are needed to decide
    /// whether the response begins.
    fn skip_informational(&mut self) -> Result<bool, Error> {
        while self.before_response {
            let buffers = self.connection.buffers();
            match informational::start_of(buffers.input()) {
                Start::Response => self.before_response = false,
                Start::Incomplete => {
                    return check_length(self.informational + buffers.input().len()).map(|()| true);
                }
                Start::Informational(length) => {
                    buffers.input_consume(length);
                    self.informational += length;
                    check_length(self.informational)?;
                }
            }
        }
        Ok(false)
    }

    /// Returns the result of reading. But if nothing was received and the request could not be written,
    /// returns the error of the write.
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

/// Returns `true` if the server, or a machine between client and server, ended the connection during a write.
fn is_broken(error: &Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    !call_context::is_opening()
        && matches!(error, Error::Io(error) if matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset))
}

/// Checks that there are not too many bytes before the head of the final response.
fn check_length(length: usize) -> Result<(), Error> {
    if length > LONGEST_HEAD { Err(Error::LargeResponseHeader(length, LONGEST_HEAD)) } else { Ok(()) }
}

impl Transport for RequestTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        if self.held == 0 { self.connection.buffers() } else { self }
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        if self.stopped.is_some() {
            return Ok(());
        }
        self.held += amount;
        // A connection with an open tunnel holds no bytes back. The transport at the tunnel's end has already
        // held the request. And the last bytes of a TLS handshake in the tunnel must be written now, because
        // they may get no answer.
        let is_tunnel = self.within_another && !self.before_response;
        if !is_tunnel && self.output().len() >= LEAST_ROOM {
            return Ok(());
        }
        self.write_held(timeout)?;
        let carries_request = !self.within_another && !call_context::is_opening();
        if carries_request && self.stopped.is_none() { self.stop_if_answered() } else { Ok(()) }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.write_held(timeout)?;
        if let Some(Stop::Answered { unread }) = &mut self.stopped
            && std::mem::take(unread)
        {
            return Ok(true);
        }
        loop {
            let came = self.connection.await_input(timeout);
            let came = self.or_why_it_stopped(came)?;
            if !came || !self.skip_informational()? {
                return Ok(came);
            }
        }
    }

    /// ureq calls this after it has read a whole response, if the server keeps the connection open. The
    /// result is then always `false`, so that ureq keeps no connection. If the connection can be reused, this
    /// returns the connection to the call. For the connection to a proxy, the transport at the tunnel's end
    /// calls this, and gets the real state.
    fn is_open(&mut self) -> bool {
        let is_clean = self.held == 0 && self.stopped.is_none();
        if self.within_another {
            return is_clean && self.connection.is_open();
        }
        if is_clean {
            call_context::give_back(std::mem::replace(&mut self.connection, Box::new(GivenBack)));
        }
        false
    }

    fn is_tls(&self) -> bool {
        self.connection.is_tls()
    }
}

/// The buffers while unwritten bytes of the request are kept. Further bytes are appended to those bytes.
/// Nothing was received yet.
impl Buffers for RequestTransport {
    fn output(&mut self) -> &mut [u8] {
        &mut self.connection.buffers().output()[self.held..]
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        let (tmp, output) = self.connection.buffers().tmp_and_output();
        (tmp, &mut output[self.held..])
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.connection.buffers().input_append_buf()
    }

    fn input_appended(&mut self, amount: usize) {
        self.connection.buffers().input_appended(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.connection.buffers().input_consume(amount);
    }

    fn input(&self) -> &[u8] {
        &[]
    }

    fn can_use_input(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use ureq::unversioned::transport::LazyBuffers;

    use super::*;

    /// Records the written bytes.
    #[derive(Debug)]
    struct Recorder {
        buffers: LazyBuffers,
        written: Arc<Mutex<Vec<Vec<u8>>>>,
        /// If present, every write fails with this error.
        fault: Option<io::ErrorKind>,
    }

    impl Transport for Recorder {
        fn buffers(&mut self) -> &mut dyn Buffers {
            &mut self.buffers
        }

        fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
            if let Some(fault) = self.fault {
                return Err(Error::Io(fault.into()));
            }
            self.written.lock().unwrap().push(self.buffers.output()[..amount].to_vec());
            Ok(())
        }

        fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
            if call_context::must_not_wait() {
                return Err(Error::Io(io::ErrorKind::WouldBlock.into()));
            }
            self.buffers.input_append_buf();
            self.buffers.input_appended(1);
            Ok(true)
        }

        fn is_open(&mut self) -> bool {
            true
        }
    }

    fn transport() -> (RequestTransport, Arc<Mutex<Vec<Vec<u8>>>>) {
        let written = Arc::default();
        let buffers = LazyBuffers::new(1024, 4 * LEAST_ROOM);
        let recorder = Recorder { buffers, written: Arc::clone(&written), fault: None };
        (RequestTransport::new(Box::new(recorder), false), written)
    }

    /// Passes `bytes` as ureq does: part by part, into the free space of the buffer.
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
        let (mut transport, written) = transport();
        send(&mut transport, b"POST / HTTP/1.1\r\n\r\n").unwrap();
        send(&mut transport, b"{}").unwrap();
        assert_eq!(
            *written.lock().unwrap(),
            [] as [&[u8]; 0],
            "nothing is written before the reply is waited for"
        );
        transport.await_input(NextTimeout::default()).unwrap();
        assert_eq!(*written.lock().unwrap(), [b"POST / HTTP/1.1\r\n\r\n{}"]);
    }

    #[test]
    fn a_long_body_is_written_as_the_buffer_fills() {
        let (mut transport, written) = transport();
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        send(&mut transport, &bytes[..50]).unwrap();
        send(&mut transport, &bytes[50..]).unwrap();
        transport.await_input(NextTimeout::default()).unwrap();
        let written = written.lock().unwrap();
        assert_eq!((written.len(), written.concat()), (100_000_usize.div_ceil(4 * LEAST_ROOM), bytes));
    }

    #[test]
    fn a_connection_is_given_back_once_and_only_after_its_request_was_written() {
        let (mut transport, _) = transport();
        send(&mut transport, b"request").unwrap();
        assert!(!transport.is_open() && call_context::take_returned().is_none(), "it holds a request");
        transport.await_input(NextTimeout::default()).unwrap();
        let count = transport.buffers().input().len();
        transport.buffers().input_consume(count);
        assert!(!transport.is_open(), "ureq never keeps it");
        assert!(call_context::take_returned().is_some());
        assert!(!transport.is_open() && transport.await_input(NextTimeout::default()).is_err());
        assert!(transport.transmit_output(0, NextTimeout::default()).is_err());
    }

    #[test]
    fn the_request_for_a_tunnel_is_one_write_and_an_open_tunnel_holds_nothing() {
        let (RequestTransport { connection, .. }, written) = transport();
        let mut below = RequestTransport::new(connection, true);
        for part in [b"CONNECT ".as_slice(), b"pay.example:443", b" HTTP/1.1\r\n\r\n"] {
            send(&mut below, part).unwrap();
            assert!(written.lock().unwrap().is_empty());
        }
        below.await_input(NextTimeout::default()).unwrap();
        send(&mut below, b"through the tunnel").unwrap();
        assert_eq!(
            *written.lock().unwrap(),
            [b"CONNECT pay.example:443 HTTP/1.1\r\n\r\n".as_slice(), b"through the tunnel"]
        );
    }

    /// If a write fails for another reason than a broken connection, such as an interruption, nothing is
    /// read: no response would come.
    #[test]
    fn after_a_write_only_a_broken_connection_to_the_service_is_read() {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, Other, TimedOut};
        let outcome = |fault: io::ErrorKind, within_another: bool| {
            let buffers = LazyBuffers::new(1024, 4 * LEAST_ROOM);
            let recorder = Recorder { buffers, written: Arc::default(), fault: Some(fault) };
            let mut transport = RequestTransport::new(Box::new(recorder), within_another);
            send(&mut transport, b"request").unwrap();
            match transport.await_input(NextTimeout::default()) {
                Err(Error::Io(error)) => Err(error.kind()),
                came => Ok(came.unwrap()),
            }
        };
        for fault in [BrokenPipe, ConnectionAborted, ConnectionReset] {
            assert_eq!(outcome(fault, false), Ok(true), "what came before is the response");
            assert_eq!(outcome(fault, true), Err(fault), "the tunnel above learns of it");
            let opening = || outcome(fault, false);
            assert_eq!(call_context::opening(crate::config::LONGEST, |_| opening()), Err(fault));
        }
        for fault in [Other, TimedOut] {
            assert_eq!(outcome(fault, false), Err(fault));
        }
    }

    #[test]
    fn informational_responses_have_together_the_length_of_the_longest_head() {
        // The input is empty lines up to 16 bytes below the limit, and then one of these texts.
        for (begun, fits) in [("HTTP/1.1 103 xxx", true), ("HTTP/1.1 103 xxxx", false), ("\r\n", true)] {
            let buffers = LazyBuffers::new(2 * LONGEST_HEAD, LEAST_ROOM);
            let connection = Box::new(Recorder { buffers, written: Arc::default(), fault: None });
            let mut transport = RequestTransport::new(connection, false);
            let input = "\r\n".repeat((LONGEST_HEAD - 16) / 2) + begun;
            let buffers = transport.connection.buffers();
            buffers.input_append_buf()[..input.len()].copy_from_slice(input.as_bytes());
            buffers.input_appended(input.len());
            assert_eq!(transport.skip_informational().ok(), fits.then_some(true), "{begun:?}");
        }
        let (at_most, more) = (check_length(LONGEST_HEAD), check_length(LONGEST_HEAD + 1));
        assert!(at_most.is_ok() && matches!(more, Err(Error::LargeResponseHeader(_, LONGEST_HEAD))));
    }

    #[test]
    fn what_stands_for_a_connection_that_was_given_back_neither_holds_nor_transfers_a_byte() {
        let mut placeholder = GivenBack;
        let not_connected = |result: Result<(), Error>| match result {
            Err(Error::Io(error)) => error.kind() == io::ErrorKind::NotConnected,
            _ => false,
        };
        assert!(not_connected(placeholder.transmit_output(1, NextTimeout::default())));
        assert!(not_connected(placeholder.await_input(NextTimeout::default()).map(drop)));
        assert!(!placeholder.is_open());
        let buffers = placeholder.buffers();
        assert!(buffers.input().is_empty() && !buffers.can_use_input());
        assert!(buffers.output().is_empty() && buffers.input_append_buf().is_empty());
        let (tmp, output) = buffers.tmp_and_output();
        assert!(tmp.is_empty() && output.is_empty());
    }

    #[test]
    fn while_a_request_is_held_its_buffers_are_those_of_the_connection_behind_it() {
        let (mut transport, _) = transport();
        let free = transport.buffers().output().len();
        send(&mut transport, b"request").unwrap();
        let buffers = transport.buffers();
        assert!(buffers.input().is_empty() && !buffers.can_use_input(), "nothing was received yet");
        assert_eq!(buffers.output().len(), free - b"request".len());
        let (tmp, output) = buffers.tmp_and_output();
        assert_eq!((tmp.is_empty(), output.len()), (false, free - b"request".len()));
        buffers.input_append_buf()[..6].copy_from_slice(b"answer");
        buffers.input_appended(6);
        buffers.input_consume(2);
        assert_eq!(transport.connection.buffers().input(), b"swer");
    }
}
