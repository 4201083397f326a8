//! Slow or endless replies: code, outcome, and number of requests. tests/faults breaks a connection at each byte,
//! tests/contract/scenarios/http.py has every framing.

use std::time::Duration;

use crate::common::reply::{signed, success};
use crate::common::server::{Answer, Server};
use crate::common::{LONG, ORDER, client, config, payment_request, summary};
use merchantpay::{Client, Code, Outcome};

/// A deadline that is shorter than the time after which the servers of these tests answer.
const SHORT: Duration = Duration::from_millis(300);

#[test]
fn call_on_a_kept_connection_has_its_own_deadline() {
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
fn reply_larger_than_the_limit_is_refused() {
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
fn redirect_is_not_followed() {
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
fn deadline_is_of_the_whole_call() {
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
fn longest_deadline_is_no_fault() {
    let server = Server::replying(success());
    for (timeout, connect) in [(Duration::MAX, LONG), (LONG, Duration::MAX), (Duration::MAX, Duration::MAX)] {
        let config = config(&server.url()).timeout(timeout).connect_timeout(connect);
        Client::new(config).unwrap().get_status(ORDER).unwrap();
    }
    assert_eq!(server.finish().requests.len(), 3);
}
