//! Sends one request without a signature over an open connection and reads the head of the reply.

use std::io::{Read, Write};

use super::target::Target;

/// The largest size of a reply's head.
const LONGEST_HEAD: usize = 16 * 1024;

pub(super) trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// A connection with TLS or without it.
pub(super) type Connection = Box<dyn Stream>;

/// The status and the headers of a reply.
pub(super) struct Head {
    pub status: u16,
    headers: Vec<(String, String)>,
}

impl Head {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Sends a request with this body and without a signature, and reads the head of the reply.
pub(super) fn unsigned(
    connection: &mut (impl Stream + ?Sized),
    method: &str,
    target: &Target,
    body: &str,
) -> Result<Head, String> {
    let request = format!(
        "{method} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: merchantpay-doctor\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        target.path,
        target.authority(),
        body.len()
    );
    send(connection, &request)
}

/// Opens a tunnel through a proxy.
pub(super) fn tunnel(
    connection: &mut (impl Stream + ?Sized),
    target: &Target,
    authorization: Option<&str>,
) -> Result<Head, String> {
    let authority = target.authority();
    let authorization =
        authorization.map_or_else(String::new, |value| format!("Proxy-Authorization: Basic {value}\r\n"));
    send(connection, &format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n{authorization}\r\n"))
}

fn send(connection: &mut (impl Stream + ?Sized), request: &str) -> Result<Head, String> {
    let sent = connection.write_all(request.as_bytes()).and_then(|()| connection.flush());
    sent.map_err(|error| error.to_string())?;
    let mut head = Vec::new();
    let mut byte = [0];
    // Reads single bytes, because the bytes after the head belong to the tunnel.
    while !head.ends_with(b"\r\n\r\n") {
        match connection.read(&mut byte) {
            Ok(1) if head.len() < LONGEST_HEAD => head.extend_from_slice(&byte),
            Ok(0) => return Err("the connection ended before a reply".to_owned()),
            Ok(_) => return Err("the reply has no end of its headers".to_owned()),
            Err(error) => return Err(error.to_string()),
        }
    }
    parse(&String::from_utf8_lossy(&head)).ok_or_else(|| "the reply is not HTTP/1".to_owned())
}

fn parse(head: &str) -> Option<Head> {
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    Some(Head { status, headers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_status_and_headers_by_name() {
        let head = parse("HTTP/1.1 404 Not Found\r\nDate: a: b\r\nX: \r\n\r\n").unwrap();
        assert_eq!((head.status, head.header("date"), head.header("x")), (404, Some("a: b"), Some("")));
        for text in ["", "SSH-2.0", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/2 200"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
