//! `webhook listen`: with real sockets, the sandbox's own webhooks and a terminal.

use std::net::{TcpListener, TcpStream};

use merchantpay::Keypair;
use merchantpay_services::{authority, certified, message, tls_before};

use crate::*;

const STATUS: &str = r#"{"success":true,"orderId":"o-1","status":"doneSuccess","sum":1500.50}"#;

struct Listening {
    running: Running,
    authority: String,
}

impl Listening {
    fn start(service: &Keypair, args: &[&str]) -> Listening {
        let mut command = program(&[&["webhook", "listen", "--port", "0"], args].concat());
        command.env("MERCHANTPAY_SERVER_PUBLIC_KEY", service.public_key().to_base64());
        let mut running = Running::start(command);
        let url = running.json()["listening"].as_str().unwrap().to_owned();
        let authority = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Listening { running, authority }
    }

    fn error(&mut self) -> Value {
        let mut line = String::new();
        self.running.err.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["error"].clone()
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.authority).unwrap()
    }

    fn post(&self, path: &str, headers: &str, body: &[u8]) -> String {
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        self.raw(&[head.as_bytes(), body].concat())
    }

    fn post_status(&self, path: &str, service: &Keypair) -> String {
        self.post(path, &signed(service, STATUS.as_bytes()), STATUS.as_bytes())
    }

    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

fn pair() -> Keypair {
    Keypair::generate().unwrap()
}

fn signed(service: &Keypair, body: &[u8]) -> String {
    format!("X-Signature: {}\r\nX-KeyId: sandbox-server\r\n", service.private_key().sign(body).to_base64())
}

fn is_status(answer: &str, status: u16) -> bool {
    answer.starts_with(&format!("HTTP/1.1 {status} "))
}

#[test]
fn listen_answers_by_kind_of_request() {
    let service = pair();
    let mut listening = Listening::start(&service, &[]);
    assert!(is_status(&listening.post_status("/any/path", &service), 200));
    assert_eq!(listening.running.json()["orderId"], "o-1");

    let pending = br#"{"success":true,"orderId":"o-1","status":"pending"}"#;
    let large = vec![b' '; 1024 * 1024 + 1];
    let (body, bom) = (STATUS.as_bytes(), [b"\xEF\xBB\xBF", STATUS.as_bytes()].concat());
    let (headers, of_pending) = (&*signed(&service, body), signed(&service, pending));
    let unverified = "unverified";
    for (name, headers, body, status, code, cause) in [
        ("no signature", "", body, 400, unverified, Some("missing_signature")),
        ("a BOM", headers, &bom, 400, unverified, Some("body_changed")),
        ("two signatures", &headers.repeat(2), body, 400, unverified, Some("repeated_signature")),
        ("a status that is never sent", &of_pending, pending, 400, "malformed", None),
        ("too large", headers, &large, 413, unverified, Some("too_large")),
    ] {
        let answer = listening.post("/", headers, body);
        assert!(is_status(&answer, status), "{name}: {answer}");
        let error = listening.error();
        assert_eq!(
            (error["code"].as_str(), error["answered"].as_u64(), error["cause"].as_str()),
            (Some(code), Some(status.into()), cause),
            "{name}"
        );
        assert!(
            cause.is_none() || error["hint"].as_str().is_some_and(|hint| hint.ends_with('.')),
            "{name}: {error}"
        );
        let secret = signed(&service, body);
        let secret = secret.split(' ').nth(1).unwrap().split('\r').next().unwrap();
        assert!(!error.to_string().contains(&secret[..12]), "{name}: {error}");
    }

    let get = listening.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(is_status(&get, 405) && get.to_ascii_lowercase().contains("allow: post"), "{get}");
    assert_eq!(listening.error()["cause"], "not_post");
    let headers = "X-Many: x\r\n".repeat(100);
    assert!(is_status(&listening.post("/", &headers, b""), 431));
}

#[test]
fn int_and_term_exit_with_0() {
    let service = pair();
    for signal in ["INT", "TERM"] {
        let mut listening = Listening::start(&service, &[]);
        // Neither a webhook that does not verify nor a connection that hangs changes the exit status.
        assert!(is_status(&listening.post("/", "", b"{}"), 400));
        assert_eq!(listening.error()["cause"], "missing_signature");
        let mut hanging = listening.connect();
        hanging.write_all(b"POST / HTTP/1.1\r\n").unwrap();
        listening.running.signal(signal);
        assert_eq!(listening.running.status(), Some(0), "{signal}");
    }
}

#[test]
fn unprintable_webhook_is_not_accepted() {
    let service = pair();
    let mut listening = Listening::start(&service, &[]);
    let out = std::mem::replace(
        &mut listening.running.out,
        BufReader::new(Command::new("true").stdout(Stdio::piped()).spawn().unwrap().stdout.unwrap()),
    );
    drop(out);
    // Repeats the request: a child process that another test is starting keeps the pipe open for a moment, and
    // webhooks are still printed then.
    let mut post = || listening.post_status("/", &service);
    let answer = std::iter::repeat_with(&mut post).find(|answer| !is_status(answer, 200)).unwrap();
    assert!(is_status(&answer, 500), "its sender shall come again: {answer:?}");
    assert_eq!(listening.running.status(), Some(4));
}

/// Answers one request. The thread returns its bytes.
fn local_program(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = message(&mut stream).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(request).unwrap()
    });
    (url, served)
}

#[test]
fn forwards_bytes_and_returns_answer() {
    const TEAPOT: &str = "HTTP/1.1 418 Teapot\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntea";
    let service = pair();
    let unsigned = "X-Signature: x\r\n";
    for (path, args, headers, asked_for, came) in [
        ("", &[][..], signed(&service, STATUS.as_bytes()), "POST /hook/4f1c?a=b HTTP/1.1\r\n", "event"),
        ("/mine?c", &[], signed(&service, STATUS.as_bytes()), "POST /mine?c HTTP/1.1\r\n", "event"),
        ("/mine", &["--forward-unverified"], unsigned.to_owned(), "POST /mine HTTP/1.1\r\n", "error"),
    ] {
        let (url, served) = local_program(TEAPOT);
        let mut listening = Listening::start(&service, &[&["--forward-to", &(url + path)], args].concat());
        let headers = headers
            + "X-Mine: one\r\nX-Mine: two\r\nUser-Agent: service\r\nContent-Type: application/json\r\n";
        let answer = listening.post("/hook/4f1c?a=b", &headers, STATUS.as_bytes());
        assert!(
            is_status(&answer, 418) && answer.ends_with("\r\n\r\ntea") && answer.contains("text/plain"),
            "{answer}"
        );
        let request = served.join().unwrap();
        assert!(
            request.starts_with(asked_for) && request.ends_with(&format!("\r\n\r\n{STATUS}")),
            "{request}"
        );
        for header in headers.lines() {
            let (name, value) = header.split_once(": ").unwrap();
            assert!(
                request.contains(&format!("{}: {value}\r\n", name.to_ascii_lowercase())),
                "{header} in {request}"
            );
        }
        match came {
            "event" => assert_eq!(listening.running.json()["orderId"], "o-1"),
            _ => assert_eq!(listening.error()["answered"], 418),
        }
    }
}

#[test]
fn unverified_is_not_forwarded() {
    let service = pair();
    let local = TcpListener::bind("127.0.0.1:0").unwrap();
    local.set_nonblocking(true).unwrap();
    let url = format!("http://{}", local.local_addr().unwrap());
    let mut listening = Listening::start(&service, &["--forward-to", &url]);
    assert!(is_status(&listening.post_status("/", &pair()), 400));
    assert_eq!(listening.error()["cause"], "not_explained");
    assert_eq!(local.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn listen_prints_text_on_terminal() {
    let service = pair();
    let mut listen = program(&["webhook", "listen", "--port", "0", "--count", "2"]);
    listen.env("MERCHANTPAY_SERVER_PUBLIC_KEY", service.public_key().to_base64());
    let mut terminal = script(&shell_words(&listen), &listen);
    terminal.stdin(Stdio::piped());
    let mut running = Running::start(terminal);
    let first = running.line();
    let url = first.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
    let authority = url.trim_start_matches("http://").trim_end_matches('/');
    let body = "{\"success\":true,\"orderId\":\"o-1\",\"status\":\"doneSuccess\",\"sum\":1500.50,\"payeeName\":\"a\\u001b[2Jb\"}";
    for (headers, body) in [(signed(&service, body.as_bytes()), body), (String::new(), body)] {
        let mut stream = TcpStream::connect(authority).unwrap();
        write!(stream, "POST / HTTP/1.1\r\nHost: x\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
            .unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
    }
    let rest = running.rest();
    assert_eq!(running.status(), Some(5));
    assert!(
        rest.contains("OK 200 status o-1 doneSuccess\r\n") && rest.contains("sum           1500.50\r\n"),
        "{rest}"
    );
    assert!(rest.contains("REFUSED 400 missing_signature\r\n"), "{rest}");
    assert!(!rest.contains('\u{1b}'), "what a terminal would execute: {rest:?}");
}

#[test]
fn https_receiver_needs_its_ca() {
    let (service, authority) = (pair(), authority());
    let folder = Folder::new();
    let (key, ca) = (folder.join("service.key"), folder.join("ca.pem"));
    std::fs::write(&key, service.private_key().to_base64().as_bytes()).unwrap();
    std::fs::write(&ca, authority.pem()).unwrap();
    let (key, ca) = (key.to_str().unwrap(), ca.to_str().unwrap());
    let listening = Listening::start(&service, &[]);
    let tls = certified(&authority, &["localhost"], (2020, 2099));
    let front = tls_before(listening.authority.parse().unwrap(), tls);
    let url = format!("https://localhost:{}/", front.port());
    let send = ["webhook", "send", "--url", &url, "--server-private-key-file", key, "status"];
    let untrusted = run(program(&send));
    assert!(untrusted.status > 2 && untrusted.stderr.contains("certificate"), "{}", untrusted.stderr);
    assert_eq!(run(program(&[&send[..], &["--ca-file", ca]].concat())).reply()["httpStatus"], 200);

    let forwarding = Listening::start(&service, &["--forward-to", &url, "--ca-file", ca]);
    let answer = forwarding.post_status("/", &service);
    assert!(is_status(&answer, 200), "{answer}");

    let options = Options { ca_file: Some(ca.into()), ..Options::default() };
    let trusting = Sandbox::start(options).unwrap();
    // The receiver trusts another service, so it refuses every webhook, but it is reached.
    for (sandbox, is_reached) in [(sandbox(), false), (trusting, true)] {
        let checked = run(at(&sandbox, &["check-receiver", &url]));
        let seen = (checked.status, checked.stdout.contains("\"httpStatus\":400"));
        assert_eq!(seen, (1, is_reached), "{}", checked.stdout);
    }
}
