//! The sandbox that the verbs of `sandbox`, `story` and `check-receiver` control, and the servers that they
//! leave alone.

use std::io::Write as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

use merchantpay_sandbox::Sandbox;

use crate::common::{at, program, run};
use merchantpay_services::{head, serve};

/// A server that is no sandbox. It records the method and path of every request.
struct Production {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Production {
    fn start(answer: &'static str) -> Production {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&requests);
        let address = serve(move |mut stream| {
            let head = String::from_utf8(head(&mut stream).unwrap()).unwrap();
            recorded.lock().unwrap().push(head.split(" HTTP/").next().unwrap().to_owned());
            let _ = stream.write_all(answer.as_bytes());
        });
        Production { url: format!("http://{address}"), requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

const COMMANDS: [&[&str]; 7] = [
    &["story", "paid"],
    &["check-receiver", "http://127.0.0.1:1/"],
    &["sandbox", "operate", "sb-1", "approve"],
    &["sandbox", "faults", "add", "unsigned"],
    &["sandbox", "faults", "clear"],
    &["sandbox", "api", "clock", "advanceMs=1"],
    &["sandbox", "resend", "1"],
];

#[test]
fn base_url_never_names_the_sandbox() {
    let (sandbox, production) =
        (Sandbox::start(Default::default()).unwrap(), Production::start("HTTP/1.1 404 Not Found\r\n\r\n"));
    for args in COMMANDS {
        let mut command = at(&sandbox, args);
        command.env("MERCHANTPAY_BASE_URL", &production.url);
        run(command);
    }
    assert!(production.requests().is_empty(), "{:?}", production.requests());
    let mut story = at(&sandbox, &["story", "paid"]);
    story.env("MERCHANTPAY_BASE_URL", &production.url);
    assert_eq!(run(story).reply()["status"], "doneSuccess");
    assert_eq!(production.requests(), [""; 0]);
}

#[test]
fn only_a_sandbox_gets_a_request_that_changes_something() {
    let json =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"success\":true}";
    let named_sandbox =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"sandbox\":null} ";
    let page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<p/>";
    let moved = "HTTP/1.1 307 Moved\r\nLocation: /sandbox/\r\nContent-Length: 0\r\n\r\n";
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    let own_error = "HTTP/1.1 404 Not Found\r\nContent-Length: 44\r\n\r\n{\"error\":{\"code\":\"notFound\",\"message\":\"no\"}}";
    for answer in [json, named_sandbox, page, moved, missing, own_error] {
        for args in COMMANDS {
            let production = Production::start(answer);
            let flag = |mut command: Command| {
                command.args(["--sandbox", &production.url]);
                command
            };
            let variable = |mut command: Command| {
                command.env("MERCHANTPAY_SANDBOX_URL", &production.url);
                command
            };
            for command in [flag(program(args)), variable(program(args))] {
                let ran = run(command);
                let error = ran.error();
                assert_eq!(
                    (ran.status, error["outcome"].as_str()),
                    (3, Some("not_sent")),
                    "{args:?}: {error}"
                );
                assert!(error["message"].as_str().unwrap().contains("MERCHANTPAY_SANDBOX_URL"), "{error}");
            }
            assert!(
                production.requests().iter().all(|request| request == "GET /sandbox"),
                "{args:?}: {:?}",
                production.requests()
            );
        }
    }
}

#[test]
fn quotes_around_the_url_are_named() {
    for url in ["\"http://127.0.0.1:1\"", "'http://127.0.0.1:1'\r"] {
        let mut command = program(&["story", "paid"]);
        command.env("MERCHANTPAY_SANDBOX_URL", url);
        let ran = run(command);
        assert_eq!(ran.status, 2);
        assert!(ran.error()["message"].as_str().unwrap().contains("wrapped in quotes"), "{}", ran.stderr);
    }
}

#[test]
fn command_of_a_sandbox_controls_that_sandbox() {
    let program = env!("CARGO_BIN_EXE_merchantpay");
    let script = "\"$0\" story paid >/dev/null && \"$0\" sandbox api payments";
    let mut command = crate::common::program(&["sandbox", "--port", "0", "--", "sh", "-c", script, program]);
    command.env("MERCHANTPAY_SANDBOX_URL", "http://127.0.0.1:1");
    assert_eq!(run(command).reply()["payments"][0]["merchantId"], "story-paid");
}
