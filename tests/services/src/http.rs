//! Servers of plain HTTP, and TLS in front of them.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Calls this function with each connection, at a free port of 127.0.0.1.
///
/// # Panics
///
/// If no port is free.
pub fn serve(answer: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    serve_on(listener, answer);
    address
}

/// Like [`serve`], with connections that may be waiting already.
pub fn serve_on(listener: TcpListener, answer: impl Fn(TcpStream) + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(stream));
        }
    });
}

pub fn answering(reply: &'static str) -> SocketAddr {
    serve(
        move |mut stream| {
            while message(&mut stream).is_ok() && stream.write_all(reply.as_bytes()).is_ok() {}
        },
    )
}

/// The end of either connection ends the other one.
pub fn tls_before(server: SocketAddr, settings: Arc<ServerConfig>) -> SocketAddr {
    // Some servers end their connections badly on purpose.
    serve(move |stream| drop(carry(stream, server, settings.clone())))
}

fn carry(outside: TcpStream, server: SocketAddr, settings: Arc<ServerConfig>) -> io::Result<()> {
    let connection = ServerConnection::new(settings).map_err(io::Error::other)?;
    let (mut outside, mut inside) = (StreamOwned::new(connection, outside), TcpStream::connect(server)?);
    loop {
        inside.write_all(&message(&mut outside)?)?;
        outside.write_all(&message(&mut inside)?)?;
        outside.flush()?;
    }
}

/// The bytes up to the empty line, inclusive.
///
/// # Errors
///
/// If the connection ends before.
pub fn head(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut read, mut byte) = (Vec::new(), [0]);
    while !read.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        read.extend_from_slice(&byte);
    }
    Ok(read)
}

/// A head and its body, which has the length in `Content-Length`.
///
/// # Errors
///
/// If the connection ends before.
pub fn message(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut read = head(stream)?;
    let text = String::from_utf8_lossy(&read).to_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body)?;
    read.extend_from_slice(&body);
    Ok(read)
}
