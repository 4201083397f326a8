//! The sandbox over loopback: the library's client is the merchant, and a plain HTTP client calls the control API.

mod clock;
mod contract;
mod database;
mod faults;
mod guard;
mod payments;
mod stories;
mod webhooks;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use merchantpay::{
    Amount, AmountsRequest, BASE_PATH, Balance, Client, Code, Config, Error, Event, Keypair, OPERATIONS,
    Outcome, Payment, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, Reason, Receipt, Rounding,
    Signature, Status, WebhookVerifier, to_balance,
};
use merchantpay_sandbox::{ClockMode, Fault, Options, PlannedFault, Sandbox, SettingsFormat};
use merchantpay_services::{Hook, receive};
use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);
const ACCOUNT: &str = "79001234567";

fn options() -> Options {
    Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(200),
        webhook_retries: vec![Duration::from_millis(5); 2],
        ..Options::default()
    }
}

fn sandbox() -> Sandbox {
    Sandbox::start(options()).unwrap()
}

fn started(options: Options) -> (Sandbox, Client, Api) {
    let sandbox = Sandbox::start(options).unwrap();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    (sandbox, client, api)
}

fn client(sandbox: &Sandbox) -> Client {
    client_with(sandbox, sandbox.merchant_private_key().unwrap())
}

fn client_with(sandbox: &Sandbox, key: &PrivateKey) -> Client {
    let (id, server_key) = (sandbox.merchant_key_id(), sandbox.server_public_key());
    let config = Config::new(sandbox.url(), id, key.clone(), server_key);
    Client::new(config.server_key_id(sandbox.server_key_id())).unwrap()
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn request(account: &str) -> PaymentRequest {
    PaymentRequest::new(amount("1500.50"), PaymentMethod::Sbp, account)
}

fn awaiting(client: &Client, account: &str) -> String {
    client.new_payment(&request(account)).unwrap().order_id().to_owned()
}

/// `url` is for the credentials webhook.
fn asynchronous(client: &Client, account: &str, url: &str) -> String {
    let asked = request(account).credentials_webhook_url(url);
    client.new_payment_async(&asked).unwrap().order_id().to_owned()
}

const NOWHERE: &str = "http://127.0.0.1:9/";

fn until(client: &Client, order_id: &str, status: Status) -> Payment {
    eventually(|| {
        let payment = client.get_status(order_id).unwrap();
        let is_there = payment.status() == Some(&status);
        assert!(is_there || !payment.is_final(), "{:?} in place of {status}", payment.status());
        is_there.then_some(payment)
    })
}

fn eventually<T>(there: impl Fn() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(Instant::now() < end, "it does not come");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn fields<const N: usize>(document: &Value, names: [&str; N]) -> Value {
    json!(names.map(|name| &document[name]).to_vec())
}

fn rows<const N: usize>(list: &Value, names: [&str; N]) -> Value {
    list.as_array().unwrap().iter().map(|one| fields(one, names)).collect()
}

fn column(list: &Value, name: &str) -> Value {
    list.as_array().unwrap().iter().map(|one| one[name].clone()).collect()
}

struct Api {
    url: String,
    agent: ureq::Agent,
}

struct Reply {
    status: u16,
    headers: ureq::http::HeaderMap,
    bytes: Vec<u8>,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Api {
    fn of(sandbox: &Sandbox) -> Api {
        Api::at(sandbox.url().to_owned())
    }

    fn at(url: String) -> Api {
        let agent =
            ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Api { url, agent }
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        self.send_bytes(method, path, headers, body.unwrap_or_default().as_bytes())
    }

    fn send_bytes(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self.agent.run(request.body(body).unwrap()).unwrap();
        let bytes = answer.body_mut().read_to_vec().unwrap();
        Reply { status: answer.status().as_u16(), headers: answer.headers().clone(), bytes }
    }

    fn get(&self, path: &str) -> Value {
        let reply = self.send("GET", path, &[], None);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    fn payment(&self, order_id: &str) -> Value {
        self.get(&format!("/sandbox/payments/{order_id}"))
    }

    fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], Some(body))
    }

    fn change(&self, path: &str, body: &str) -> Value {
        let reply = self.post(path, body);
        assert!((200..300).contains(&reply.status), "{path} {body}: {}", reply.text());
        reply.json()
    }

    fn delete(&self, path: &str) -> Value {
        let reply = self.send("DELETE", path, &[], None);
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    fn advance(&self, ms: u64) -> Value {
        self.change("/sandbox/clock", &json!({"advanceMs": ms}).to_string())
    }

    fn operate(&self, order_id: &str, action: &str) -> Value {
        self.change(&format!("/sandbox/payments/{order_id}/operator"), &json!({"action": action}).to_string())
    }

    fn refused(&self, path: &str, body: &str) -> (u16, String) {
        let reply = self.post(path, body);
        (reply.status, reply.json()["error"]["code"].as_str().unwrap().to_owned())
    }
}

struct Webhook {
    event: Result<Event, Error>,
    body: String,
}

struct Receiver {
    url: String,
    webhooks: mpsc::Receiver<Webhook>,
}

impl Receiver {
    /// Answers with these statuses in turn, then with 200.
    fn start(sandbox: &Sandbox, statuses: &'static [u16]) -> Receiver {
        let verifier = WebhookVerifier::with_keys(
            &[sandbox.server_public_key()],
            &[sandbox.server_key_id().to_owned()],
            Some(sandbox.merchant_key_id()),
        )
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook/4f1c", listener.local_addr().unwrap());
        let (sender, webhooks) = mpsc::channel();
        let statuses = Mutex::new(statuses.iter().copied());
        receive(listener, move |Hook { path, body, signature, key_id }| {
            assert_eq!(path, "/hook/4f1c");
            let key_id = Some(key_id.as_str()).filter(|id| !id.is_empty());
            let event = verifier.verify(&body, &signature, key_id);
            let _ = sender.send(Webhook { event, body: String::from_utf8(body).unwrap() });
            statuses.lock().unwrap().next().unwrap_or(200)
        });
        Receiver { url, webhooks }
    }

    fn next(&self) -> Webhook {
        self.webhooks.recv_timeout(PATIENCE).unwrap()
    }
}

/// Reads the stream on a plain socket, line by line.
struct Reader(BufReader<TcpStream>);

impl Reader {
    /// When this function returns, no later event is missed.
    fn open(sandbox: &Sandbox) -> Reader {
        let host = sandbox.url().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET /sandbox/events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut reader = Reader(BufReader::new(stream));
        assert_eq!(reader.until("hello")["sandbox"], true);
        reader
    }

    fn until(&mut self, name: &str) -> Value {
        let mut wanted = false;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
            if let Some(event) = line.trim_end().strip_prefix("event: ") {
                wanted = event == name;
            }
            if let Some(data) = line.trim_end().strip_prefix("data: ").filter(|_| wanted) {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}

struct File(TempDir);

impl File {
    fn new() -> File {
        File(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("sandbox.db")
    }

    fn options(&self) -> Options {
        Options { database: Some(self.path()), ..options() }
    }
}

/// Waits until the previous sandbox has released the file.
fn start(options: &Options) -> Sandbox {
    eventually(|| match Sandbox::start(options.clone()) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
        started => Some(started.unwrap()),
    })
}

/// Reads until the connection ends.
fn raw(sandbox: &Sandbox, bytes: &str) -> String {
    let mut stream = TcpStream::connect(sandbox.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

/// Also checks that the reply is signed, whatever its status is.
fn post(sandbox: &Sandbox, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let reply = Api::of(sandbox).send_bytes("POST", &format!("{BASE_PATH}{path}"), headers, body);
    assert_eq!(reply.header("x-keyid"), sandbox.server_key_id(), "{path}");
    assert_eq!(reply.header("content-type"), "application/json", "{path}");
    assert!(is_signed(&reply, &sandbox.server_public_key()), "{path}");
    reply
}

/// Like [`post`], signed with the merchant's key.
fn signed(sandbox: &Sandbox, path: &str, content_type: &str, body: &[u8]) -> Reply {
    let signature = sandbox.merchant_private_key().unwrap().sign(body).to_base64();
    let headers =
        [("X-KeyId", sandbox.merchant_key_id()), ("X-Signature", &signature), ("Content-Type", content_type)];
    post(sandbox, path, &headers, body)
}

fn is_signed(reply: &Reply, key: &PublicKey) -> bool {
    Signature::from_base64(reply.header("x-signature")).is_some_and(|text| key.verifies(&reply.bytes, &text))
}
