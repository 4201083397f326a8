//! Sends raw bytes as an HTTP request to a server of this process. `SIGN` is replaced by the signature of
//! everything after the first empty line, and `LEN` by the length of that part.
#![allow(dead_code, reason = "each target uses a part of it")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use merchantpay::PrivateKey;

/// Sends the bytes, and returns the status of the response, if one comes.
pub fn send(address: SocketAddr, data: &[u8], key: &PrivateKey) -> Option<u16> {
    // Without a free port nothing can be tested.
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_nodelay(true).ok()?;
    let end = data.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
    let (head, body) = data.split_at(end.unwrap_or(data.len()));
    let head = replaced(head, b"SIGN", key.sign(body).to_base64().as_bytes());
    let head = replaced(&head, b"LEN", body.len().to_string().as_bytes());
    // A server may answer and close before it has read everything.
    let _ = stream.write_all(&[&head, body].concat());
    if end.is_none() {
        stream.shutdown(Shutdown::Write).ok()?;
    }
    let mut response = Vec::new();
    for patience in [50, 3000] {
        stream.set_read_timeout(Some(Duration::from_millis(patience))).ok()?;
        match stream.read_to_end(&mut response) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                // Closes the sending side, because the server may wait for more bytes.
                stream.shutdown(Shutdown::Write).ok()?;
            }
            _ => break,
        }
    }
    let response = String::from_utf8_lossy(&response);
    response.strip_prefix("HTTP/1.").map(|rest| rest[2..5].parse().expect("a status"))
}

fn replaced(text: &[u8], name: &[u8], value: &[u8]) -> Vec<u8> {
    match text.windows(name.len()).position(|window| window == name) {
        Some(at) => [&text[..at], value, &text[at + name.len()..]].concat(),
        None => text.to_vec(),
    }
}
