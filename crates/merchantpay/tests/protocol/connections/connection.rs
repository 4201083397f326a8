//! Tests of broken, slow or hostile connections. They check the error's code and outcome, and the number of
//! sent requests.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::common::reply::{bare, signed, success};
use crate::common::server::{Answer, Server, read_request};
use crate::common::{LONG, ORDER, client, config, every_call, is_repeatable, payment_request, summary};
use merchantpay::{Client, Code, Outcome, Receipt, Status};

/// A deadline that is shorter than the time after which the servers of these tests answer.
const SHORT: Duration = Duration::from_millis(300);

fn expected_requests(path: &str) -> usize {
    if is_repeatable(path) { 3 } else { 1 }
}

/// Checks every operation with a server that answers every request with these bytes and then closes the
/// connection.
fn assert_broken(what: &str, bytes: &[u8], http_status: Option<u16>) {
    for (path, call) in every_call() {
        let bytes = bytes.to_vec();
        let server = Server::start(move |_| Answer::Bytes(bytes.clone()));
        let error = call(&client(&server.url())).expect_err(path);
        assert_eq!(
            summary(&error),
            (Code::Transport, Outcome::Unknown, http_status),
            "{what}, {path}: {error}"
        );
        assert_eq!(server.finish().requests.len(), expected_requests(path), "{what}, {path}");
    }
}

#[test]
fn a_connection_closed_before_the_reply_leaves_the_outcome_unknown() {
    assert_broken("no reply", b"", None);
}

#[test]
fn a_connection_closed_within_the_headers_leaves_the_outcome_unknown() {
    let whole = success().bytes();
    let head = whole.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    assert_broken("within the status line", &whole[..10], None);
    assert_broken("before the empty line", &whole[..head + 2], None);
}

#[test]
fn a_connection_closed_within_the_body_leaves_the_outcome_unknown() {
    let whole = success().bytes();
    assert_broken("without its last byte", &whole[..whole.len() - 1], Some(200));
    assert_broken("without its body", &whole[..whole.len() - success().body.len()], Some(200));
    assert_broken("a length that is not kept", &success().bytes_with_length(100_000), Some(200));
    let chunked = success().chunked();
    assert_broken("without its last chunk", &chunked[..chunked.len() - 5], Some(200));
}

#[test]
fn what_is_not_http_is_a_transport_error() {
    assert_broken("another protocol", b"220 mail.example ESMTP\r\n\r\n", None);
    let mut endless = b"HTTP/1.1 200 OK\r\nX-Long: ".to_vec();
    endless.resize(200_000, b'x');
    assert_broken("headers without end", &endless, None);
}

#[test]
fn a_peer_that_hangs_up_at_once_never_makes_a_payment_repeat() {
    for (path, call) in every_call() {
        let server = Server::hanging_up();
        let error = call(&client(&server.url())).expect_err(path);
        assert_eq!(error.code(), Code::Transport, "{path}: {error}");
        let connections = server.finish().connections;
        // The server may close the connection before or after the client writes. A request that is not
        // repeatable is not written again after it was written.
        match error.outcome() {
            Outcome::NotSent => assert_eq!(connections, 3, "{path}"),
            _ if is_repeatable(path) => assert_eq!(connections, 3, "{path}"),
            _ => assert!((1..=3).contains(&connections), "{path}: {connections}"),
        }
    }
}

#[test]
fn many_kept_connections_that_the_server_has_closed_cost_a_call_nothing() {
    let meet = std::sync::Barrier::new(3);
    let server = Server::start(move |request| {
        // No request is answered until all three requests have arrived, so each request has its own
        // connection.
        if request.number <= 3 {
            meet.wait();
        }
        Answer::Close(success())
    });
    let client = Client::new(config(&server.url()).max_retries(0)).unwrap();
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(|| client.get_status(ORDER).unwrap()))));
    (0..3).for_each(|_| server.closed());
    client.get_status(ORDER).unwrap();
    let log = server.finish();
    assert_eq!((log.requests.len(), log.connections), (4, 4));
}

#[test]
fn a_call_on_a_kept_connection_has_its_own_deadline() {
    let short = Duration::from_secs(2);
    let server = Server::start(move |request| {
        match request.number {
            // This answer takes as long as the whole deadline of the previous call.
            3 => std::thread::sleep(short),
            4 => return Answer::Never,
            _ => {}
        }
        Answer::Keep(success())
    });
    let client = Client::new(config(&server.url()).max_retries(0)).unwrap();
    client.get_status(ORDER).unwrap();
    client.derive(short).get_status(ORDER).unwrap();
    client.get_status(ORDER).unwrap();
    let error = client.derive(SHORT).get_status(ORDER).unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, None), "{error}");
    let log = server.finish();
    assert_eq!((log.requests.len(), log.connections), (4, 1));
}

#[test]
fn a_service_that_reads_too_slowly_ends_with_the_deadline() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let slow = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // The service reads slowly: every write makes progress, but the whole request would take an hour.
        while stream.read(&mut [0; 16]).is_ok_and(|count| count > 0) {
            std::thread::sleep(Duration::from_millis(2));
        }
    });
    let mut receipt = Receipt::new(ORDER);
    receipt.add_bytes("a.pdf", "application/pdf", &vec![7; 16_000_000]).unwrap();
    let error = client(&url).derive(Duration::from_secs(3)).attach_receipt(&receipt).unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, None), "{error}");
    // The thread still reads the bytes that are on their way. The test does not wait for the thread.
    drop(slow);
}

#[test]
fn a_reply_that_nobody_has_asked_for_is_no_answer_to_the_next_request() {
    for comes_with_the_first in [true, false] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = client(&format!("http://{}", listener.local_addr().unwrap()));
        let (read, was_read) = channel();
        let (sent, was_sent) = channel();
        let service = std::thread::spawn(move || {
            let unasked =
                signed(format!(r#"{{"success":true,"orderId":"{ORDER}","status":"doneSuccess"}}"#)).bytes();
            let (mut kept, _) = listener.accept().unwrap();
            read_request(&mut kept, &mut Vec::new()).unwrap();
            if comes_with_the_first {
                kept.write_all(&[success().bytes(), unasked].concat()).unwrap();
                was_read.recv().unwrap();
            } else {
                kept.write_all(&success().bytes()).unwrap();
                was_read.recv().unwrap();
                kept.write_all(&unasked).unwrap();
            }
            sent.send(()).unwrap();
            let (mut other, _) = listener.accept().unwrap();
            read_request(&mut other, &mut Vec::new()).unwrap();
            other.write_all(&success().bytes()).unwrap();
        });
        assert_eq!(client.get_status(ORDER).unwrap().status(), Some(&Status::Pending));
        read.send(()).unwrap();
        was_sent.recv_timeout(LONG).unwrap();
        assert_eq!(
            client.get_status(ORDER).unwrap().status(),
            Some(&Status::Pending),
            "with the first: {comes_with_the_first}"
        );
        service.join().unwrap();
    }
}

#[test]
fn every_framing_of_a_reply_is_read() {
    let until_close = [success().head().as_bytes(), b"\r\n", &success().body].concat();
    // The signature is valid only for the whole body, so a part of the body cannot be missing.
    let chunked = success().chunked();
    let cut = chunked[..chunked.len() - 2].to_vec();
    assert!(cut.ends_with(b"\r\n0\r\n"));
    let informed =
        [b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".as_slice(), &success().bytes()].concat();
    for (what, bytes) in [
        ("in chunks", chunked),
        ("in chunks, without the last line", cut),
        ("until close", until_close),
        ("after a 103", informed),
    ] {
        let server = Server::start(move |_| Answer::Bytes(bytes.clone()));
        client(&server.url())
            .new_payment(&payment_request())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(server.finish().requests.len(), 1, "{what}");
    }
}

#[test]
fn a_reply_may_have_the_limits_size_and_not_a_byte_more() {
    let max = 20_000;
    let padded = |size: usize| {
        let start = format!(r#"{{"success":true,"orderId":"{ORDER}","payeeAccount":"2200","pad":""#);
        let body = format!("{start}{}\"}}", "x".repeat(size - start.len() - 2));
        assert_eq!(body.len(), size);
        signed(body)
    };
    for (size, fits) in [(max, true), (max + 1, false), (50 * max, false)] {
        let until_close = [padded(size).head().as_bytes(), b"\r\n", &padded(size).body].concat();
        for (framing, bytes) in [
            ("length", padded(size).bytes()),
            ("chunks", padded(size).chunked()),
            ("until close", until_close),
        ] {
            let server = Server::start(move |_| Answer::Bytes(bytes.clone()));
            let client = Client::new(config(&server.url()).max_reply_bytes(max as u64)).unwrap();
            let result = client.new_payment(&payment_request());
            assert_eq!(result.is_ok(), fits, "{size}, {framing}");
            if let Err(error) = result {
                assert_eq!(
                    summary(&error),
                    (Code::Transport, Outcome::Unknown, Some(200)),
                    "{size}, {framing}: {error}"
                );
                assert!(error.message().contains("20000 bytes"), "{error}");
            }
            assert_eq!(server.finish().requests.len(), 1, "{size}, {framing}");
        }
    }
}

#[test]
fn a_reply_that_announces_more_than_the_limit_is_refused_unread() {
    let server = Server::start(|_| {
        let head = format!("{}Content-Length: {}\r\n\r\n", success().head(), u64::MAX);
        Answer::Dribble(head.into_bytes())
    });
    let error = client(&server.url()).new_payment(&payment_request()).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, Some(200)), "{error}");
    assert_eq!(server.finish().requests.len(), 1);
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::replying(success());
    for status in [301, 302, 303, 307, 308] {
        for reply in [bare(status, "text/html", "moved"), success().status(status)] {
            let reply = reply.header("Location", &format!("{}/api/v1/merchant/pay/new", elsewhere.url()));
            for (path, call) in every_call() {
                let server = Server::replying(reply.clone());
                let client = Client::new(config(&server.url()).max_retries(0)).unwrap();
                let error = call(&client).expect_err(path);
                assert_eq!(
                    summary(&error),
                    (Code::Transport, Outcome::Unknown, Some(status)),
                    "{path}: {error}"
                );
                assert_eq!(server.finish().requests.len(), 1, "{path}");
            }
        }
    }
    assert_eq!(elsewhere.finish().connections, 0);
}

#[test]
fn a_service_that_never_answers_is_a_timeout_after_one_request() {
    for (path, call) in every_call() {
        let server = Server::start(|_| Answer::Never);
        let client = client(&server.url()).derive(SHORT);
        let started = Instant::now();
        let error = call(&client).expect_err(path);
        assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, None), "{path}: {error}");
        assert!(started.elapsed() >= SHORT, "it gave up before the deadline");
        assert_eq!(server.arrived().operation(), path);
        assert_eq!(server.finish().requests.len(), 1, "{path}");
    }
}

#[test]
fn the_deadline_is_of_the_whole_call_however_slowly_bytes_come() {
    let head = success().head();
    for (start, http_status) in [
        ("HTTP/1.1 200 OK\r\nX-Slow: x".to_owned(), None),
        (format!("{head}Content-Length: 1000000\r\n\r\n{{ "), Some(200)),
        (format!("{head}\r\n{{ "), Some(200)),
    ] {
        let bytes = start.into_bytes();
        let server = Server::start(move |_| Answer::Dribble(bytes.clone()));
        // This deadline is long enough for the headers to arrive on a busy machine.
        let client = client(&server.url()).derive(Duration::from_secs(1));
        let error = client.new_payment(&payment_request()).unwrap_err();
        assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, http_status), "{error}");
        drop(client);
        assert_eq!(server.finish().requests.len(), 1);
    }
}

#[test]
fn a_deadline_that_is_already_over_sends_nothing() {
    let server = Server::replying(success());
    for (path, call) in every_call() {
        let error = call(&client(&server.url()).derive(Duration::from_nanos(1))).expect_err(path);
        assert_eq!(summary(&error), (Code::Timeout, Outcome::NotSent, None), "{path}: {error}");
    }
    let log = server.finish();
    assert_eq!(log.requests.len(), 0);
}

#[test]
fn a_deadline_without_end_is_no_fault() {
    let server = Server::replying(success());
    for (timeout, connect) in [
        (Duration::MAX, Duration::from_secs(10)),
        (Duration::from_secs(1 << 62), Duration::from_secs(10)),
        (Duration::from_secs(20), Duration::from_secs(1 << 62)),
        (Duration::from_secs(20), Duration::MAX),
        (Duration::MAX, Duration::MAX),
    ] {
        let config = config(&server.url()).timeout(timeout).connect_timeout(connect);
        let client = Client::new(config).unwrap();
        let call =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| client.get_status(ORDER).is_ok()));
        assert!(matches!(call, Ok(true)), "timeout {timeout:?}, connect timeout {connect:?}");
    }
    assert_eq!(server.finish().requests.len(), 5);
}

#[test]
fn a_refused_connection_sends_nothing() {
    let nobody = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
    for (path, call) in every_call() {
        let client = Client::new(config(&format!("http://{nobody}")).max_retries(1)).unwrap();
        let error = call(&client).expect_err(path);
        assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{path}: {error}");
    }
}

#[test]
fn a_connection_that_nobody_accepts_is_a_timeout_of_unknown_outcome() {
    // The listener never accepts the connection, so the connection waits in the listener's queue. The request
    // is written and never read.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let client = client(&format!("http://{}", listener.local_addr().unwrap())).derive(SHORT);
    let error = client.new_payment(&payment_request()).unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, None), "{error}");
}

#[test]
fn a_name_that_does_not_resolve_sends_nothing() {
    let client = Client::new(config("https://no-such-host.invalid").max_retries(0)).unwrap();
    for (path, call) in every_call() {
        let error = call(&client).expect_err(path);
        assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{path}: {error}");
    }
}
