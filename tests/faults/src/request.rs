//! An HTTP request, read by a strict service.

use std::io;

use httparse::{EMPTY_HEADER, Header, Status};
use merchantpay::{BASE_PATH, OPERATIONS, Signature};

use crate::channel::Channel;
use crate::client::{KEY_ID, MERCHANT};

pub(crate) struct Request {
    pub(crate) path: &'static str,
    pub(crate) body: Vec<u8>,
    /// The position on the wire at which the request begins.
    pub(crate) start: usize,
    /// Bytes without a meaning followed before the response was sent.
    pub(crate) is_followed: bool,
}

pub(crate) enum Received {
    Request(Request),
    /// Not a request for an operation, signed by the merchant.
    Garbled,
    /// The connection ended before or within a request.
    End,
}

pub(crate) fn receive(channel: &mut Channel) -> io::Result<Received> {
    let mut unread = Vec::new();
    let mut more = channel.read(&mut unread)?;
    let start = channel.wire.part_start;
    while more {
        let mut headers = [EMPTY_HEADER; 32];
        let mut head = httparse::Request::new(&mut headers);
        let Ok(parsed) = head.parse(&unread) else { return Ok(Received::Garbled) };
        if let Status::Complete(size) = parsed {
            let length = only(head.headers, "Content-Length").and_then(|length| length.parse::<usize>().ok());
            let Some(length) = length else { return Ok(Received::Garbled) };
            let end = size.saturating_add(length);
            if let Some(body) = unread.get(size..end) {
                let Some(path) = operation(&head, body) else { return Ok(Received::Garbled) };
                let is_followed = unread.len() > end;
                return Ok(Received::Request(Request { path, body: body.to_vec(), start, is_followed }));
            }
        }
        more = channel.read(&mut unread)?;
    }
    Ok(Received::End)
}

/// The path of a request, if it is an operation's and the signature verifies.
fn operation(head: &httparse::Request<'_, '_>, body: &[u8]) -> Option<&'static str> {
    let target = head.path.filter(|_| head.method == Some("POST") && head.version == Some(1))?;
    let path = target.strip_prefix(BASE_PATH)?;
    let operation = OPERATIONS.iter().find(|operation| operation.path == path)?;
    let signature = only(head.headers, "X-Signature").and_then(Signature::from_base64)?;
    let is_signed =
        only(head.headers, "X-KeyId") == Some(KEY_ID) && MERCHANT.public_key().verifies(body, &signature);
    is_signed.then_some(operation.path)
}

/// The header with this name, if there is exactly one.
fn only<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a str> {
    let mut found = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let header = found.next()?;
    if found.next().is_some() { None } else { std::str::from_utf8(header.value).ok() }
}
