//! One request over an open connection, for ureq's `unversioned` API. ureq frames HTTP, and nothing else: it gets
//! exactly the connection that was chosen before.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Agent, Error};

use super::head::{LONGEST_HEAD, append, read_head};
use super::process::lock;
use super::stream::Connection;

/// A connection that is lent to ureq for one request.
#[derive(Clone)]
pub(super) struct Lent(Arc<Mutex<Loan>>);

struct Loan {
    connection: Connection,
    /// The whole request was written and the whole response was read, and nothing else.
    is_complete: bool,
}

impl Lent {
    pub(super) fn new(connection: Connection) -> Lent {
        Lent(Arc::new(Mutex::new(Loan { connection, is_complete: false })))
    }

    /// An agent that sends one request over the connection. `room` is the size of the output buffer: the whole head
    /// must fit into it.
    pub(super) fn agent(&self, settings: Config, is_tls: bool, room: usize) -> Agent {
        Agent::with_parts(settings, Lender { lent: self.clone(), is_tls, room }, NoResolver)
    }

    pub(super) fn bytes_written(&self) -> u64 {
        self.loan().connection.tcp().bytes_written()
    }

    /// The connection, if another request can be sent over it. ureq must have dropped its part before.
    pub(super) fn into_reusable(self) -> Option<Connection> {
        let loan = Arc::into_inner(self.0)?.into_inner().ok()?;
        loan.is_complete.then_some(loan.connection)
    }

    fn loan(&self) -> MutexGuard<'_, Loan> {
        lock(&self.0)
    }
}

struct Lender {
    lent: Lent,
    is_tls: bool,
    room: usize,
}

impl Connector for Lender {
    type Out = Wire;

    fn connect(&self, _: &ConnectionDetails, _: Option<()>) -> Result<Option<Wire>, Error> {
        Ok(Some(Wire {
            lent: self.lent.clone(),
            is_tls: self.is_tls,
            output: Buffer::new(vec![0; self.room], 0, self.room),
            write_failure: None,
            input: Buffer::new(Vec::new(), 0, LONGEST_INPUT),
            has_head: false,
            has_news: false,
        }))
    }
}

/// ureq asks its resolver on every call, but the connection is already open.
#[derive(Debug)]
struct NoResolver;

impl Resolver for NoResolver {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        Ok(self.empty())
    }
}

/// Keeps the request's bytes until the buffer is full or ureq waits for the response, so a small request is one
/// write. ureq sees no byte before the final response.
struct Wire {
    lent: Lent,
    is_tls: bool,
    output: Buffer,
    /// The server ended the connection during the request. It may have answered before, as nginx does with 413.
    write_failure: Option<io::Error>,
    /// Empty until the head of the final response was read.
    input: Buffer,
    has_head: bool,
    /// ureq has not yet seen all bytes of `input`, or has consumed some of them.
    has_news: bool,
}

/// The input begins small, because ureq wants it zeroed, for each request.
const INPUT: usize = 2 * 1024;
const LONGEST_INPUT: usize = LONGEST_HEAD + INPUT;

impl Wire {
    fn write_held(&mut self) -> io::Result<()> {
        let held = self.output.filled();
        if self.write_failure.is_none() && !held.is_empty() {
            let connection = &mut self.lent.loan().connection;
            match connection.write_all(held).and_then(|()| connection.flush()) {
                Err(failure) if is_broken(&failure) => self.write_failure = Some(failure),
                written => written?,
            }
        }
        self.output.clear();
        Ok(())
    }

    /// Reads the head of the final response, and puts the head that ureq gets in its place. `false` if the connection
    /// ends before.
    fn read_head(&mut self) -> io::Result<bool> {
        let mut input = Vec::with_capacity(INPUT);
        let head = read_head(&mut input, |input| {
            let is_unanswered = input.is_empty();
            let read = append(&mut self.lent.loan().connection, INPUT, input);
            match self.write_failure.take_if(|_| is_unanswered && !matches!(read, Ok(1..))) {
                Some(failure) => Err(failure),
                None => read,
            }
        })?;
        let Some(head) = head else { return Ok(false) };
        input.splice(..head.length, head.text);
        let end = input.len();
        input.resize(end.max(INPUT), 0);
        (self.input, self.has_head) = (Buffer::new(input, end, LONGEST_INPUT), true);
        Ok(true)
    }
}

/// Whether the server, or a machine on the way, ended the connection during a write.
fn is_broken(failure: &io::Error) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(failure.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

impl Transport for Wire {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), Error> {
        self.output.fill(amount);
        if self.output.room().is_empty() {
            self.write_held()?;
        }
        Ok(())
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, Error> {
        self.write_held()?;
        let has_come = if self.has_head {
            let count = self.lent.loan().connection.read(self.input.room())?;
            self.input.fill(count);
            count > 0
        } else {
            self.read_head()?
        };
        self.has_news |= has_come;
        Ok(has_come)
    }

    /// ureq asks only after a whole response, if the server keeps the connection open. The answer is always
    /// `false`, so that ureq keeps no connection.
    fn is_open(&mut self) -> bool {
        let nothing_held = self.output.filled().is_empty() && self.input.filled().is_empty();
        self.lent.loan().is_complete = nothing_held && self.write_failure.is_none();
        false
    }

    fn is_tls(&self) -> bool {
        self.is_tls
    }
}

impl Buffers for Wire {
    fn output(&mut self) -> &mut [u8] {
        self.output.room()
    }

    /// Only a body of unknown length needs the other space, and there is no such body.
    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        (&mut [], self.output.room())
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.input.room()
    }

    fn input_appended(&mut self, amount: usize) {
        self.input.fill(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.has_news = amount > 0;
        self.input.consume(amount);
    }

    fn input(&self) -> &[u8] {
        self.input.filled()
    }

    fn can_use_input(&self) -> bool {
        self.has_news && !self.input().is_empty()
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

impl fmt::Debug for Lender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lender").finish_non_exhaustive()
    }
}

/// Bytes with free space behind them.
struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    longest: usize,
}

impl Buffer {
    fn new(bytes: Vec<u8>, end: usize, longest: usize) -> Buffer {
        Buffer { bytes, start: 0, end, longest }
    }

    fn filled(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The free space. If there is none, the bytes move to the start, and the buffer grows up to its longest.
    fn room(&mut self) -> &mut [u8] {
        if self.end == self.bytes.len() {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            let longer = (2 * self.bytes.len()).min(self.longest).max(self.bytes.len());
            self.bytes.resize(longer, 0);
        }
        &mut self.bytes[self.end..]
    }

    fn fill(&mut self, count: usize) {
        self.end += count;
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start == self.end {
            self.clear();
        }
    }

    fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::time::{Duration, Instant};

    use super::super::stream::{Stream, Tcp};
    use super::*;

    const ROOM: usize = 4096;

    /// A connection that keeps what is written, fails after `breaks_after` bytes, and then is read from `input`.
    struct Recorder {
        writes: Arc<Mutex<Vec<Vec<u8>>>>,
        breaks_after: usize,
        input: io::Cursor<Vec<u8>>,
        tcp: Tcp,
    }

    impl Read for Recorder {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.input.read(buffer)
        }
    }

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.breaks_after < bytes.len() {
                return Err(ErrorKind::BrokenPipe.into());
            }
            self.breaks_after -= bytes.len();
            lock(&self.writes).push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Stream for Recorder {
        fn is_quiet(&mut self) -> bool {
            true
        }

        fn tcp(&mut self) -> &mut Tcp {
            &mut self.tcp
        }
    }

    struct Exchange {
        result: Result<(u16, String), Error>,
        writes: Vec<Vec<u8>>,
        is_reusable: bool,
    }

    fn exchange(body: &[u8], breaks_after: usize, input: &str) -> Exchange {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let tcp = Tcp::new(socket, Instant::now() + Duration::from_secs(20)).unwrap();
        let writes = Arc::default();
        let input = io::Cursor::new(input.as_bytes().to_vec());
        let lent = Lent::new(Box::new(Recorder { writes: Arc::clone(&writes), breaks_after, input, tcp }));
        let settings = Agent::config_builder().http_status_as_error(false).max_redirects(0).build();
        let result = lent.agent(settings, false, ROOM).post("http://pay.example/new").send(body);
        let result =
            result.and_then(|mut reply| Ok((reply.status().as_u16(), reply.body_mut().read_to_string()?)));
        let is_reusable = lent.into_reusable().is_some();
        let writes = lock(&writes).clone();
        Exchange { result, writes, is_reusable }
    }

    const REPLY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

    #[test]
    fn head_and_body_are_one_write() {
        let done = exchange(b"{body}", usize::MAX, REPLY);
        assert_eq!(done.result.unwrap(), (200, "{}".to_owned()));
        let [write] = &done.writes[..] else { panic!("{:?}", done.writes) };
        assert!(write.starts_with(b"POST /new HTTP/1.1\r\n") && write.ends_with(b"\r\n\r\n{body}"));
        assert!(done.is_reusable);
    }

    #[test]
    fn a_long_body_is_written_as_the_buffer_fills() {
        let body: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        let done = exchange(&body, usize::MAX, REPLY);
        let all = done.writes.concat();
        assert!(done.result.is_ok() && done.is_reusable && all.ends_with(&body));
        assert_eq!(done.writes.len(), all.len().div_ceil(ROOM));
    }

    #[test]
    fn a_connection_is_reusable_only_after_exactly_one_whole_reply() {
        for (input, is_reusable) in [
            (REPLY, true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\r\n\r\n{}", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}H", false),
        ] {
            let done = exchange(b"", usize::MAX, input);
            assert_eq!(done.result.unwrap().1, "{}", "{input}");
            assert_eq!(done.is_reusable, is_reusable, "{input}");
        }
        let cut = exchange(b"", usize::MAX, &REPLY[..REPLY.len() - 1]);
        assert!(cut.result.is_err() && !cut.is_reusable);
    }

    #[test]
    fn after_a_failed_write_the_answer_is_read() {
        let body = vec![0; 5 * ROOM];
        for answer in ["HTTP/1.1 413 Large\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 413 Large\r\n\r\n{}"] {
            let done = exchange(&body, 2 * ROOM, answer);
            assert_eq!(done.result.unwrap(), (413, "{}".to_owned()));
            assert!(!done.is_reusable);
        }
        let unanswered = exchange(&body, 2 * ROOM, "");
        assert!(matches!(unanswered.result, Err(Error::Io(error)) if error.kind() == ErrorKind::BrokenPipe));
    }
}
