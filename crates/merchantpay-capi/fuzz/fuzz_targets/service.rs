//! A service on loopback that sends raw bytes as the reply to each request, and the client that calls it.
#![allow(dead_code)]

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use merchantpay::{Client, Config};

use crate::common::{KEY, MERCHANT_KEY};

/// Replies in the order of the requests. The connection is closed after the last reply.
type Replies = Arc<Mutex<VecDeque<Vec<u8>>>>;

pub struct Service {
    pub client: Client,
    replies: Replies,
    requests: Arc<AtomicUsize>,
}

impl Service {
    pub fn start() -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (replies, requests) = (Replies::default(), Arc::new(AtomicUsize::new(0)));
        // These threads never end. Otherwise the leak check would report memory that the C library keeps for
        // an ended thread.
        for _ in 0..8 {
            let listener = listener.try_clone().expect("a descriptor");
            let (given, counted) = (Arc::clone(&replies), Arc::clone(&requests));
            std::thread::spawn(move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    serve(stream, &given, &counted);
                }
            });
        }
        let config = Config::new(url, "merchant", MERCHANT_KEY.clone(), KEY.public_key())
            .timeout(Duration::from_secs(5))
            .max_retries(0);
        Service { client: Client::new(config).expect("a client"), replies, requests }
    }

    /// Sets the replies to the next requests, one for each.
    pub fn replies(&self, replies: impl IntoIterator<Item = Vec<u8>>) {
        *self.replies.lock().expect("no panic") = replies.into_iter().collect();
    }

    /// The number of requests so far.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, replies: &Replies, requests: &AtomicUsize) {
    while read_request(&mut stream) {
        requests.fetch_add(1, Ordering::SeqCst);
        let mut left = replies.lock().expect("no panic");
        let (reply, is_last) = (left.pop_front(), left.len() == 0);
        drop(left);
        if stream.write_all(&reply.unwrap_or_default()).is_err() || is_last {
            return;
        }
    }
}

/// Reads a request: its head, and a body of the length that the head announces.
fn read_request(stream: &mut TcpStream) -> bool {
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or_default();
            if bytes.len() >= end + 4 + length {
                return true;
            }
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return false,
            Ok(size) => bytes.extend_from_slice(&part[..size]),
        }
    }
}

/// A signed reply to `getStatus`, with an additional line in its head.
pub fn reply(line: &[u8]) -> Vec<u8> {
    let body = br#"{"success":true,"orderId":"o-1","status":"pending"}"#;
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX-Signature: {}\r\n",
        body.len(),
        KEY.sign(body).to_base64()
    );
    [head.as_bytes(), line, b"\r\n", body].concat()
}
