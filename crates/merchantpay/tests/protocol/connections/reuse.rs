//! The connection that a call uses, also while the server closes it. Kept and closed connections of each operation are in
//! tests/contract/scenarios/connections.py.

use std::net::TcpListener;
use std::time::Duration;

use crate::common::reply::success;
use crate::common::server::{Answer, Request, Server};
use crate::common::{ORDER, client, config, every_call, is_repeatable, payment_request, summary};
use merchantpay::{Client, Code, Outcome, Status};

const EVER: Duration = Duration::from_secs(3600);

/// For each request, the number of its connection.
fn connections(requests: &[Request]) -> Vec<usize> {
    requests.iter().map(|request| request.connection).collect()
}

fn patient(url: &str) -> Client {
    Client::new(config(url).reuse_idle(EVER)).unwrap()
}

/// The remaining risk: the server closes a connection while a request is on its way.
#[test]
fn connection_closed_during_a_request_repeats_no_payment() {
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
fn call_without_time_left_closes_no_connection() {
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
fn failed_connect_has_sent_nothing() {
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
fn silent_kept_connection_costs_status_a_part_of_its_deadline() {
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
fn call_without_retries_has_its_whole_deadline() {
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

#[test]
fn wait_asks_until_the_status_is_final() {
    let server = Server::start(|request| status(request.number));
    assert_eq!(client(&server.url()).wait(ORDER, EVER).unwrap().status(), Some(&Status::DoneSuccess));
    assert_eq!(server.finish().requests.len(), 4);
}

#[test]
fn wait_past_its_time_is_a_timeout_with_the_order() {
    let server = Server::start(|_| status(1));
    let error = client(&server.url()).wait(ORDER, Duration::ZERO).unwrap_err();
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
    let error = unhurried.wait(ORDER, Duration::from_millis(1)).unwrap_err();
    assert_eq!(
        (summary(&error), error.order_id()),
        ((Code::Timeout, Outcome::Unknown, None), Some(ORDER)),
        "{error}"
    );
}

#[test]
fn wait_ends_when_interrupted() {
    let server = Server::start(|_| status(1));
    let client = client(&server.url());
    let waiting = client.clone();
    let waiter = std::thread::spawn(move || waiting.wait(ORDER, EVER));
    (0..2).for_each(|_| drop(server.arrived()));
    client.interrupt();
    let error = waiter.join().unwrap().unwrap_err();
    assert_eq!((error.code(), error.order_id()), (Code::Cancelled, Some(ORDER)), "{error}");
    let error = client.wait(ORDER, EVER).unwrap_err();
    assert_eq!(
        (summary(&error), error.order_id()),
        ((Code::Cancelled, Outcome::NotSent, None), Some(ORDER)),
        "{error}"
    );
}
