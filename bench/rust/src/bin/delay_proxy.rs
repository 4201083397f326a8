//! A proxy that simulates distance: `delay_proxy HOST:PORT MS…` listens on one port for each round-trip time
//! in milliseconds. It carries all bytes to the server and back, and delays each direction by half of the
//! round trip. The first bytes of a new connection are delayed by one more round trip, because TCP's
//! handshake with this proxy on the same machine takes no time. It also listens on a second port for each
//! round-trip time: these ports lead to an http proxy next to the server.
//!
//! The program prints both lists of ports as one line of JSON, and ends when its standard input ends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use merchantpay_bench::Result;

/// Bytes of one read, and the time at which they must arrive at the other end. A chunk without bytes means
/// that no more bytes come in that direction.
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

/// Opens one port for each round-trip time, and carries its connections to the server.
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
            // A failed connection fails the call that uses it, and the calling program reports the failure.
            if let Err(error) = serve(client, opened) {
                eprintln!("delay_proxy: {error}");
            }
        });
    }
}

/// Answers a `CONNECT` request, which arrives complete in one read, and then carries all bytes in both
/// directions.
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

/// Carries one connection in both directions, until each side has ended its direction.
fn carry(client: TcpStream, server: TcpStream, opened: Instant, round_trip: Duration) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let established = opened + round_trip;
    direct(client.try_clone()?, server.try_clone()?, established, round_trip / 2);
    direct(server, client, established, round_trip / 2);
    Ok(())
}

/// Carries one direction. One thread reads, and another thread writes each chunk when it is due, so that a
/// waiting chunk does not delay the reading of the next one.
fn direct(from: TcpStream, to: TcpStream, established: Instant, delay: Duration) {
    let (sender, receiver) = channel();
    thread::spawn(move || receive(from, &sender, established, delay));
    thread::spawn(move || deliver(to, &receiver));
}

fn receive(mut from: TcpStream, chunks: &Sender<Chunk>, established: Instant, delay: Duration) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // A reset has the same effect as the end of the connection.
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
        // An error here means that this end is closed. The thread of the other direction reads from the
        // closed end, and then shuts down the other end.
        if chunk.bytes.is_empty() {
            let _ = to.shutdown(Shutdown::Write);
            return;
        }
        if to.write_all(&chunk.bytes).is_err() {
            return;
        }
    }
}
