//! Tests that informational responses (1xx) before the final response are skipped. Their total length is
//! limited, whether they arrive fast or slowly.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::common::reply::success;
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
        // The server sends one of these: informational responses, informational responses after empty lines,
        // or only empty lines.
        for before in [EARLY_HINTS.repeat(8), [b"\r\n", EARLY_HINTS].concat().repeat(8), b"\r\n".repeat(200)]
        {
            let (url, server) = endless(before, pace);
            let error = client(&url).new_payment(&crate::common::payment_request()).unwrap_err();
            assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{pace:?}: {error}");
            assert!(error.message().contains("header"), "the limit ends it, not the deadline: {error}");
            server.join().unwrap();
        }
    }
}

#[test]
fn an_informational_head_without_an_end_is_a_transport_error() {
    let (url, server) =
        endless([b"HTTP/1.1 103 Early Hints\r\n".as_slice(), &b"X: y\r\n".repeat(100)].concat(), None);
    let error = client(&url).new_payment(&crate::common::payment_request()).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{error}");
    server.join().unwrap();
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
