//! The bench's service: `server WEBHOOK AUTHORITY MILLISECONDS`. It keeps connections open and answers every request
//! with the webhook as a reply, which it signs once; its own cost is small, because it has a thread per connection,
//! and one read and one write per request. A `/new` with a merchantId creates an order of its own. A second port is
//! for TLS over a distance, with this round trip. The file AUTHORITY gets the certificate that programs have to trust.
//!
//! The server prints its settings as one line of JSON, answers each line of its standard input with the number of TLS
//! connections so far, and ends with its input.

use std::io::{BufRead, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::str::from_utf8;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use merchantpay::{Keypair, PublicKey, Signature};
use merchantpay_services::{authority, certified, serve};
use rustls::crypto::ring;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Service {
    keys: Keypair,
    merchant: PublicKey,
    webhook: String,
    order_id: String,
    reply: Vec<u8>,
    orders: AtomicU64,
    tls: Arc<ServerConfig>,
    tls_connections: AtomicU64,
}

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [webhook, authority_file, round_trip] = &arguments[..] else {
        return Err("usage: server WEBHOOK AUTHORITY MILLISECONDS".into());
    };
    let round_trip = Duration::from_millis(round_trip.parse()?);
    let webhook = std::fs::read_to_string(webhook)?;
    let after = webhook.split_once("\"orderId\":\"").ok_or("the webhook has no orderId")?.1;
    let order_id = after.split('"').next().unwrap_or_default().to_owned();
    let (keys, merchant) = (Keypair::generate()?, Keypair::generate()?);
    let authority = authority();
    std::fs::write(authority_file, authority.pem())?;
    let mut tls = certified(&authority, &["127.0.0.1"], (2020, 2100));
    // Session tickets, like real servers.
    Arc::make_mut(&mut tls).ticketer = ring::Ticketer::new()?;
    let service = Arc::new(Service {
        reply: signed(&keys, &webhook),
        merchant: merchant.public_key(),
        orders: AtomicU64::new(0),
        tls_connections: AtomicU64::new(0),
        tls,
        order_id,
        webhook,
        keys,
    });
    let (plain, secure) = (Arc::clone(&service), Arc::clone(&service));
    let near = listen(move |connection| plain.answer(connection));
    let tls = listen(move |connection| {
        secure.tls_connections.fetch_add(1, Ordering::Relaxed);
        let session = ServerConnection::new(Arc::clone(&secure.tls))?;
        secure.answer(StreamOwned::new(session, connection))
    });
    let far = listen(move |connection| carry(connection, tls, round_trip));
    println!(
        "{{\"BENCH_URL\":\"http://{near}\",\"far\":\"https://{far}\",\"BENCH_PRIVATE_KEY\":\"{}\",\"BENCH_SERVER_PUBLIC_KEY\":\"{}\",\"BENCH_ORDER_ID\":\"{}\",\"BENCH_SIGNATURE\":\"{}\"}}",
        merchant.private_key().to_base64().as_str(),
        service.keys.public_key().to_base64(),
        service.order_id,
        service.keys.private_key().sign(service.webhook.as_bytes()).to_base64(),
    );
    for line in std::io::stdin().lock().lines() {
        line?;
        println!("{}", service.tls_connections.load(Ordering::Relaxed));
    }
    Ok(())
}

fn listen(answer: impl Fn(TcpStream) -> Result<()> + Send + Sync + 'static) -> SocketAddr {
    serve(move |connection| {
        let answered = connection.set_nodelay(true).map_err(Into::into).and_then(|()| answer(connection));
        // A client may close its connection at any time. Bytes that are not a request end the bench.
        if let Err(error) = answered
            && !error.is::<std::io::Error>()
        {
            eprintln!("server: {error}");
            std::process::exit(1);
        }
    })
}

impl Service {
    fn answer(&self, mut connection: impl Read + Write) -> Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        let mut is_first = true;
        while let Some((head, whole)) = read_request(&mut connection, &mut buffer)? {
            let (head, body) = (from_utf8(&buffer[..head])?, &buffer[head..whole]);
            // Once a connection: the programs really sign.
            if is_first {
                let signature = header(head, "x-signature").and_then(Signature::from_base64);
                if !signature.is_some_and(|signature| self.merchant.verifies(body, &signature)) {
                    return Err("a request whose signature does not verify".into());
                }
            }
            is_first = false;
            if from_utf8(body)?.contains("\"merchantId\"") {
                connection.write_all(&self.new_order())?;
            } else {
                connection.write_all(&self.reply)?;
            }
        }
        Ok(())
    }

    /// Order ids are not sorted, like a real service's: the finaliser of splitmix64 makes them of a number.
    fn new_order(&self) -> Vec<u8> {
        let number = self.orders.fetch_add(1, Ordering::Relaxed);
        let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let order_id = format!("sb-{:024x}", mixed ^ (mixed >> 31));
        // The reply to `/new` has a currency instead of a status.
        let body = self.webhook.replace("\"status\":\"doneSuccess\"", "\"currency\":\"RUB\"");
        signed(&self.keys, &body.replace(&self.order_id, &order_id))
    }
}

fn signed(keys: &Keypair, body: &str) -> Vec<u8> {
    let signature = keys.private_key().sign(body.as_bytes()).to_base64();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nX-KeyId: service-1\r\nX-Signature: {signature}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// The lengths of the head and of the whole request; `None` at the end of the connection.
fn read_request(connection: &mut impl Read, buffer: &mut [u8]) -> Result<Option<(usize, usize)>> {
    let mut filled = 0;
    loop {
        if let Some(at) = buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
            let head = at + 4;
            let length = header(from_utf8(&buffer[..head])?, "content-length")
                .ok_or("a request without its length")?;
            let whole = head + length.parse::<usize>()?;
            if filled >= whole {
                return Ok(Some((head, whole)));
            }
        }
        match connection.read(&mut buffer[filled..])? {
            0 => return Ok(None),
            count => filled += count,
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim())
}

/// Carries a connection to the server as over a distance: each chunk is held back for half a round trip, and the
/// first bytes for one more, because TCP's handshake on one machine takes no time.
fn carry(client: TcpStream, server: SocketAddr, round_trip: Duration) -> Result<()> {
    let established = Instant::now() + round_trip;
    let server = TcpStream::connect(server)?;
    server.set_nodelay(true)?;
    one_way(client.try_clone()?, server.try_clone()?, established, round_trip / 2);
    one_way(server, client, established, round_trip / 2);
    Ok(())
}

/// One thread reads and another one writes, so that a waiting chunk does not delay the reading of the next one.
fn one_way(mut from: TcpStream, mut to: TcpStream, established: Instant, delay: Duration) {
    let (sender, chunks) = channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            // A reset is the end of the connection, too.
            let count = from.read(&mut buffer).unwrap_or(0);
            let due = Instant::now().max(established) + delay;
            if sender.send((due, buffer[..count].to_vec())).is_err() || count == 0 {
                return;
            }
        }
    });
    thread::spawn(move || {
        for (due, bytes) in chunks {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if bytes.is_empty() {
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
            // If this end is closed, the other direction reads its end, and shuts the other side down.
            if to.write_all(&bytes).is_err() {
                return;
            }
        }
    });
}
