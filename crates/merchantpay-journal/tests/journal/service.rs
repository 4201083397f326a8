//! A service whose answers a test chooses, for what the sandbox never says.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use merchantpay::{Client, Config, Keypair};
use merchantpay_journal::{Journal, Received};
use serde_json::{Value, json};

use crate::shop::{Folder, config};

/// What becomes of a `/new`.
#[derive(Debug, Clone, Copy)]
pub enum Plan {
    /// The payment is made, and its reply is lost.
    Lost,
    /// Nothing is made, and no reply comes.
    Dead,
    Refused,
    /// The reply is signed and names the order, and its sum is none.
    Malformed,
    /// The reply comes late.
    Slow(Duration),
    /// The reply names the first order.
    First,
}

#[derive(Debug, Clone)]
pub struct Order {
    pub id: String,
    pub status: &'static str,
    /// As the service reports it.
    pub sum: String,
    pub token: String,
}

#[derive(Default)]
pub struct State {
    pub orders: Vec<Order>,
    pub plan: VecDeque<Plan>,
    /// The operations of the requests.
    pub calls: Vec<String>,
    pub refuses_cancel: bool,
}

pub struct Service {
    keys: Arc<Keypair>,
    merchant: Keypair,
    url: String,
    state: Arc<Mutex<State>>,
    pub folder: Folder,
}

impl Service {
    pub fn new() -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (keys, state) = (Arc::new(Keypair::generate().unwrap()), Arc::<Mutex<State>>::default());
        let service = Service {
            keys: keys.clone(),
            merchant: Keypair::generate().unwrap(),
            url,
            state: state.clone(),
            folder: Folder::new(),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (keys, state) = (keys.clone(), state.clone());
                std::thread::spawn(move || serve(stream, &keys, &state));
            }
        });
        service
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn plan(&self, plan: Plan) {
        self.state().plan.push_back(plan);
    }

    pub fn order(&self, place: usize) -> Order {
        self.state().orders[place].clone()
    }

    pub fn set(&self, place: usize, status: &'static str) {
        self.state().orders[place].status = status;
    }

    pub fn count(&self, operation: &str) -> usize {
        self.state().calls.iter().filter(|call| *call == operation).count()
    }

    pub fn client(&self) -> Client {
        let config =
            Config::new(&self.url, "shop", self.merchant.private_key().clone(), self.keys.public_key());
        Client::new(config.timeout(Duration::from_secs(15))).unwrap()
    }

    pub fn file(&self) -> PathBuf {
        self.folder.file("payments.db")
    }

    pub fn journal(&self) -> Journal {
        self.journal_in("payments.db")
    }

    pub fn journal_in(&self, name: &str) -> Journal {
        Journal::open(&self.client(), config(&self.folder.file(name))).unwrap()
    }

    /// Passes the service's signature of a body on.
    pub fn signed<T>(&self, body: &str, give: impl FnOnce(&str) -> T) -> T {
        give(&self.keys.private_key().sign(body.as_bytes()).to_base64())
    }

    /// Sends a genuine webhook with these fields.
    pub fn send(&self, journal: &Journal, token: &str, fields: Value) -> Received {
        let body = fields.to_string();
        self.signed(&body, |signature| {
            journal.receive(&format!("/callback/{token}"), body.as_bytes(), signature, None)
        })
    }

    /// Sends the status of an order to its own URL; of one that is pending, its credentials: the service
    /// sends no such status.
    pub fn send_status(&self, journal: &Journal, place: usize) -> Received {
        let order = self.order(place);
        self.send(journal, &order.token, webhook(&order))
    }
}

pub fn status(order: &Order) -> Value {
    let sum: Value = serde_json::from_str(&order.sum).unwrap();
    let account = format!("2200-{}", order.id);
    json!({"success": true, "orderId": order.id, "status": order.status, "sum": sum, "payeeAccount": account, "payeeName": "Ivan P"})
}

/// The fields of the webhook about an order.
pub fn webhook(order: &Order) -> Value {
    let mut fields = status(order);
    if order.status == "pending" {
        fields.as_object_mut().unwrap().remove("status");
        fields["currency"] = "RUB".into();
    }
    fields
}

fn serve(stream: TcpStream, keys: &Keypair, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let operation = line.split(' ').nth(1).unwrap().rsplit_once("/pay/").unwrap().1.to_owned();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).unwrap();
        if let Some(value) = header.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if header.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let Some((code, reply)) = answer(&operation, &serde_json::from_slice(&body).unwrap(), state) else {
        let _ = stream.shutdown(Shutdown::Both);
        return;
    };
    let signature = keys.private_key().sign(reply.as_bytes()).to_base64();
    let head = format!(
        "HTTP/1.1 {code} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\nX-KeyId: svc\r\nX-Signature: {signature}\r\n\r\n",
        reply.len()
    );
    let _ = (&stream).write_all((head + &reply).as_bytes());
}

fn answer(operation: &str, request: &Value, state: &Mutex<State>) -> Option<(u32, String)> {
    let mut found = state.lock().unwrap();
    found.calls.push(operation.to_owned());
    let refused = |why: &str| Some((400, json!({"success": false, "errorDescription": why}).to_string()));
    if operation.starts_with("new") {
        let plan = found.plan.pop_front();
        match plan {
            Some(Plan::Dead) => return None,
            Some(Plan::Refused) => return refused("no"),
            Some(Plan::First) => {
                let mut reply = status(&found.orders[0]);
                reply.as_object_mut().unwrap().remove("status");
                reply["currency"] = "RUB".into();
                return Some((200, reply.to_string()));
            }
            _ => {}
        }
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        let order = Order {
            id: format!("o-{}", found.orders.len() + 1),
            status: "pending",
            sum: request["sum"].to_string(),
            token: text("statusWebhookUrl").rsplit('/').next().unwrap_or_default().to_owned(),
        };
        found.orders.push(order.clone());
        drop(found);
        let mut reply = status(&order);
        reply.as_object_mut().unwrap().remove("status");
        reply["currency"] = "RUB".into();
        match plan {
            Some(Plan::Lost) => return None,
            Some(Plan::Malformed) => reply["sum"] = "abc".into(),
            Some(Plan::Slow(time)) => std::thread::sleep(time),
            _ => {}
        }
        if operation == "new-async" {
            reply = json!({"success": true, "orderId": order.id});
        }
        return Some((200, reply.to_string()));
    }
    let refuses_cancel = found.refuses_cancel;
    let Some(order) = found.orders.iter_mut().find(|order| request["orderId"] == *order.id) else {
        return Some((404, json!({"success": false, "errorDescription": "order not found"}).to_string()));
    };
    match operation {
        "status" => Some((200, status(order).to_string())),
        "cancel" if refuses_cancel || order.status != "pending" => refused("payment could not be canceled"),
        "cancel" => {
            order.status = "doneFail";
            Some((200, json!({"success": true, "orderId": order.id}).to_string()))
        }
        _ => Some((200, json!({"success": true, "orderId": order.id}).to_string())),
    }
}
