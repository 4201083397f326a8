//! A shop with a journal, and a service whose answers a test chooses. What a journal does against the sandbox,
//! in every language and over every database, is in tests/contract/journal.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use merchantpay::{Amount, Client, Config, Keypair, PaymentMethod, PaymentRequest, Result};
use merchantpay_databases::{Kind, Place, Servers};
use merchantpay_journal::{Journal, JournalConfig, Received};
use merchantpay_services::{message, serve};
use serde_json::{Value, json};

/// A test that waits longer fails.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The shortest deadline of a payment.
pub const TIMEOUT: Duration = Duration::from_secs(15);

/// Nobody listens at the callback URL: the tests pass the webhooks on.
pub fn settings(config: JournalConfig) -> JournalConfig {
    config.callback_url("http://127.0.0.1:9/callback").timeout(TIMEOUT).pay_wait(Duration::ZERO)
}

pub fn request(sum: &str) -> PaymentRequest {
    PaymentRequest::new(sum.parse::<Amount>().unwrap(), PaymentMethod::Sbp, "79001234567")
}

pub fn good() -> PaymentRequest {
    request("10")
}

/// Sleeps, as a host's pause does.
pub fn nap(pause: Duration) -> Result<()> {
    std::thread::sleep(pause);
    Ok(())
}

/// What becomes of a `/new`.
#[derive(Debug, Clone, Copy)]
pub enum Plan {
    /// Nothing is made, and no reply comes.
    Dead,
    /// The reply is signed and names the order, and its sum is none.
    Malformed,
    /// The reply comes late.
    Slow(Duration),
    /// The reply names the first order.
    First,
}

/// What becomes of every other request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    Well,
    Silent,
    BadGateway,
}

#[derive(Debug, Clone)]
pub struct Order {
    pub id: String,
    pub status: &'static str,
    pub sum: String,
    pub token: String,
}

pub struct State {
    pub orders: Vec<Order>,
    pub plan: VecDeque<Plan>,
    pub health: Health,
    /// The operations of the requests.
    calls: Vec<String>,
}

pub struct Service {
    keys: Arc<Keypair>,
    merchant: Keypair,
    url: String,
    state: Arc<Mutex<State>>,
    pub place: Place,
}

impl Service {
    pub fn new() -> Service {
        let keys = Arc::new(Keypair::generate().unwrap());
        let state =
            State { orders: Vec::new(), plan: VecDeque::new(), health: Health::Well, calls: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let served = (keys.clone(), state.clone());
        let address = serve(move |stream| reply(stream, &served.0, &served.1));
        let (merchant, url) = (Keypair::generate().unwrap(), format!("http://{address}"));
        Service { keys, merchant, url, state, place: Servers::new(Kind::Sqlite).place() }
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

    pub fn wait_for_new(&self) {
        while self.count("new") == 0 {
            std::thread::yield_now();
        }
    }

    pub fn client(&self) -> Client {
        self.client_of(&self.url, "shop")
    }

    pub fn client_of(&self, url: &str, key_id: &str) -> Client {
        let config = Config::new(url, key_id, self.merchant.private_key().clone(), self.keys.public_key());
        Client::new(config.timeout(TIMEOUT)).unwrap()
    }

    pub fn config(&self) -> JournalConfig {
        settings(JournalConfig::new(self.place.url()).create(true))
    }

    pub fn journal(&self) -> Journal {
        Journal::open(&self.client(), self.config()).unwrap()
    }

    /// Runs a statement in the journal's file, as time or an operator might, and returns its rows.
    pub fn sql(&self, statement: &str) -> String {
        self.place.sql(statement)
    }

    /// Every attempt is due.
    pub fn let_time_pass(&self) {
        self.sql("UPDATE merchantpay_attempts SET due_at = 1");
    }

    /// Sends the status of an order to its own URL; of one that is pending, its credentials: the service
    /// sends no such status.
    pub fn send_status(&self, journal: &Journal, place: usize) -> Received {
        let order = self.order(place);
        let body = if order.status == "pending" { credentials(&order) } else { status(&order) }.to_string();
        let signature = self.keys.private_key().sign(body.as_bytes()).to_base64();
        journal.receive(&format!("/callback/{}", order.token), body.as_bytes(), &signature, None)
    }
}

fn status(order: &Order) -> Value {
    let sum: Value = serde_json::from_str(&order.sum).unwrap();
    let account = format!("2200-{}", order.id);
    json!({"success": true, "orderId": order.id, "status": order.status, "sum": sum, "payeeAccount": account, "payeeName": "Ivan P"})
}

fn credentials(order: &Order) -> Value {
    let mut fields = status(order);
    fields.as_object_mut().unwrap().remove("status");
    fields["currency"] = "RUB".into();
    fields
}

fn reply(mut stream: TcpStream, keys: &Keypair, state: &Mutex<State>) {
    let Ok(request) = message(&mut stream) else { return };
    let head = request.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let (head, body) = (std::str::from_utf8(&request[..head]).unwrap(), &request[head + 4..]);
    let operation = head.split(' ').nth(1).unwrap().rsplit_once("/pay/").unwrap().1.to_owned();
    let health = {
        let mut state = state.lock().unwrap();
        state.calls.push(operation.clone());
        if operation.starts_with("new") { Health::Well } else { state.health }
    };
    let reply = match health {
        Health::Well => answer(&operation, &serde_json::from_slice(body).unwrap(), state),
        Health::BadGateway => Some((502, "busy".to_owned())),
        Health::Silent => {
            let _ = stream.read_to_end(&mut Vec::new());
            None
        }
    };
    let Some((code, reply)) = reply else { return };
    let signature = match health {
        Health::Well => format!("X-Signature: {}\r\n", keys.private_key().sign(reply.as_bytes()).to_base64()),
        _ => String::new(),
    };
    let head = format!(
        "HTTP/1.1 {code} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{signature}\r\n",
        reply.len()
    );
    let _ = stream.write_all((head + &reply).as_bytes());
}

fn answer(operation: &str, request: &Value, state: &Mutex<State>) -> Option<(u32, String)> {
    let mut found = state.lock().unwrap();
    if operation.starts_with("new") {
        let plan = found.plan.pop_front();
        match plan {
            Some(Plan::Dead) => return None,
            Some(Plan::First) => return Some((200, credentials(&found.orders[0]).to_string())),
            _ => {}
        }
        let order = Order {
            id: format!("o-{}", found.orders.len() + 1),
            status: "pending",
            sum: request["sum"].to_string(),
            token: request["statusWebhookUrl"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(),
        };
        found.orders.push(order.clone());
        drop(found);
        let mut reply = credentials(&order);
        match plan {
            Some(Plan::Malformed) => reply["sum"] = "abc".into(),
            Some(Plan::Slow(time)) => std::thread::sleep(time),
            _ => {}
        }
        return Some((200, reply.to_string()));
    }
    let refused = |code, why| Some((code, json!({"success": false, "errorDescription": why}).to_string()));
    let Some(order) = found.orders.iter_mut().find(|order| request["orderId"] == *order.id) else {
        return refused(404, "order not found");
    };
    match operation {
        "status" => return Some((200, status(order).to_string())),
        "cancel" if order.status != "pending" => return refused(400, "payment could not be canceled"),
        "cancel" => order.status = "doneFail",
        _ => {}
    }
    Some((200, json!({"success": true, "orderId": order.id}).to_string()))
}
