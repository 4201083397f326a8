//! Tests of the connection that a call uses, and of the effect if the server closes the connection at the
//! worst moment.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::common::reply::success;
use crate::common::server::{Answer, Request, Server};
use crate::common::{LONG, ORDER, client, config, every_call, is_repeatable, payment_request, summary};
use merchantpay::{Client, Code, Outcome, Payment, Result, Status};

/// A time that is longer than any test runs.
const EVER: Duration = Duration::from_secs(3600);

/// For each request, the number of its connection.
fn connections(requests: &[Request]) -> Vec<usize> {
    requests.iter().map(|request| request.connection).collect()
}

fn patient(url: &str) -> Client {
    Client::new(config(url).reuse_idle(EVER)).unwrap()
}

#[test]
fn every_call_uses_the_connection_that_was_used_a_moment_ago() {
    let server = Server::replying(success());
    let client = patient(&server.url());
    for (_, call) in every_call() {
        call(&client).unwrap();
        call(&client.clone()).unwrap();
        call(&client.derive(LONG)).unwrap();
    }
    assert_eq!(server.finish().connections, 1);
}

#[test]
fn a_call_that_is_sent_once_uses_no_connection_that_has_waited_too_long_and_status_does() {
    let server = Server::replying(success());
    let client = Client::new(config(&server.url()).reuse_idle(Duration::ZERO)).unwrap();
    for _ in 0..2 {
        client.get_status(ORDER).unwrap();
        client.new_payment(&payment_request()).unwrap();
        client.confirm(ORDER).unwrap();
    }
    // `/status` uses the connection that was used last.
    assert_eq!(connections(&server.finish().requests), [1, 2, 3, 3, 4, 5]);
}

#[test]
fn no_connection_is_used_when_the_server_keeps_it_no_longer() {
    for (value, expected) in [("close", 3), ("keep-alive", 1)] {
        let server = Server::replying(success().header("Connection", value));
        let client = patient(&server.url());
        client.get_status(ORDER).unwrap();
        client.new_payment(&payment_request()).unwrap();
        client.get_status(ORDER).unwrap();
        assert_eq!(server.finish().connections, expected, "{value}");
    }
}

#[test]
fn a_connection_that_the_server_closed_before_the_call_costs_nothing() {
    for (path, call) in every_call() {
        let server = Server::start(|_| Answer::Close(success()));
        let client = patient(&server.url());
        for _ in 0..3 {
            call(&client).unwrap_or_else(|error| panic!("{path}: {error}"));
            server.closed();
        }
        assert_eq!(connections(&server.finish().requests), [1, 2, 3], "{path}");
    }
}

/// The remaining risk: the server closes a connection while a request is on its way.
#[test]
fn a_connection_closed_at_the_worst_moment_repeats_no_payment() {
    for (path, call) in every_call() {
        let server = Server::start(move |request| match request.number {
            2 => Answer::Bytes(Vec::new()),
            _ => Answer::Keep(success()),
        });
        let client = patient(&server.url());
        client.get_status(ORDER).unwrap();
        let result = call(&client);
        if is_repeatable(path) {
            result.unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(connections(&server.finish().requests), [1, 1, 2], "{path}");
        } else {
            let error = result.expect_err(path);
            assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{path}: {error}");
            assert_eq!(connections(&server.finish().requests), [1, 1], "{path}: sent once");
        }
    }
}

#[test]
fn a_call_with_no_time_left_closes_no_connection() {
    let server = Server::replying(success());
    let client = patient(&server.url());
    client.get_status(ORDER).unwrap();
    for (path, call) in every_call() {
        let error = call(&client.derive(Duration::from_nanos(1))).expect_err(path);
        assert_eq!(summary(&error), (Code::Timeout, Outcome::NotSent, None), "{path}: {error}");
    }
    client.new_payment(&payment_request()).unwrap();
    assert_eq!(connections(&server.finish().requests), [1, 1]);
}

#[test]
fn a_connection_that_was_opened_ahead_is_used_by_the_next_call_whatever_it_is() {
    for (path, call) in every_call() {
        let server = Server::replying(success());
        let client =
            Client::new(config(&server.url()).reuse_idle(Duration::ZERO).connect_idle(EVER)).unwrap();
        client.connect().unwrap();
        client.connect().unwrap();
        for _ in 0..2 {
            call(&client).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        let log = server.finish();
        assert_eq!((log.requests.len(), log.connections), (2, 2), "{path}: nothing was sent by connect");
    }
}

#[test]
fn a_connection_that_was_opened_ahead_is_not_used_past_its_time_nor_once_it_is_closed() {
    let server = Server::replying(success());
    let client = Client::new(config(&server.url()).connect_idle(Duration::ZERO)).unwrap();
    client.connect().unwrap();
    client.new_payment(&payment_request()).unwrap();
    assert_eq!(connections(&server.finish().requests), [2]);

    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let client = patient(&format!("http://{}", listener.local_addr().unwrap()));
    client.connect().unwrap();
    drop(listener.accept().unwrap());
    drop(listener);
    let error = client.new_payment(&payment_request()).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
}

#[test]
fn a_connection_that_cannot_be_opened_ahead_has_sent_nothing() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = client(&url);
    let error = client.connect().unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::NotSent, None), "{error}");
    let error = client.derive(Duration::from_nanos(1)).connect().unwrap_err();
    assert_eq!(summary(&error), (Code::Timeout, Outcome::NotSent, None), "{error}");
    client.interrupt();
    let error = client.connect().unwrap_err();
    assert_eq!(summary(&error), (Code::Cancelled, Outcome::NotSent, None), "{error}");
}

#[test]
fn a_kept_connection_that_has_gone_silent_costs_a_status_call_a_part_of_its_deadline() {
    for (path, call) in every_call() {
        let server = Server::start(
            |request| if request.number == 2 { Answer::Never } else { Answer::Keep(success()) },
        );
        let client =
            Client::new(config(&server.url()).reuse_idle(EVER).timeout(Duration::from_secs(3))).unwrap();
        client.get_status(ORDER).unwrap();
        let result = call(&client);
        if is_repeatable(path) {
            result.unwrap_or_else(|error| panic!("{path}: {error}"));
        } else {
            assert_eq!(summary(&result.expect_err(path)), (Code::Timeout, Outcome::Unknown, None), "{path}");
        }
        let expected: &[usize] = if is_repeatable(path) { &[1, 1, 2] } else { &[1, 1] };
        assert_eq!(connections(&server.finish().requests), expected, "{path}");
    }
}

#[test]
fn a_call_that_may_not_be_repeated_has_the_whole_deadline_on_a_kept_connection() {
    let server =
        Server::start(|request| if request.number == 2 { Answer::Never } else { Answer::Keep(success()) });
    let client = Client::new(config(&server.url()).max_retries(0).timeout(Duration::from_secs(1))).unwrap();
    client.get_status(ORDER).unwrap();
    assert_eq!(summary(&client.get_status(ORDER).unwrap_err()), (Code::Timeout, Outcome::Unknown, None));
    assert_eq!(connections(&server.finish().requests), [1, 1]);
}

fn status(number: usize) -> Answer {
    let status = if number < 4 { "pending" } else { "doneSuccess" };
    Answer::Keep(crate::common::reply::signed(format!(
        r#"{{"success":true,"orderId":"{ORDER}","status":"{status}"}}"#
    )))
}

fn waited(client: &Client, timeout: Duration) -> Result<Payment> {
    client.wait(ORDER, timeout)
}

#[test]
fn a_wait_asks_until_the_status_is_final() {
    let server = Server::start(|request| status(request.number));
    assert_eq!(waited(&client(&server.url()), EVER).unwrap().status(), Some(&Status::DoneSuccess));
    assert_eq!(server.finish().requests.len(), 4);
}

#[test]
fn a_wait_whose_time_is_up_is_a_timeout_with_the_order() {
    let server = Server::start(|_| status(1));
    let error = waited(&client(&server.url()), Duration::ZERO).unwrap_err();
    assert_eq!(
        (summary(&error), error.order_id()),
        ((Code::Timeout, Outcome::Unknown, None), Some(ORDER)),
        "{error}"
    );
    assert_eq!(server.finish().requests.len(), 1, "it asks at least once");
    // The deadline of the wait also limits the calls of the wait, even if the timeout of the client is much
    // longer.
    let silent = Server::start(|_| Answer::Never);
    let unhurried = Client::new(config(&silent.url()).timeout(EVER)).unwrap();
    let error = waited(&unhurried, Duration::from_millis(1)).unwrap_err();
    assert_eq!(
        (summary(&error), error.order_id()),
        ((Code::Timeout, Outcome::Unknown, None), Some(ORDER)),
        "{error}"
    );
}

#[test]
fn a_pause_lasts_as_long_as_it_was_asked_to() {
    let (pause, begun) = (Duration::from_millis(20), Instant::now());
    client("http://127.0.0.1:1").pause(pause).unwrap();
    assert!(begun.elapsed() >= pause);
}

#[test]
fn a_wait_ends_when_it_is_interrupted() {
    let server = Server::start(|_| status(1));
    let client = client(&server.url());
    let waiting = client.clone();
    let waiter = std::thread::spawn(move || waited(&waiting, EVER));
    (0..2).for_each(|_| drop(server.arrived()));
    client.interrupt();
    let error = waiter.join().unwrap().unwrap_err();
    assert_eq!((error.code(), error.order_id()), (Code::Cancelled, Some(ORDER)), "{error}");
    let error = waited(&client, EVER).unwrap_err();
    assert_eq!(
        (summary(&error), error.order_id()),
        ((Code::Cancelled, Outcome::NotSent, None), Some(ORDER)),
        "{error}"
    );
}
