//! Tests of how often a request is sent. Only `/available` and `/status` may be sent more than once.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::reply::{bad_gateway, bare, refusal, success};
use crate::common::server::{Answer, Server};
use crate::common::{LONG, ORDER, client, config, every_call, is_repeatable, summary};
use merchantpay::{Client, Code, Outcome};

#[test]
fn gateways_page_repeats_only_what_takes_no_effect() {
    for (path, call) in every_call() {
        let server = Server::replying(bad_gateway());
        let error = call(&client(&server.url())).expect_err(path);
        assert_eq!(summary(&error), (Code::Unverified, Outcome::Unknown, Some(502)), "{path}: {error}");
        let requests = server.finish().requests;
        assert_eq!(requests.len(), if is_repeatable(path) { 3 } else { 1 }, "{path}");
        assert!(requests.iter().all(|request| request.operation() == path));
        assert!(requests.iter().all(|request| request.body == requests[0].body), "the same bytes every time");
    }
}

#[test]
fn unsent_repeat_hides_no_sent_request() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // New connections are refused after this.
        drop(listener);
        crate::common::server::read_request(&mut stream, &mut Vec::new()).unwrap()
    });
    let error = client(&url).get_status(ORDER).unwrap_err();
    assert_eq!(summary(&error), (Code::Transport, Outcome::Unknown, None), "{error}");
    assert!(error.message().contains("before anything was sent"), "the last attempt was refused: {error}");
    assert_eq!(service.join().unwrap().operation(), "/status");
}

#[test]
fn repeat_waits_as_long_as_the_service_asks() {
    let pause = Duration::from_secs(1);
    for status in [429, 503] {
        for (path, call) in every_call() {
            let server = Server::start(move |request| match request.number {
                1 => Answer::Keep(bare(status, "text/html", "busy").header("Retry-After", "1")),
                _ => Answer::Keep(success()),
            });
            let begun = Instant::now();
            let result = call(&client(&server.url()));
            if is_repeatable(path) {
                result.unwrap_or_else(|error| panic!("{path}: {error}"));
                assert!(begun.elapsed() >= pause, "{path}");
            } else {
                let error = result.expect_err(path);
                assert_eq!(
                    (error.retry_after(), error.is_transient()),
                    (Some(pause), true),
                    "{path}: {error}"
                );
            }
            assert_eq!(server.finish().requests.len(), 1 + usize::from(is_repeatable(path)), "{path}");
        }
    }
}

#[test]
fn pause_beyond_the_deadline_ends_the_call() {
    let date = "Fri, 31 Dec 9999 23:59:59 GMT";
    for (status, value, is_pause) in
        [(503, "3600", true), (429, date, true), (503, "soon", false), (502, "3600", false)]
    {
        let page = bare(status, "text/html", "busy").header("Retry-After", value);
        let server = Server::replying(page);
        let begun = Instant::now();
        let error = client(&server.url()).get_status(ORDER).unwrap_err();
        assert_eq!(summary(&error), (Code::Unverified, Outcome::Unknown, Some(status)), "{error}");
        assert_eq!(error.retry_after().is_some(), is_pause, "{value}: {error:?}");
        assert!(begun.elapsed() < LONG / 2, "{value}");
        assert_eq!(server.finish().requests.len(), if is_pause { 1 } else { 3 }, "{value}");
    }
}

#[test]
fn observer_receives_every_attempt() {
    let server = Server::start(|request| match (request.operation(), request.number) {
        ("/status", 1) => Answer::Keep(bad_gateway()),
        ("/status", 2) => Answer::Bytes(Vec::new()),
        ("/cancel", _) => Answer::Keep(refusal("payment could not be canceled").status(403)),
        _ => Answer::Keep(success()),
    });
    let entries = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&entries);
    let caller = std::thread::current().id();
    let client = Client::new(config(&server.url()).observer(move |attempt| {
        assert_eq!(std::thread::current().id(), caller);
        assert!(attempt.elapsed < crate::common::LONG);
        let names = (attempt.code.map(Code::name), attempt.outcome.map(Outcome::name));
        lines.lock().unwrap().push(format!(
            "{} {:?} {} {:?} {:?} {:?}",
            attempt.operation, attempt.order_id, attempt.number, attempt.http_status, names.0, names.1
        ));
    }))
    .unwrap();
    client.get_status(ORDER).unwrap();
    client.cancel(ORDER).unwrap_err();
    client.new_payment(&crate::common::payment_request()).unwrap();
    client.get_available_amounts(&crate::common::amounts_request()).unwrap();
    client.confirm("").unwrap_err();
    assert_eq!(
        *entries.lock().unwrap(),
        [
            r#"getStatus Some("order-1") 1 Some(502) Some("unverified") Some("unknown")"#,
            r#"getStatus Some("order-1") 2 None Some("transport") Some("unknown")"#,
            r#"getStatus Some("order-1") 3 Some(200) None None"#,
            r#"cancel Some("order-1") 1 Some(403) Some("rejected") Some("rejected")"#,
            r#"newPayment Some("order-1") 1 Some(200) None None"#,
            r#"getAvailableAmounts None 1 Some(200) None None"#,
        ]
    );
    assert_eq!(server.finish().requests.len(), 6);
}
