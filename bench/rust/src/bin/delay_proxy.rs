//! A proxy that stands for distance: `delay_proxy HOST:PORT MS…` listens on a port for each round trip in
//! milliseconds, and carries what comes to the server and back, each way half of the round trip later. A new
//! connection's first bytes come one round trip later still, as after TCP's handshake over that distance: the
//! one with this proxy takes no time. As many more ports lead to an http proxy that stands beside the server.
//!
//! It prints both lists of ports as one line of JSON and ends with its standard input.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use merchantpay_bench::Result;

/// Bytes of one read, and the time at which they must arrive at the other end. No bytes mean the end of that
/// direction.
struct Chunk {
    due: Instant,
    bytes: Vec<u8>,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let server = arguments.next().ok_or("usage: delay_proxy HOST:PORT MS…")?;
    let round_trips = arguments
        .map(|milliseconds| Ok(Duration::from_millis(milliseconds.parse()?)))
        .collect::<Result<Vec<_>>>()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let http_proxy = listener.local_addr()?.to_string();
    let direct = listen(&round_trips, &server)?;
    thread::spawn(move || accept(&listener, move |client, _| open_tunnel(client, &server)));
    println!("{:?}", [direct, listen(&round_trips, &http_proxy)?]);
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}

/// Opens a port for each round trip, with the server behind it.
fn listen(round_trips: &[Duration], address: &str) -> Result<Vec<u16>> {
    let mut ports = Vec::new();
    for round_trip in round_trips.iter().copied() {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        ports.push(listener.local_addr()?.port());
        let address = address.to_owned();
        let far = move |client, opened| carry(client, TcpStream::connect(&address)?, opened, round_trip);
        thread::spawn(move || accept(&listener, far));
    }
    Ok(ports)
}

fn accept<Serve>(listener: &TcpListener, serve: Serve)
where
    Serve: Fn(TcpStream, Instant) -> std::io::Result<()> + Clone + Send + 'static,
{
    for client in listener.incoming().flatten() {
        let (opened, serve) = (Instant::now(), serve.clone());
        thread::spawn(move || {
            // A connection that ends badly ends the call that uses it, and the calling program reports that.
            if let Err(error) = serve(client, opened) {
                eprintln!("delay_proxy: {error}");
            }
        });
    }
}

/// Answers a `CONNECT`, which arrives complete and in one read, and carries the following bytes.
fn open_tunnel(mut client: TcpStream, server: &str) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    carry(client, TcpStream::connect(server)?, Instant::now(), Duration::ZERO)
}

/// Carries one connection in both directions until each side has ended its own.
fn carry(client: TcpStream, server: TcpStream, opened: Instant, round_trip: Duration) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let established = opened + round_trip;
    direct(client.try_clone()?, server.try_clone()?, established, round_trip / 2);
    direct(server, client, established, round_trip / 2);
    Ok(())
}

/// One direction: one thread reads, so that a delayed chunk does not delay the next one, and another thread
/// writes each chunk when it is due.
fn direct(from: TcpStream, to: TcpStream, established: Instant, delay: Duration) {
    let (sender, receiver) = channel();
    thread::spawn(move || receive(from, &sender, established, delay));
    thread::spawn(move || deliver(to, &receiver));
}

fn receive(mut from: TcpStream, chunks: &Sender<Chunk>, established: Instant, delay: Duration) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // A connection that was reset has ended.
        let count = from.read(&mut buffer).unwrap_or(0);
        let chunk = Chunk { due: Instant::now().max(established) + delay, bytes: buffer[..count].to_vec() };
        if chunks.send(chunk).is_err() || count == 0 {
            return;
        }
    }
}

fn deliver(mut to: TcpStream, chunks: &Receiver<Chunk>) {
    for chunk in chunks {
        thread::sleep(chunk.due.saturating_duration_since(Instant::now()));
        // A closed end accepts no bytes, and the other direction closes its peer.
        if chunk.bytes.is_empty() {
            let _ = to.shutdown(Shutdown::Write);
            return;
        }
        if to.write_all(&chunk.bytes).is_err() {
            return;
        }
    }
}
