//! An HTTP request, read by a strict service.

use std::io;

use merchantpay::{BASE_PATH, OPERATIONS, PublicKey, Signature};

use crate::channel::Channel;
use crate::client::KEY_ID;

pub(crate) struct Request {
    line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The position on the wire at which the request begins.
    pub(crate) start: usize,
    /// `true` if bytes followed the request before its response was sent. Such bytes have no meaning.
    pub(crate) is_followed: bool,
}

/// The result of reading from the connection.
pub(crate) enum Received {
    Request(Request),
    /// The bytes are not a request.
    Garbled,
    /// The connection ended before or within a request.
    End,
}

/// The reason for not serving a request: the status of the unsigned reply.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    Garbled = 400,
    Unsigned = 401,
    NotFound = 404,
}

/// Reads one request.
pub(crate) fn receive(channel: &mut Channel) -> io::Result<Received> {
    let mut unread = Vec::new();
    let more = channel.read(&mut unread)?;
    let start = channel.wire.part_start;
    if !more {
        return Ok(Received::End);
    }
    let head = loop {
        match unread.windows(4).position(|four| four == b"\r\n\r\n") {
            Some(head) => break head,
            None if channel.read(&mut unread)? => {}
            None => return Ok(Received::End),
        }
    };
    let Some((line, headers)) = parse(&unread[..head]) else { return Ok(Received::Garbled) };
    let mut request = Request { line, headers, body: Vec::new(), start, is_followed: false };
    let Some(length) = request.only("Content-Length").and_then(|length| length.parse::<usize>().ok()) else {
        return Ok(Received::Garbled);
    };
    let body = head + 4;
    while unread.len() < body.saturating_add(length) {
        if !channel.read(&mut unread)? {
            return Ok(Received::End);
        }
    }
    request.is_followed = unread.len() > body + length;
    unread.truncate(body + length);
    request.body = unread.split_off(body);
    Ok(Received::Request(request))
}

fn parse(head: &[u8]) -> Option<(String, Vec<(String, String)>)> {
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let line = lines.next()?.to_owned();
    let mut headers = Vec::new();
    for header in lines {
        let (name, value) = header.split_once(':')?;
        let is_token = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if !is_token || value.contains(|character: char| character.is_control()) {
            return None;
        }
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    Some((line, headers))
}

impl Request {
    /// The header with this name, if there is exactly one.
    fn only(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(header, _)| header.eq_ignore_ascii_case(name));
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    pub(crate) fn mentions(&self, text: &str) -> bool {
        self.body.windows(text.len()).any(|part| part == text.as_bytes())
    }

    /// The path of a complete request, if the path is an operation and the signature verifies. Otherwise the
    /// reason for the refusal.
    pub(crate) fn operation(&self, merchant: PublicKey) -> Result<&str, Refusal> {
        let target = self
            .line
            .strip_prefix("POST ")
            .and_then(|rest| rest.strip_suffix(" HTTP/1.1"))
            .ok_or(Refusal::Garbled)?;
        let path =
            target.strip_prefix(BASE_PATH).filter(|path| OPERATIONS.iter().any(|known| known.path == *path));
        let path = path.ok_or(Refusal::NotFound)?;
        let signature = self.only("X-Signature").and_then(Signature::from_base64).ok_or(Refusal::Unsigned)?;
        if self.only("X-KeyId") != Some(KEY_ID) || !merchant.verifies(&self.body, &signature) {
            return Err(Refusal::Unsigned);
        }
        Ok(path)
    }
}
