//! Tests of a service that answers a long request before it has read the whole request, and then closes the
//! connection or stops reading. The client must still read the refusal.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::common::reply::{Reply, bare, refusal, success};
use crate::common::route::{ROUTES, Route, Service, accept};
use crate::common::server::read_request;
use crate::common::{ORDER, config, summary};
use merchantpay::{Client, Code, Config, Outcome, Receipt};
use rustls::{ServerConnection, StreamOwned};

/// The length of the request. It is more than the buffers of two sockets, so the request is written
/// completely only if the service reads.
const LENGTH: usize = 24 * 1024 * 1024;

/// The service's behaviour after its answer.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Closes the connection, although bytes of the request are unread.
    Close,
    /// Reads nothing more, and keeps the connection open until the client's call has ended.
    Wait,
    /// Reads the rest of the request.
    Read,
}

fn answer(mut stream: impl Read + Write, reply: &[u8], then: Then, ended: &Receiver<()>) {
    read_head(&mut stream);
    stream.write_all(reply).unwrap();
    stream.flush().unwrap();
    match then {
        Then::Close => {}
        Then::Wait => drop(ended.recv()),
        Then::Read => drop(std::io::copy(&mut stream, &mut std::io::sink())),
    }
}

/// Reads the head of a request. Returns the head, and the bytes after it that were already read.
fn read_head(stream: &mut impl Read) -> Vec<u8> {
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut part).unwrap();
        assert!(count > 0, "the request ended within its head");
        head.extend_from_slice(&part[..count]);
    }
    head
}

fn receipt() -> Receipt {
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes("scan.png", "image/png", &vec![b'x'; LENGTH]).unwrap();
    receipt
}

/// Sends the receipt without TLS, and over TLS on each route. Returns the results.
fn outcomes(reply: Option<&Reply>, then: Then) -> Vec<(String, merchantpay::Error)> {
    let receipt = receipt();
    let reply = reply.map(Reply::bytes).unwrap_or_default();
    let refused = |config: Config, end: Sender<()>| {
        let client = Client::new(config).unwrap();
        let error = client.attach_receipt(&receipt).expect_err("it was refused");
        let _ = end.send(());
        error
    };
    let (end, ended) = channel();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let plain = config(&format!("http://{}", listener.local_addr().unwrap()));
    let response = reply.clone();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        // Without this option, TCP may delay the answer until an acknowledgement arrives. The answer would
        // then be lost when the connection is closed.
        stream.set_nodelay(true).unwrap();
        answer(stream, &response, then, &ended);
    });
    let mut outcomes = vec![(format!("http, then {then:?}"), refused(plain, end))];
    server.join().unwrap();
    for route in ROUTES {
        let (end, ended) = channel();
        let (response, ended) = (reply.clone(), Mutex::new(ended));
        let service = Service::start(route, &rustls::version::TLS13, move |_, tls, below| {
            let stream = StreamOwned::new(ServerConnection::new(tls).unwrap(), below);
            answer(stream, &response, then, &ended.lock().unwrap());
        });
        outcomes.push((format!("{route:?}, then {then:?}"), refused(service.config(), end)));
    }
    outcomes
}

#[test]
fn a_signed_refusal_that_comes_before_the_request_was_read_is_a_refusal() {
    for (status, description) in [(413, "too large"), (401, "unknown key")] {
        for then in [Then::Close, Then::Wait, Then::Read] {
            for (what, error) in outcomes(Some(&refusal(description).status(status)), then) {
                assert_eq!(
                    summary(&error),
                    (Code::Rejected, Outcome::Rejected, Some(status)),
                    "{what}: {error}"
                );
                assert_eq!(error.description(), Some(description), "{what}");
            }
        }
    }
}

#[test]
fn a_page_that_comes_before_the_request_was_read_is_unverified() {
    for then in [Then::Close, Then::Wait, Then::Read] {
        for (what, error) in outcomes(Some(&bare(413, "text/html", "<h1>Too large</h1>")), then) {
            assert_eq!(summary(&error), (Code::Unverified, Outcome::Unknown, Some(413)), "{what}: {error}");
        }
    }
}

#[test]
fn a_connection_that_breaks_without_an_answer_has_an_unknown_outcome() {
    for (what, error) in outcomes(None, Then::Close) {
        assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{what}: {error}");
    }
}

#[test]
fn an_informational_response_lets_a_long_request_continue() {
    for route in ROUTES {
        let service = Service::start(route, &rustls::version::TLS13, |_, tls, below| {
            let mut stream = StreamOwned::new(ServerConnection::new(tls).unwrap(), below);
            let mut unread = read_head(&mut stream);
            stream.write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n").unwrap();
            stream.flush().unwrap();
            read_request(&mut stream, &mut unread).expect("the whole request");
            stream.write_all(&success().bytes()).unwrap();
            stream.flush().unwrap();
        });
        let client = Client::new(service.config()).unwrap();
        client.attach_receipt(&receipt()).unwrap_or_else(|error| panic!("{route:?}: {error}"));
    }
}

#[test]
fn bytes_that_are_not_tls_end_a_long_request() {
    let (report, read) = channel();
    let report = Mutex::new(report);
    let service = Service::start(Route::Direct, &rustls::version::TLS13, move |_, tls, below| {
        let mut stream = accept(tls, below).unwrap();
        read_head(&mut stream);
        stream.sock.write_all(&[0; 64]).unwrap();
        let mut count = 0;
        let mut part = [0; 64 * 1024];
        while let Ok(more @ 1..) = stream.sock.read(&mut part) {
            count += more;
        }
        report.lock().unwrap().send(count).unwrap();
    });
    let error = Client::new(service.config()).unwrap().attach_receipt(&receipt()).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{error}");
    let count = read.recv().unwrap();
    assert!(count < LENGTH, "{count} bytes were written");
}
