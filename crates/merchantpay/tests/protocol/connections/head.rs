//! Tests of a response's head: informational responses (1xx) before it, and headers that are malformed, folded or
//! too many. No header that the library does not use may cost a signed reply.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::common::reply::{bare, success};
use crate::common::server::{Answer, Server, read_request};
use crate::common::{ORDER, client, every_call, summary};
use merchantpay::{Code, Outcome};

const EARLY_HINTS: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";

#[test]
fn every_call_reads_its_response_behind_informational_ones() {
    for (path, call) in every_call() {
        for before in [
            b"HTTP/1.1 100 Continue\r\n\r\n".to_vec(),
            b"HTTP/1.1 100 Continue\r\nDate: today\r\nX-Hop: 1\r\n\r\n".to_vec(),
            b"HTTP/1.0 102 Processing\n\n".to_vec(),
            b"\r\n\nHTTP/1.1 100 Continue\r\n\r\n\r\n".to_vec(),
            EARLY_HINTS.repeat(20),
        ] {
            let shown = String::from_utf8_lossy(&before).into_owned();
            let bytes = [before, success().bytes()].concat();
            let server = Server::start(move |_| Answer::KeepAs(bytes.clone()));
            let client = client(&server.url());
            for _ in 0..2 {
                call(&client).unwrap_or_else(|error| panic!("{path}, {shown}: {error}"));
            }
            assert_eq!(server.finish().requests.len(), 2, "{path}");
        }
    }
}

#[test]
fn a_head_that_comes_byte_by_byte_is_read() {
    let bytes = [
        b"HTTP/1.1 100 Continue\r\nDate: today\r\n\r\n".as_slice(),
        &success().header("Connection", "close").bytes(),
        b" ",
    ]
    .concat();
    let server = Server::start(move |_| Answer::Dribble(bytes.clone()));
    client(&server.url()).get_status(ORDER).unwrap();
    assert_eq!(server.finish().requests.len(), 1);
}

/// The server sends informational responses as fast as it can, so that many arrive together. Then it sends
/// them slowly, so that each response is read when it arrives.
#[test]
fn informational_responses_without_an_end_are_a_transport_error_at_any_pace() {
    for pace in [None, Some(Duration::from_micros(500))] {
        for before in [
            EARLY_HINTS.repeat(8),
            [b"\r\n", EARLY_HINTS].concat().repeat(8),
            b"\r\n".repeat(200),
            [b"HTTP/1.1 103 Early Hints\r\n".as_slice(), &b"X: y\r\n".repeat(100)].concat(),
        ] {
            let (url, server) = endless(before, pace);
            let error = client(&url).new_payment(&crate::common::payment_request()).unwrap_err();
            assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{pace:?}: {error}");
            assert!(error.message().contains("header"), "the limit ends it, not the deadline: {error}");
            server.join().unwrap();
        }
    }
}

/// A server that answers one request with the same bytes again and again, until the client disconnects.
fn endless(bytes: Vec<u8>, pace: Option<Duration>) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _): (TcpStream, _) = listener.accept().unwrap();
        read_request(&mut stream, &mut Vec::new()).unwrap();
        while stream.write_all(&bytes).is_ok() {
            if let Some(pace) = pace {
                std::thread::sleep(pace);
            }
        }
    });
    (url, server)
}

fn answering(headers: &str) -> merchantpay::Result<()> {
    let reply = success();
    let bytes = [
        reply.head().as_bytes(),
        headers.as_bytes(),
        format!("Content-Length: {}\r\n\r\n", reply.body.len()).as_bytes(),
        &reply.body,
    ]
    .concat();
    let server = Server::start(move |_| Answer::Bytes(bytes.clone()));
    let result = client(&server.url()).confirm(ORDER).map(drop);
    assert_eq!(server.finish().requests.len(), 1);
    result
}

#[test]
fn an_unused_header_never_costs_a_signed_reply() {
    for headers in [
        "Set-Cookie: waf=\x01\x02; path=/\r\n",
        "Via: one\r\n\ttwo\r\n   three\r\n",
        "no colon\r\n",
        "X-Cache : hit\r\n",
        ": nameless\r\n",
        "X-Name: \u{418}\u{432}\u{430}\u{43d}\r\n",
        "Server: a\rb\r\n",
        "Retry-After: \x01\r\n",
        "Connection: keep-alive\x01\r\n",
        &"X-More: x\r\n".repeat(1000),
    ] {
        answering(headers).unwrap_or_else(|error| panic!("{headers:?}: {error}"));
    }
}

#[test]
fn a_header_that_frames_the_body_in_two_ways_costs_the_reply() {
    let length = success().body.len();
    for headers in [
        format!("Content-Length: {}\r\n", length + 1),
        format!("Content-Length : {length}\r\n"),
        format!("Content-Length: {length}\r\n 0\r\n"),
        "Content-Length: -1\r\n".to_owned(),
        "Transfer-Encoding: \x0bchunked\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n".to_owned(),
    ] {
        let error = answering(&headers).expect_err(&headers);
        assert_eq!(
            (error.code(), error.outcome()),
            (Code::Transport, Outcome::Unknown),
            "{headers}: {error}"
        );
    }
}

#[test]
fn an_encoded_or_empty_or_firewalls_reply_is_named() {
    for (reply, named) in [
        (success().header("Content-Encoding", "gzip").body("\x1f\u{8b}"), &["Content-Encoding", "proxy"][..]),
        (success().body(""), &["it has no body"]),
        (bare(403, "text/html", "<h1>blocked</h1>"), &["firewall or a proxy", "key id"]),
    ] {
        let server = Server::replying(reply);
        let error = client(&server.url()).confirm(ORDER).unwrap_err();
        assert_eq!((error.code(), error.outcome()), (Code::Unverified, Outcome::Unknown), "{error}");
        let places: Vec<_> = named.iter().map(|part| error.message().find(part)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{error}");
    }
    let server = Server::replying(success().header("Content-Encoding", "identity"));
    client(&server.url()).confirm(ORDER).unwrap();
}
