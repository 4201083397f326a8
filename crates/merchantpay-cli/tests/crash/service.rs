//! The sandbox as a separate process.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use merchantpay::{Client, Config, PrivateKey, PublicKey};
use serde_json::{Value, json};

use crate::proxy::{Point, Proxy};

/// The longest time that a test waits for an event that must happen.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `there` returns a value, and returns this value.
pub fn until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        match there() {
            Some(found) => return found,
            None => assert!(Instant::now() < end, "it does not come"),
        }
        std::thread::yield_now();
    }
}

/// A test's own folder, which is removed when the value is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("merchantpay-crash-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        Folder(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A point of a call.
#[derive(Debug, Clone, Copy)]
pub enum At {
    /// A fault of the sandbox.
    Fault(&'static str),
    Connection(Point),
}

/// A call that stands at its point.
pub enum Stopped<'a> {
    InService(&'a Service, &'static str),
    InProxy(Proxy),
}

impl Stopped<'_> {
    pub fn wait(&self) {
        match self {
            Stopped::InService(service, kind) => service.wait_for_stall(kind),
            Stopped::InProxy(proxy) => proxy.wait(),
        }
    }

    /// The proxy of the connection, which has to end with the service.
    pub fn proxy(self) -> Option<Proxy> {
        match self {
            Stopped::InService(..) => None,
            Stopped::InProxy(proxy) => Some(proxy),
        }
    }
}

/// A service that is killed and started again with the same file, keys and port.
pub struct Service {
    child: Child,
    database: PathBuf,
    settings: Value,
    agent: ureq::Agent,
}

impl Service {
    pub fn start(folder: &Folder) -> Service {
        let database = folder.file("sandbox.db");
        let (child, settings) = spawn(&database, 0);
        let agent = ureq::Agent::config_builder().proxy(None).build().new_agent();
        Service { child, database, settings, agent }
    }

    /// Sends SIGKILL, so that the process cannot clean up.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn start_again(&mut self) {
        let (child, settings) = spawn(&self.database, self.port());
        self.child = child;
        assert_eq!(settings, self.settings, "it is the same service");
    }

    /// Sends SIGSTOP: the kernel accepts connections and bytes, but the process reads nothing.
    pub fn stand_still(&self) {
        let pid = self.child.id();
        assert!(Command::new("sh").args(["-c", &format!("kill -STOP {pid}")]).status().unwrap().success());
        until(|| {
            let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
            let stopped = |path: PathBuf| {
                let stat = std::fs::read_to_string(path).unwrap_or_default();
                stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
            };
            tasks.map(|task| task.unwrap().path().join("stat")).all(stopped).then_some(())
        });
    }

    /// Waits until the process has received bytes that it has not read.
    pub fn wait_for_unread_bytes(&self) {
        let port = format!(":{:04X}", self.port());
        until(|| {
            let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let unread = sockets.lines().skip(1).any(|line| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                let waiting = fields[4].split(':').nth(1).and_then(|size| u64::from_str_radix(size, 16).ok());
                // Counts established connections only. The listener's own queue counts connections and not
                // bytes.
                fields[1].ends_with(&port) && fields[3] == "01" && waiting.is_some_and(|size| size > 0)
            });
            unread.then_some(())
        });
    }

    /// Makes the next call of an operation stop at a point. The client of the call is returned.
    pub fn stop_at(&self, point: At, operation: &str) -> (Client, Stopped<'_>) {
        match point {
            At::Fault(kind) => {
                self.stall(kind, operation);
                (self.client(), Stopped::InService(self, kind))
            }
            At::Connection(point) => {
                let proxy = Proxy::start(self.port(), point);
                (self.client_at(&format!("http://127.0.0.1:{}", proxy.port)), Stopped::InProxy(proxy))
            }
        }
    }

    /// Makes the next `/new` or `/new-async` stop at a point.
    pub fn stall(&self, kind: &str, operation: &str) {
        self.control("/sandbox/faults", &json!({"kind": kind, "operation": operation}));
    }

    pub fn wait_for_stall(&self, kind: &str) {
        until(|| (self.get("/sandbox/faults")["stalled"] == json!([kind])).then_some(()));
    }

    /// Every payment, newest first.
    pub fn payments(&self) -> Vec<Value> {
        self.get("/sandbox/payments")["payments"].as_array().unwrap().clone()
    }

    pub fn operate(&self, order_id: &str, action: &str) {
        self.control(&format!("/sandbox/payments/{order_id}/operator"), &json!({ "action": action }));
    }

    pub fn get(&self, path: &str) -> Value {
        let mut reply = self.agent.get(format!("{}{path}", self.text("baseUrl"))).call().unwrap();
        serde_json::from_slice(&reply.body_mut().read_to_vec().unwrap()).unwrap()
    }

    fn control(&self, path: &str, body: &Value) {
        let url = format!("{}{path}", self.text("baseUrl"));
        self.agent.post(url).content_type("application/json").send(body.to_string()).unwrap();
    }

    pub fn client(&self) -> Client {
        self.client_at(self.text("baseUrl"))
    }

    fn client_at(&self, url: &str) -> Client {
        let key = PrivateKey::from_base64(self.text("privateKey")).unwrap();
        Client::new(Config::new(url, self.text("keyId"), key, self.public_key())).unwrap()
    }

    pub fn public_key(&self) -> PublicKey {
        PublicKey::from_base64(self.text("serverPublicKey")).unwrap()
    }

    fn port(&self) -> u16 {
        self.text("baseUrl").rsplit(':').next().unwrap().parse().unwrap()
    }

    /// The settings as environment variables.
    pub fn environment(&self) -> [(&'static str, &str); 5] {
        [
            ("MERCHANTPAY_BASE_URL", self.text("baseUrl")),
            ("MERCHANTPAY_KEY_ID", self.text("keyId")),
            ("MERCHANTPAY_PRIVATE_KEY", self.text("privateKey")),
            ("MERCHANTPAY_SERVER_PUBLIC_KEY", self.text("serverPublicKey")),
            ("MERCHANTPAY_SERVER_KEY_ID", self.text("serverKeyId")),
        ]
    }

    fn text(&self, name: &str) -> &str {
        self.settings[name].as_str().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(database: &std::path::Path, port: u16) -> (Child, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_merchantpay"));
    command
        .args(["sandbox", "--pace", "0", "--format", "json", "--port", &port.to_string(), "--db"])
        .arg(database);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, serde_json::from_str(&line).unwrap())
}
