//! One kind of work, so many times, on inputs that never change: for valgrind, strace and perf to count.
//! `cargo build --release --package merchantpay-bench --bin cost`
//!
//! `cost prepare|open|verify|parse COUNT` needs nothing else. `cost serve` prints its address and answers
//! whatever comes with one signed reply, as fast as it can; `cost status COUNT ADDRESS [THREADS]` calls it.
//! The difference between two counts is what the calls cost without the start.

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use merchantpay::{
    Client, Config, GetStatus, NewPayment, PaymentMethod, PaymentRequest, PrivateKey, Protocol, Signature,
    WebhookVerifier,
};

/// The keys of RFC 8032, section 7.1: nobody's.
const MERCHANT: &str =
    "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==";
const SERVICE: &str =
    "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs9QBfD6EOJWpK3CqdNG368nJgszy7ElozAzVXxKvRmDA==";

/// A reply to `/status`, which says the same as its webhook.
const BODY: &[u8] = include_bytes!("../../../webhook.json");
const ORDER: &str = "sb-5ee20e98cd733ce5b7e3976b";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (merchant, service) = (PrivateKey::from_base64(MERCHANT)?, PrivateKey::from_base64(SERVICE)?);
    let signature = service.sign(BODY).to_base64();
    let protocol = Protocol::new(
        "https://pay.example",
        "merchant-1",
        Arc::new(merchant.clone()),
        &[service.public_key()],
        &[],
    )?;
    match arguments[..] {
        ["serve"] => serve(&signature)?,
        ["prepare", count] => {
            let request = PaymentRequest::new(
                "1500.50".parse::<merchantpay::Amount>()?,
                PaymentMethod::Sbp,
                "79001234567",
            );
            repeat(count, || protocol.prepare(&NewPayment(&request)).is_ok())?;
        }
        ["open", count] => {
            let prepared = protocol.prepare(&GetStatus(ORDER))?;
            let headers = [
                ("Content-Type", "application/json"),
                ("X-KeyId", "service-1"),
                ("X-Signature", signature.as_str()),
            ];
            repeat(count, || prepared.open(200, headers, BODY).is_ok())?;
        }
        ["webhook", count] => {
            let verifier = WebhookVerifier::new(service.public_key());
            repeat(count, || verifier.verify(BODY, &signature, Some("service-1")).is_ok())?;
        }
        ["verify", count] => {
            let (key, signature) =
                (service.public_key(), Signature::from_base64(&signature).ok_or("no signature")?);
            repeat(count, || key.verifies(BODY, &signature))?;
        }
        ["parse", count] => {
            let json = std::str::from_utf8(BODY)?;
            repeat(count, || merchantpay::Payment::carried(json).is_some())?;
        }
        ["status", count, address] => status(count, address, 1, &merchant, &service)?,
        ["status", count, address, threads] => status(count, address, threads.parse()?, &merchant, &service)?,
        _ => return Err(
            "cost prepare|open|webhook|verify|parse COUNT, cost serve, cost status COUNT ADDRESS [THREADS]"
                .into(),
        ),
    }
    Ok(())
}

fn repeat(count: &str, work: impl Fn() -> bool) -> Result<(), Box<dyn std::error::Error>> {
    let count: u32 = count.parse()?;
    if (0..count).all(|_| black_box(work())) { Ok(()) } else { Err("it went wrong".into()) }
}

/// So many calls by each thread over one client.
fn status(
    count: &str,
    address: &str,
    threads: usize,
    merchant: &PrivateKey,
    service: &PrivateKey,
) -> Result<(), Box<dyn std::error::Error>> {
    let count: u32 = count.parse()?;
    let client = Client::new(Config::new(
        format!("http://{address}"),
        "merchant-1",
        merchant.clone(),
        service.public_key(),
    ))?;
    std::thread::scope(|scope| {
        let calls = || (0..count).try_for_each(|_| client.get_status(ORDER).map(drop));
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(calls)).collect();
        calls()?;
        others
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| unreachable!("a call does not panic")))
    })?;
    Ok(())
}

/// A request a read: the client's are small, and one at a time.
fn serve(signature: &str) -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-KeyId: service-1\r\nX-Signature: {signature}\r\n"
    );
    let mut reply = format!("{head}Content-Length: {}\r\n\r\n", BODY.len()).into_bytes();
    reply.extend_from_slice(BODY);
    let reply: Arc<[u8]> = reply.into();
    for stream in listener.incoming() {
        let (stream, reply) = (stream?, Arc::clone(&reply));
        std::thread::spawn(move || answer(stream, &reply));
    }
    Ok(())
}

fn answer(mut stream: TcpStream, reply: &[u8]) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 4096];
    let mut length = 0;
    loop {
        let count = stream.read(&mut buffer[length..])?;
        if count == 0 {
            return Ok(());
        }
        length += count;
        // The bodies of `/status` end so, and nothing in a head does.
        if buffer[..length].ends_with(b"\"}") {
            stream.write_all(reply)?;
            length = 0;
        }
    }
}
