//! Finds a payment again whose reply was lost: recover FILE [PORT], where FILE keeps the orders and PORT is where webhooks come,
//! any free one unless given. Run it again with both after a crash: it goes on with the order that is open.
//!
//! It serves HTTP by itself, on loopback: what comes while a call is under way waits in the listener's queue. In a shop a web
//! server receives, and TLS is its business.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use merchantpay::{Amount, Client, Config, Error, Outcome, PaymentMethod, PaymentRequest, PrivateKey, PublicKey, WebhookVerifier};

/// No webhook of the contract is near it.
const LARGEST_BODY: usize = 65536;

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, port) = match arguments.as_slice() {
        [file] => (file, Some(0)),
        [file, port] => (file, port.parse().ok()),
        _ => (&String::new(), None),
    };
    let Some(port) = port else {
        eprintln!("usage: recover FILE [PORT]");
        return ExitCode::from(2);
    };
    match recover(Path::new(file), port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match error.downcast_ref::<Error>() {
                Some(failure) => {
                    eprintln!("error {} {}: {failure}", failure.code(), failure.outcome());
                    failure.description().inspect(|words| eprintln!("the service says: {words}"));
                }
                None => eprintln!("error: {error}"),
            }
            ExitCode::FAILURE
        }
    }
}

fn recover(file: &Path, port: u16) -> Anything<()> {
    let mut orders = Orders::load(file)?;
    let (client, verifier) = (client()?, WebhookVerifier::new(server_public_key()?));
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening {}", listener.local_addr()?.port());

    if let Some(open) = orders.all.iter().find(|order| order.order_id.is_none()) {
        // The program ended while its call was under way, or before the webhook came: nobody knows what became of it.
        println!("open {} RUB", open.sum);
    } else {
        let (sum, token) = ("1500.55".parse::<Amount>()?, random_token()?);
        let url = format!("http://{}/hooks/{token}", listener.local_addr()?);
        // Before the call: what is lost in it has to be found by this.
        orders.all.push(Order { token, sum: sum.to_string(), order_id: None });
        orders.save()?;
        println!("stored {sum} RUB");
        let request = PaymentRequest::new(sum, PaymentMethod::Sbp, "79001234567").status_webhook_url(url);
        match client.new_payment(&request) {
            Ok(payment) => {
                let last = orders.all.len() - 1;
                if !orders.name(last, payment.order_id())? {
                    return Err("this reply is about another order".into());
                }
                println!("order {}", payment.order_id());
                return Ok(());
            }
            Err(error) if error.outcome() == Outcome::Unknown => println!("unknown {}: wait for the webhook", error.code()),
            Err(error) => {
                // Not sent or refused: there is no such payment.
                orders.all.pop();
                orders.save()?;
                return Err(error.into());
            }
        }
    }

    let order_id = loop {
        let (mut caller, _) = listener.accept()?;
        let Ok(request) = Request::read(&caller) else { continue };
        let (status, found) = receive(&mut orders, &verifier, &request)?;
        // A caller that has gone comes again.
        let _ = write!(caller, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        if let Some(order_id) = found {
            break order_id;
        }
    };
    println!("found {order_id}");
    println!("status {}", client.get_status(&order_id)?.status().map_or("-", merchantpay::Status::as_str));
    Ok(())
}

/// Believes or refuses one webhook: the status to answer, and the order id that it has found.
fn receive(orders: &mut Orders, verifier: &WebhookVerifier, request: &Request) -> io::Result<(&'static str, Option<String>)> {
    if request.method != "POST" {
        return Ok(("405 Method Not Allowed", None));
    }
    // The token says which order is meant. It proves nothing: it stands in logs, and the signature is the proof.
    let token = request.path.strip_prefix("/hooks/").unwrap_or_default();
    let Some(index) = orders.all.iter().position(|order| order.token == token) else {
        return Ok(("404 Not Found", None));
    };
    let event = match verifier.verify(&request.body, &request.signature, request.key_id.as_deref()) {
        Ok(event) => event,
        Err(error) => {
            println!("refused {}", error.code());
            return Ok(("400 Bad Request", None));
        }
    };
    let order_id = event.payment().order_id();
    // Written before it is answered: a webhook that was taken does not come again.
    if !orders.name(index, order_id)? {
        println!("refused other_order");
        return Ok(("409 Conflict", None));
    }
    Ok(("200 OK", Some(order_id.to_owned())))
}

/// The shop's orders, a line each: token, sum and order id, which is - while it is not known.
struct Orders {
    file: PathBuf,
    all: Vec<Order>,
}

struct Order {
    token: String,
    sum: String,
    order_id: Option<String>,
}

impl Orders {
    fn load(file: &Path) -> io::Result<Orders> {
        let text = match std::fs::read_to_string(file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let order = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let (token, sum, order_id) = (words.next()?, words.next()?, words.next()?);
            Some(Order { token, sum, order_id: Some(order_id).filter(|order_id| order_id != "-") })
        };
        Ok(Orders { file: file.to_owned(), all: text.lines().filter_map(order).collect() })
    }

    /// All of it or nothing, also if the machine stops here.
    fn save(&self) -> io::Result<()> {
        let beside = self.file.with_extension("new");
        let mut file = std::fs::File::create(&beside)?;
        for order in &self.all {
            writeln!(file, "{} {} {}", order.token, order.sum, order.order_id.as_deref().unwrap_or("-"))?;
        }
        file.sync_all()?;
        std::fs::rename(beside, &self.file)
    }

    /// Gives an order its id, unless it has another one or that one is another order's: an old message that is played back
    /// has a good signature too.
    fn name(&mut self, index: usize, order_id: &str) -> io::Result<bool> {
        let is_others = self.all.iter().enumerate().any(|(at, order)| at != index && order.order_id.as_deref() == Some(order_id));
        if is_others || self.all[index].order_id.as_deref().is_some_and(|known| known != order_id) {
            return Ok(false);
        }
        self.all[index].order_id = Some(order_id.to_owned());
        self.save()?;
        Ok(true)
    }
}

/// One request as it came.
struct Request {
    method: String,
    path: String,
    signature: String,
    key_id: Option<String>,
    body: Vec<u8>,
}

impl Request {
    fn read(caller: &TcpStream) -> io::Result<Request> {
        caller.set_read_timeout(Some(Duration::from_secs(10)))?;
        let mut lines = BufReader::new(caller.take(2 * LARGEST_BODY as u64));
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let mut words = line.split(' ').map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut signature, mut key_id, mut length) = (String::new(), None, 0);
        loop {
            let mut line = String::new();
            lines.read_line(&mut line)?;
            let Some((name, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "x-signature" => signature = value.to_owned(),
                "x-keyid" => key_id = Some(value.to_owned()),
                "content-length" => length = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        // The bytes as they came: a parser in between would make other bytes of them.
        let mut body = vec![0; length.min(LARGEST_BODY)];
        lines.read_exact(&mut body)?;
        Ok(Request { method, path, signature, key_id, body })
    }
}

fn client() -> Anything<Client> {
    let key = PrivateKey::from_base64(&setting("MERCHANTPAY_PRIVATE_KEY")?)?;
    let config = Config::new(setting("MERCHANTPAY_BASE_URL")?, setting("MERCHANTPAY_KEY_ID")?, key, server_public_key()?);
    Ok(Client::new(config)?)
}

fn server_public_key() -> Anything<PublicKey> {
    Ok(PublicKey::from_base64(&setting("MERCHANTPAY_SERVER_PUBLIC_KEY")?)?)
}

fn setting(name: &str) -> Result<String, Error> {
    std::env::var(name).map_err(|_| Error::invalid_argument(format!("{name} is not set")))
}

/// 32 random bytes: nobody guesses the URL, and no two orders have the same.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
