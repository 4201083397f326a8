//! A server on a raw loopback socket. The test decides how the server answers each request, byte by byte if
//! necessary.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::LONG;
use super::reply::{Reply, success};

#[derive(Clone, Debug)]
pub struct Request {
    /// The number of the connection and of the request, both from 1.
    pub connection: usize,
    pub number: usize,
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// The header with this name. The test fails if the header is repeated.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} stands twice");
        first
    }

    /// The end of the path, such as `/new`.
    pub fn operation(&self) -> &str {
        self.target.split_once("/api/v1/merchant/pay").map_or("", |(_, path)| path)
    }
}

pub enum Answer {
    /// Sends the reply and waits for the next request.
    Keep(Reply),
    /// Sends these bytes and waits for the next request.
    KeepAs(Vec<u8>),
    /// Sends these bytes, possibly none, and closes the connection.
    Bytes(Vec<u8>),
    /// Sends the bytes, and then repeats the last byte until the client disconnects.
    Dribble(Vec<u8>),
    /// Sends nothing until the client disconnects.
    Never,
}

/// Acts as a proxy: opens a tunnel for CONNECT, and then answers like the service.
pub fn tunnel(request: &Request) -> Answer {
    match request.method.as_str() {
        "CONNECT" => Answer::KeepAs(b"HTTP/1.1 200 Connection established\r\n\r\n".to_vec()),
        _ => Answer::Keep(success()),
    }
}

type Script = dyn Fn(&Request) -> Answer + Send + Sync;

pub struct Log {
    pub connections: usize,
    pub requests: Vec<Request>,
}

#[derive(Default)]
struct State {
    connections: usize,
    threads: Vec<JoinHandle<()>>,
    requests: Vec<Request>,
    /// `true` if the test expects no more requests.
    is_over: bool,
}

pub struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    listener: JoinHandle<()>,
    arrived: Mutex<Receiver<Request>>,
}

impl Server {
    /// Sends the same reply to every request, and keeps the connections.
    pub fn replying(reply: Reply) -> Server {
        Server::start(move |_| Answer::Keep(reply.clone()))
    }

    pub fn start(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let (arrive, arrived) = channel();
        let (shared, script) = (Arc::clone(&state), Arc::new(script));
        let accepting = move || {
            loop {
                // Asked before, so that every connection that came before the end is accepted.
                let is_over = shared.lock().unwrap().is_over || Arc::strong_count(&shared) == 1;
                let Ok((stream, _)) = listener.accept() else {
                    if is_over {
                        return;
                    }
                    std::thread::sleep(LOOKS_EVERY / 10);
                    continue;
                };
                let mut state = shared.lock().unwrap();
                state.connections += 1;
                let (connection, arrive) = (state.connections, arrive.clone());
                let context = Context { connection, state: Arc::clone(&shared), arrive };
                let script = Arc::clone(&script);
                state.threads.push(std::thread::spawn(move || context.serve(stream, &*script)));
            }
        };
        Server { address, state, listener: std::thread::spawn(accepting), arrived: Mutex::new(arrived) }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the next request.
    pub fn arrived(&self) -> Request {
        self.arrived.lock().unwrap().recv_timeout(LONG).expect("no request came")
    }

    /// Ends the server after it has read all bytes that have arrived. Returns the server's log.
    pub fn finish(self) -> Log {
        self.state.lock().unwrap().is_over = true;
        self.listener.join().unwrap();
        let threads = std::mem::take(&mut self.state.lock().unwrap().threads);
        for thread in threads {
            thread.join().expect("the server's script failed");
        }
        let mut state = self.state.lock().unwrap();
        Log { connections: state.connections, requests: std::mem::take(&mut state.requests) }
    }
}

struct Context {
    connection: usize,
    state: Arc<Mutex<State>>,
    arrive: Sender<Request>,
}

impl Context {
    fn serve(&self, stream: TcpStream, script: &Script) {
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(LOOKS_EVERY));
        let mut stream = Connection { stream, state: &self.state };
        let mut unread = Vec::new();
        while let Some(mut request) = read_request(&mut stream, &mut unread) {
            request.connection = self.connection;
            {
                let mut state = self.state.lock().unwrap();
                request.number = state.requests.len() + 1;
                state.requests.push(request.clone());
            }
            let _ = self.arrive.send(request.clone());
            match script(&request) {
                Answer::Keep(reply) => drop(stream.write_all(&reply.bytes())),
                Answer::KeepAs(bytes) => drop(stream.write_all(&bytes)),
                Answer::Bytes(bytes) => return drop(stream.write_all(&bytes)),
                Answer::Dribble(bytes) => return dribble(&mut stream, &bytes),
                Answer::Never => return wait_for_end(&mut stream),
            }
        }
    }
}

/// A reader checks at this interval whether the server must end.
const LOOKS_EVERY: Duration = Duration::from_millis(10);

/// A connection. If the server must end and no bytes are left, `read` reports the end of the connection.
struct Connection<'a> {
    stream: TcpStream,
    state: &'a Mutex<State>,
}

impl Read for Connection<'_> {
    fn read(&mut self, part: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.stream.read(part) {
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if self.state.lock().unwrap().is_over {
                        return Ok(0);
                    }
                }
                result => return result,
            }
        }
    }
}

impl Write for Connection<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

/// Reads one request with a `Content-Length`. `None` at the end of the connection.
pub fn read_request(stream: &mut impl Read, unread: &mut Vec<u8>) -> Option<Request> {
    let mut more = |unread: &mut Vec<u8>| {
        let mut part = [0; 16 * 1024];
        let count = stream.read(&mut part).ok().filter(|count| *count > 0)?;
        unread.extend_from_slice(&part[..count]);
        Some(())
    };
    let end = loop {
        match unread.windows(4).position(|four| four == b"\r\n\r\n") {
            Some(end) => break end,
            None => more(unread)?,
        }
    };
    let head = String::from_utf8(unread[..end].to_vec()).expect("a head in UTF-8");
    let mut lines = head.split("\r\n");
    let line: Vec<&str> = lines.next().unwrap().split(' ').collect();
    assert_eq!((line.len(), line[2]), (3, "HTTP/1.1"), "{head}");
    let headers: Vec<_> = lines
        .map(|line| line.split_once(": ").expect(line))
        .map(|(n, v)| (n.to_owned(), v.to_owned()))
        .collect();
    let mut request = Request {
        connection: 0,
        number: 0,
        method: line[0].to_owned(),
        target: line[1].to_owned(),
        headers,
        body: Vec::new(),
    };
    let length: usize = request.header("Content-Length").map_or(0, |length| length.parse().unwrap());
    let body = end + 4;
    while unread.len() < body + length {
        more(unread)?;
    }
    let rest = unread.split_off(body + length);
    request.body = unread.split_off(body);
    *unread = rest;
    Some(request)
}

fn dribble(stream: &mut impl Write, bytes: &[u8]) {
    let last = bytes.last().expect("something to dribble");
    let mut sent = stream.write_all(bytes);
    while sent.is_ok() {
        // Imitates a slow service. No test depends on the length of this time.
        std::thread::sleep(Duration::from_millis(2));
        sent = stream.write_all(&[*last]);
    }
}

fn wait_for_end(stream: &mut impl Read) {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).is_ok_and(|count| count > 0) {}
}
