//! A fast sandbox, a client for it, a plain client of the control API, and a merchant's receiver.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Instant;

use merchantpay::WebhookVerifier;

pub use std::time::Duration;

pub use merchantpay::{
    Amount, AmountsRequest, BASE_PATH, Balance, Client, Code, Config, Error, Event, Keypair, OPERATIONS,
    Outcome, Payment, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, Reason, Receipt, Rounding,
    Signature, Status, to_balance,
};
pub use merchantpay_sandbox::{ClockMode, Fault, Options, PlannedFault, Sandbox, SettingsFormat};
pub use serde_json::{Value, json};

pub const PATIENCE: Duration = Duration::from_secs(30);
pub const ACCOUNT: &str = "79001234567";

pub fn options() -> Options {
    Options {
        pace: Duration::from_millis(5),
        credentials_wait: Duration::from_millis(200),
        webhook_retries: vec![Duration::from_millis(5); 2],
        ..Options::default()
    }
}

pub fn sandbox() -> Sandbox {
    Sandbox::start(options()).unwrap()
}

pub fn client(sandbox: &Sandbox) -> Client {
    let key = sandbox.merchant_private_key().unwrap().clone();
    let config = Config::new(sandbox.url(), sandbox.merchant_key_id(), key, sandbox.server_public_key());
    Client::new(config.server_key_id(sandbox.server_key_id())).unwrap()
}

pub fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

pub fn request(account: &str) -> PaymentRequest {
    PaymentRequest::new(amount("1500.50"), PaymentMethod::Sbp, account)
}

/// Makes a payment that waits for its customer.
pub fn awaiting(client: &Client, account: &str) -> String {
    client.new_payment(&request(account)).unwrap().order_id().to_owned()
}

/// Queries the payment until it has this status.
pub fn until(client: &Client, order_id: &str, status: Status) -> Payment {
    let end = Instant::now() + PATIENCE;
    loop {
        let payment = client.get_status(order_id).unwrap();
        if payment.status() == Some(&status) {
            return payment;
        }
        assert!(!payment.is_final() && Instant::now() < end, "{:?} in place of {status}", payment.status());
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub struct Api {
    url: String,
    agent: ureq::Agent,
}

pub struct Reply {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Api {
    pub fn of(sandbox: &Sandbox) -> Api {
        Api::at(sandbox.url().to_owned())
    }

    pub fn at(url: String) -> Api {
        let agent =
            ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Api { url, agent }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self.agent.run(request.body(body.unwrap_or_default().to_owned()).unwrap()).unwrap();
        let bytes = answer.body_mut().read_to_vec().unwrap();
        Reply { status: answer.status().as_u16(), headers: answer.headers().clone(), bytes }
    }

    /// Gets the document of a path.
    pub fn get(&self, path: &str) -> Value {
        let reply = self.send("GET", path, &[], None);
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.bytes));
        reply.json()
    }

    pub fn payment(&self, order_id: &str) -> Value {
        self.get(&format!("/sandbox/payments/{order_id}"))
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], Some(body))
    }

    /// Makes a change, which must succeed.
    pub fn change(&self, path: &str, body: &str) -> Value {
        let reply = self.post(path, body);
        assert!(
            (200..300).contains(&reply.status),
            "{path} {body}: {}",
            String::from_utf8_lossy(&reply.bytes)
        );
        reply.json()
    }

    /// Makes a change that is refused. Returns its status and code.
    pub fn refused(&self, path: &str, body: &str) -> (u16, String) {
        let reply = self.post(path, body);
        (reply.status, reply.json()["error"]["code"].as_str().unwrap().to_owned())
    }
}

pub struct Webhook {
    pub event: Result<Event, Error>,
    pub body: String,
}

pub struct Receiver {
    pub url: String,
    webhooks: mpsc::Receiver<Webhook>,
}

impl Receiver {
    /// Starts a receiver that answers with these statuses in turn, then with 200.
    pub fn start(sandbox: &Sandbox, statuses: &[u16]) -> Receiver {
        let verifier = WebhookVerifier::with_keys(
            &[sandbox.server_public_key()],
            &[sandbox.server_key_id().to_owned()],
            Some(sandbox.merchant_key_id()),
        )
        .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook/4f1c", listener.local_addr().unwrap());
        let (sender, webhooks) = mpsc::channel();
        let statuses = statuses.to_vec();
        std::thread::spawn(move || {
            let mut statuses = statuses.into_iter();
            for stream in listener.incoming() {
                let status = statuses.next().unwrap_or(200);
                if sender.send(receive(stream.unwrap(), &verifier, status)).is_err() {
                    return;
                }
            }
        });
        Receiver { url, webhooks }
    }

    pub fn next(&self) -> Webhook {
        self.webhooks.recv_timeout(PATIENCE).unwrap()
    }
}

fn receive(stream: TcpStream, verifier: &WebhookVerifier, status: u16) -> Webhook {
    let mut reader = BufReader::new(stream);
    let (mut signature, mut key_id, mut length) = (String::new(), None, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            if line.trim_end().is_empty() {
                break;
            }
            assert!(line.starts_with("POST /hook/4f1c "), "{line}");
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-signature" => signature = value.to_owned(),
            "x-keyid" => key_id = Some(value.to_owned()),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    write!(reader.get_mut(), "HTTP/1.1 {status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .unwrap();
    Webhook {
        event: verifier.verify(&body, &signature, key_id.as_deref()),
        body: String::from_utf8(body).unwrap(),
    }
}

/// Reads the stream on a plain socket, line by line.
pub struct Reader(BufReader<TcpStream>);

impl Reader {
    /// When this function returns, no later event is missed.
    pub fn open(sandbox: &Sandbox) -> Reader {
        let host = sandbox.url().strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET /sandbox/events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut reader = Reader(BufReader::new(stream));
        assert_eq!(reader.until("hello")["sandbox"], true);
        reader
    }

    /// The next event with this name.
    pub fn until(&mut self, name: &str) -> Value {
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

/// A database file that is deleted when the test ends.
pub struct File(pub PathBuf);

impl File {
    pub fn new(name: &str) -> File {
        let file =
            File(std::env::temp_dir().join(format!("merchantpay-sandbox-{}-{name}.db", std::process::id())));
        file.remove();
        file
    }

    pub fn options(&self) -> Options {
        Options { database: Some(self.0.clone()), ..options() }
    }

    pub fn remove(&self) {
        for ending in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{ending}", self.0.display()));
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Starts a sandbox on the file after the previous sandbox has released the file.
pub fn start(options: &Options) -> Sandbox {
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        match Sandbox::start(options.clone()) {
            Err(error)
                if error.kind() == std::io::ErrorKind::WouldBlock && std::time::Instant::now() < end =>
            {
                std::thread::yield_now()
            }
            started => return started.unwrap(),
        }
    }
}

pub struct Raw {
    pub status: u16,
    pub body: String,
}

/// Posts these bytes, and checks that the reply is signed, whatever its status is.
pub fn post(sandbox: &Sandbox, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Raw {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let mut request = agent.post(format!("{}{BASE_PATH}{path}", sandbox.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut response = request.send(body).unwrap();
    let bytes = response.body_mut().read_to_vec().unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(header("x-keyid").as_deref(), Some(sandbox.server_key_id()), "{path}");
    assert_eq!(header("content-type").as_deref(), Some("application/json"), "{path}");
    let signature = Signature::from_base64(&header("x-signature").unwrap()).unwrap();
    assert!(sandbox.server_public_key().verifies(&bytes, &signature), "{path}");
    Raw { status: response.status().as_u16(), body: String::from_utf8(bytes).unwrap() }
}

/// Like [`post`], signed with the merchant's key.
pub fn signed(sandbox: &Sandbox, path: &str, content_type: &str, body: &[u8]) -> Raw {
    let signature = sandbox.merchant_private_key().unwrap().sign(body).to_base64();
    let headers =
        [("X-KeyId", sandbox.merchant_key_id()), ("X-Signature", &signature), ("Content-Type", content_type)];
    post(sandbox, path, &headers, body)
}

pub fn is_signed(reply: &Reply, key: &PublicKey) -> bool {
    Signature::from_base64(reply.header("x-signature")).is_some_and(|text| key.verifies(&reply.bytes, &text))
}
