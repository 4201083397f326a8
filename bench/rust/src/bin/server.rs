//! The service of the bench: it answers every request with one reply, signed once, over connections that stay open. A thread a
//! connection, and one read and one write a request, so that it is not what is measured.
//!
//! It prints its settings as one line of JSON and ends with its standard input.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use merchantpay::{Keypair, PublicKey, Signature};
use merchantpay_bench::{Result, SERVER_KEY_ID};

/// The first request of so many connections is looked at: that a program signs as it should is not taken for granted.
const CHECKED: usize = 200;

struct Service {
    reply: Vec<u8>,
    merchant: PublicKey,
}

fn main() -> Result<()> {
    let body = std::fs::read(std::env::args().nth(1).ok_or("usage: server FILE")?)?;
    let order_id = field(std::str::from_utf8(&body)?, "\"orderId\":\"", '"').ok_or("the reply has no orderId")?;
    let (service, merchant) = (Keypair::generate()?, Keypair::generate()?);
    let signature = service.private_key().sign(&body).to_base64();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nX-KeyId: {SERVER_KEY_ID}\r\nX-Signature: {signature}\r\n\r\n",
        body.len()
    );
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!(
        "{{\"BENCH_URL\":\"http://{}\",\"BENCH_PRIVATE_KEY\":\"{}\",\"BENCH_SERVER_PUBLIC_KEY\":\"{}\",\"BENCH_ORDER_ID\":\"{order_id}\",\"BENCH_SIGNATURE\":\"{signature}\"}}",
        listener.local_addr()?,
        merchant.private_key().to_base64().as_str(),
        service.public_key().to_base64(),
    );
    let service = Arc::new(Service { reply: [head.as_bytes(), &body].concat(), merchant: merchant.public_key() });
    std::thread::spawn(move || accept(&listener, &service));
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}

fn accept(listener: &TcpListener, service: &Arc<Service>) {
    for (number, connection) in listener.incoming().enumerate() {
        let service = Arc::clone(service);
        let Ok(connection) = connection else { continue };
        std::thread::spawn(move || {
            // A client that closes is no fault; what is no request ends the bench.
            if let Err(error) = answer(connection, &service, number < CHECKED)
                && !error.is::<std::io::Error>()
            {
                eprintln!("server: {error}");
                std::process::exit(1);
            }
        });
    }
}

fn answer(mut connection: TcpStream, service: &Service, mut check: bool) -> Result<()> {
    connection.set_nodelay(true)?;
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
        if check && head + length <= buffer.len() {
            let signature = header(text, "x-signature").and_then(Signature::from_base64).ok_or("a request without a signature")?;
            if filled < head + length {
                connection.read_exact(&mut buffer[filled..head + length])?;
                filled = head + length;
            }
            if !service.merchant.verifies(&buffer[head..head + length], &signature) {
                return Err("a request whose signature does not verify".into());
            }
        }
        check = false;
        // The rest of a large body is read and forgotten.
        let mut missing = (head + length).saturating_sub(filled);
        while missing > 0 {
            let room = missing.min(buffer.len());
            match connection.read(&mut buffer[..room])? {
                0 => return Ok(()),
                count => missing -= count,
            }
        }
        connection.write_all(&service.reply)?;
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
