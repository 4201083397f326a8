//! Tests of broken, slow or hostile connections. They check the error's code and outcome, and the number of
//! sent requests.

use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::common::reply::{signed, success};
use crate::common::server::{Answer, Server};
use crate::common::{ORDER, client, config, every_call, is_repeatable, payment_request, summary};
use merchantpay::{Client, Code, Outcome, Receipt};

/// A deadline that is shorter than the time after which the servers of these tests answer.
const SHORT: Duration = Duration::from_millis(300);

fn expected_requests(path: &str) -> usize {
    if is_repeatable(path) { 3 } else { 1 }
}

#[test]
fn a_reply_that_is_not_whole_leaves_the_outcome_unknown() {
    let (whole, chunked) = (success().bytes(), success().chunked());
    let head = whole.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let endless = [b"HTTP/1.1 200 OK\r\nX-Long: ".as_slice(), &[b'x'; 200_000]].concat();
    for (what, bytes, http_status) in [
        ("no reply", &b""[..], None),
        ("within the status line", &whole[..10], None),
        ("before the empty line", &whole[..head + 2], None),
        ("without its last byte", &whole[..whole.len() - 1], Some(200)),
        ("without its body", &whole[..whole.len() - success().body.len()], Some(200)),
        ("a length that is not kept", &success().bytes_with_length(100_000), Some(200)),
        ("without its last chunk", &chunked[..chunked.len() - 5], Some(200)),
        ("another protocol", b"220 mail.example ESMTP\r\n\r\n", None),
        ("headers without end", &endless, None),
    ] {
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
    receipt.add_bytes("a.pdf", "application/pdf", &[b"%PDF".as_slice(), &[7; 16_000_000]].concat()).unwrap();
    let error = client(&url).derive(Duration::from_secs(3)).attach_receipt(&receipt).unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::Unknown, None), "{error}");
    // The thread still reads the bytes that are on their way. The test does not wait for the thread.
    drop(slow);
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
        let there = format!("{}/api/v1/merchant/pay/status", elsewhere.url());
        let server = Server::replying(success().status(status).header("Location", &there));
        let error = client(&server.url()).get_status(ORDER).unwrap_err();
        assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, Some(status)), "{error}");
        assert_eq!(server.finish().requests.len(), 1, "{status}");
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
fn a_name_that_does_not_resolve_sends_nothing() {
    let client = Client::new(config("https://no-such-host.invalid").max_retries(0)).unwrap();
    for (path, call) in every_call() {
        let error = call(&client).expect_err(path);
        assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{path}: {error}");
    }
}
