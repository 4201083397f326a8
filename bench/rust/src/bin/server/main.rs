//! The bench's service. It answers every request with the same reply, which it signs once, and keeps
//! connections open. It uses one thread for each connection, and one read and one write for each request, so
//! that its own cost is small. On a second port it does the same over TLS, with a reply that suits every
//! operation. On a third port each payment has its own order.
//!
//! The service prints its settings as one line of JSON. It answers each line of its standard input with the
//! number of connections that were opened so far. It ends when its standard input ends.

mod certificate;
mod orders;

use std::borrow::Cow;
use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use merchantpay::{Keypair, PublicKey, Signature};
use merchantpay_bench::{Result, SERVER_KEY_ID};
use orders::Orders;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// The number of connections on which the server checks the signature of the first request, to show that the
/// programs really sign.
const CHECKED: usize = 200;

struct Service {
    replies: Replies,
    merchant: PublicKey,
    tls: Option<Arc<ServerConfig>>,
    opened: Arc<AtomicUsize>,
}

enum Replies {
    One(Vec<u8>),
    ByOrder(Box<Orders>),
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(webhook), Some(authority_file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: server WEBHOOK AUTHORITY".into());
    };
    let body = std::fs::read_to_string(webhook)?;
    let order_id = field(&body, "\"orderId\":\"", '"').ok_or("the reply has no orderId")?;
    let (keys, merchant) = (Keypair::generate()?, Keypair::generate()?);
    let (authority, settings) = certificate::make()?;
    std::fs::write(&authority_file, authority)?;
    let opened = Arc::new(AtomicUsize::new(0));
    let service =
        |replies, tls| Service { replies, merchant: merchant.public_key(), tls, opened: Arc::clone(&opened) };
    let plain = listen(service(Replies::One(reply(&keys, &body)), None))?;
    let tls = listen(service(Replies::One(reply(&keys, &for_every_operation(&body)?)), Some(settings)))?;
    let orders = listen(service(Replies::ByOrder(Box::new(Orders::new(&keys, &body, order_id))), None))?;
    println!(
        "{{\"BENCH_URL\":\"http://127.0.0.1:{plain}\",\"BENCH_TLS_ADDRESS\":\"127.0.0.1:{tls}\",\"BENCH_ORDERS_URL\":\"http://127.0.0.1:{orders}\",\"BENCH_PRIVATE_KEY\":\"{}\",\"BENCH_SERVER_PRIVATE_KEY\":\"{}\",\"BENCH_SERVER_PUBLIC_KEY\":\"{}\",\"BENCH_ORDER_ID\":\"{order_id}\",\"BENCH_SIGNATURE\":\"{}\"}}",
        merchant.private_key().to_base64().as_str(),
        keys.private_key().to_base64().as_str(),
        keys.public_key().to_base64(),
        keys.private_key().sign(body.as_bytes()).to_base64(),
    );
    for line in std::io::stdin().lock().lines() {
        line?;
        println!("{}", opened.load(Ordering::Relaxed));
    }
    Ok(())
}

fn reply(keys: &Keypair, body: &str) -> Vec<u8> {
    let signature = keys.private_key().sign(body.as_bytes()).to_base64();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nX-KeyId: {SERVER_KEY_ID}\r\nX-Signature: {signature}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// Makes a reply for every operation from the webhook. The webhook has all fields of a payment, and the reply
/// to `/available` needs two more fields.
fn for_every_operation(webhook: &str) -> Result<String> {
    let fields = webhook.trim_end().strip_suffix('}').ok_or("the webhook is not an object")?;
    Ok(format!("{fields},\"availableAmounts\":[1500.50,2000],\"otherAmountsPossible\":true}}"))
}

/// Serves on a free port, and returns the port.
fn listen(service: Service) -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    let service = Arc::new(service);
    std::thread::spawn(move || accept(&listener, &service));
    Ok(port)
}

fn accept(listener: &TcpListener, service: &Arc<Service>) {
    for (number, connection) in listener.incoming().enumerate() {
        let service = Arc::clone(service);
        let Ok(connection) = connection else { continue };
        service.opened.fetch_add(1, Ordering::Relaxed);
        std::thread::spawn(move || {
            // A client is allowed to close its connection. Bytes that are not a request end the bench.
            if let Err(error) = converse(connection, &service, number < CHECKED)
                && !error.is::<std::io::Error>()
            {
                eprintln!("server: {error}");
                std::process::exit(1);
            }
        });
    }
}

fn converse(connection: TcpStream, service: &Service, check: bool) -> Result<()> {
    connection.set_nodelay(true)?;
    match &service.tls {
        Some(settings) => {
            answer(StreamOwned::new(ServerConnection::new(Arc::clone(settings))?, connection), service, check)
        }
        None => answer(connection, service, check),
    }
}

fn answer(mut connection: impl Read + Write, service: &Service, mut check: bool) -> Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    let mut filled = 0;
    loop {
        let head = loop {
            if let Some(at) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            match connection.read(&mut buffer[filled..])? {
                0 => return Ok(()),
                count => filled += count,
            }
        };
        let text = std::str::from_utf8(&buffer[..head])?;
        let length: usize = header(text, "content-length").ok_or("a request without its length")?.parse()?;
        let signature =
            if check { header(text, "x-signature").and_then(Signature::from_base64) } else { None };
        let whole = head + length;
        if whole <= buffer.len() && filled < whole {
            connection.read_exact(&mut buffer[filled..whole])?;
            filled = whole;
        }
        if check && whole <= buffer.len() {
            let signature = signature.ok_or("a request without a signature")?;
            if !service.merchant.verifies(&buffer[head..whole], &signature) {
                return Err("a request whose signature does not verify".into());
            }
        }
        check = false;
        let reply = match &service.replies {
            Replies::One(reply) => Cow::from(reply),
            Replies::ByOrder(orders) => {
                let body = buffer.get(head..whole).ok_or("a request that is too large")?;
                Cow::from(orders.reply(std::str::from_utf8(&buffer[..head])?, body)?)
            }
        };
        // Reads the rest of a large body and drops it.
        let mut missing = whole.saturating_sub(filled);
        while missing > 0 {
            let room = missing.min(buffer.len());
            match connection.read(&mut buffer[..room])? {
                0 => return Ok(()),
                count => missing -= count,
            }
        }
        connection.write_all(&reply)?;
        filled = 0;
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}

fn field<'a>(text: &'a str, before: &str, after: char) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(value, _)| value)
}
