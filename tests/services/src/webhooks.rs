//! The merchant's receiver of webhooks.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};

use crate::http::{message, serve_on};

#[derive(Clone, Debug)]
pub struct Hook {
    pub path: String,
    pub body: Vec<u8>,
    /// Empty if the header is absent.
    pub signature: String,
    /// Empty if the header is absent.
    pub key_id: String,
}

/// `take` returns the HTTP status of the answer.
pub fn receive(listener: TcpListener, take: impl Fn(Hook) -> u16 + Send + Sync + 'static) {
    serve_on(listener, move |mut stream: TcpStream| {
        // A request whose sender was killed is incomplete.
        while let Some(hook) = message(&mut stream).ok().and_then(|message| read(&message)) {
            let answer = format!("HTTP/1.1 {} Taken\r\nContent-Length: 0\r\n\r\n", take(hook));
            if stream.write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
}

fn read(message: &[u8]) -> Option<Hook> {
    let head = message.windows(4).position(|four| four == b"\r\n\r\n")?;
    let mut lines = std::str::from_utf8(&message[..head]).ok()?.split("\r\n");
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
    };
    let (signature, key_id) = (header("X-Signature"), header("X-KeyId"));
    Some(Hook { path, body: message[head + 4..].to_vec(), signature, key_id })
}
