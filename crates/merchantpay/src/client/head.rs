//! Reads the head of a response: the status line and the headers. ureq's parser is strict, and gets only what it
//! needs: a header that the library does not use must not cost a signed reply, however malformed it is.

use std::borrow::Cow;
use std::io::{self, Read};

use super::failure::Cause;

/// The largest number of bytes before a reply's body, with all informational responses.
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

/// The headers that say where the response ends. They always reach ureq, which refuses what is malformed, because a
/// response may only be used if nobody can read its end differently.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// The other headers that the library uses. A malformed one is dropped.
const USED: [&str; 7] =
    ["x-signature", "x-keyid", "connection", "content-type", "content-encoding", "date", "retry-after"];

/// The head of the final response.
pub(super) struct Head {
    pub(super) status: u16,
    /// The number of bytes of the input that it takes.
    pub(super) length: usize,
    /// What ureq gets in its place.
    pub(super) text: Vec<u8>,
}

enum Found {
    /// An empty line (RFC 9112, section 2.2) or an informational response (RFC 9110, section 15.2) of this length.
    Skip(usize),
    Head(Head),
}

/// Reads until the head of the final response is at the beginning of `input`; `None` if the connection ends before. `more`
/// appends what has come, and returns its length.
pub(super) fn read_head(
    input: &mut Vec<u8>,
    mut more: impl FnMut(&mut Vec<u8>) -> io::Result<usize>,
) -> io::Result<Option<Head>> {
    // No head ends within the first `searched` bytes of the input.
    let (mut skipped, mut searched) = (0, 0);
    loop {
        let found = find(input, searched)?;
        let length = match &found {
            None => input.len(),
            Some(Found::Skip(length)) => *length,
            Some(Found::Head(head)) => head.length,
        };
        if skipped + length > LONGEST_HEAD {
            return Err(Cause::LongHead(LONGEST_HEAD).into());
        }
        match found {
            Some(Found::Head(head)) => return Ok(Some(head)),
            Some(Found::Skip(length)) => {
                input.drain(..length);
                (skipped, searched) = (skipped + length, 0);
            }
            None => {
                searched = input.len();
                if more(input)? == 0 {
                    return Ok(None);
                }
            }
        }
    }
}

/// Reads once from the stream, at most `most` bytes.
pub(super) fn append(
    stream: &mut (impl Read + ?Sized),
    most: usize,
    input: &mut Vec<u8>,
) -> io::Result<usize> {
    let start = input.len();
    input.resize(start + most, 0);
    let read = stream.read(&mut input[start..]);
    input.truncate(start + read.as_ref().copied().unwrap_or(0));
    read
}

fn find(input: &[u8], searched: usize) -> io::Result<Option<Found>> {
    match input {
        [b'\r', b'\n', ..] => return Ok(Some(Found::Skip(2))),
        [b'\n', ..] => return Ok(Some(Found::Skip(1))),
        [] | [b'\r'] => return Ok(None),
        _ => {}
    }
    let begins_with = |version: &[u8]| input.iter().zip(version).all(|(byte, expected)| byte == expected);
    if !begins_with(b"HTTP/1.1 ") && !begins_with(b"HTTP/1.0 ") {
        return Err(Cause::NotHttp.into());
    }
    let is_end = |end: &usize| input[..*end].ends_with(b"\n\n") || input[..*end].ends_with(b"\n\r\n");
    let line_ends = (searched..input.len()).filter(|place| input[*place] == b'\n');
    let Some(length) = line_ends.map(|place| place + 1).find(is_end) else { return Ok(None) };
    let status = status(input).ok_or(Cause::NotHttp)?;
    // 101 means Switching Protocols: no HTTP follows.
    Ok(Some(match status {
        100 | 102..=199 => Found::Skip(length),
        _ => Found::Head(Head { status, length, text: used_lines(&input[..length]) }),
    }))
}

fn status(head: &[u8]) -> Option<u16> {
    let (digits, rest) = head.get(b"HTTP/1.1 ".len()..)?.split_at_checked(3)?;
    let is_number = digits.iter().all(u8::is_ascii_digit) && matches!(rest, [b' ' | b'\r' | b'\n', ..]);
    is_number.then(|| digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit - b'0')))
}

/// The head without the reason and the headers that are not used. A folded header becomes one line (RFC 9112,
/// section 5.2).
fn used_lines(head: &[u8]) -> Vec<u8> {
    let mut lines =
        head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).peekable();
    let mut text = Vec::with_capacity(head.len());
    text.extend(lines.next().unwrap_or_default().iter().take(b"HTTP/1.1 200".len()));
    text.extend(b" \r\n");
    while let Some(line) = lines.next() {
        let mut line = Cow::Borrowed(line);
        while let Some(more) = lines.next_if(|line| matches!(line, [b' ' | b'\t', ..])) {
            line.to_mut().push(b' ');
            line.to_mut().extend_from_slice(more.trim_ascii());
        }
        if is_used(&line) {
            text.extend_from_slice(&line);
            text.extend(b"\r\n");
        }
    }
    text.extend(b"\r\n");
    text
}

fn is_used(line: &[u8]) -> bool {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return false };
    let (name, value) = line.split_at(colon);
    // Whatever another reader could take for a framing header is one here too, and refused if it is malformed.
    let letters = name.iter().filter(|byte| byte.is_ascii_graphic()).map(u8::to_ascii_lowercase);
    let is_well_formed = !value.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t');
    FRAMING.iter().any(|known| letters.clone().eq(known.bytes()))
        || is_well_formed && USED.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> io::Result<(u16, String)> {
        let head = read_head(&mut input.to_vec(), |_| Ok(0))?.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok((head.status, String::from_utf8_lossy(&head.text).into_owned()))
    }

    fn kept(headers: &str) -> String {
        let (status, text) = all(format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes()).unwrap();
        assert_eq!(status, 200);
        let lines = text.strip_prefix("HTTP/1.1 200 \r\n").and_then(|text| text.strip_suffix("\r\n"));
        lines.unwrap_or_else(|| panic!("{text:?}")).to_owned()
    }

    #[test]
    fn used_headers_are_kept_and_all_others_dropped() {
        for headers in [
            "X-Signature: abc\r\nx-keyid: k\r\n",
            "content-type: text/plain; a=\"b\"\r\nContent-Encoding: gzip\r\nDate: x\r\nRetry-After:\t7\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n",
        ] {
            let noise = "Set-Cookie: a=\x01\r\nno colon\r\nVia : x\r\n: y\r\nX: \u{e9}\rZ\r\n";
            assert_eq!(kept(&format!("{noise}{headers}{noise}")), headers);
            assert_eq!(kept(&headers.replace("\r\n", "\n")), headers, "a line feed alone ends a line");
        }
        assert_eq!(kept(&"X: y\r\n".repeat(5000)), "", "any number of them");
    }

    #[test]
    fn a_malformed_header_is_dropped_unless_it_frames_the_body() {
        for dropped in ["Content-Type: a\x00b\r\n", "Retry-After : 7\r\n", "Connection: \x01\r\n"] {
            assert_eq!(kept(dropped), "");
        }
        for unchanged in [
            "Content-Length : 5\r\n",
            "content-length\t: 5\r\n",
            "\x01Content-Length: 5\r\n",
            "Transfer-Encoding: chunked\x0b\r\n",
            "Transfer-Encoding: x\r chunked\r\n",
            "Content-Length: 5\r\nContent-Length: 6\r\n",
        ] {
            assert_eq!(kept(unchanged), unchanged);
        }
    }

    #[test]
    fn a_folded_header_becomes_one_line() {
        assert_eq!(kept("X-Signature: abc\r\n\tdef \r\n   ghi\r\n"), "X-Signature: abc def ghi\r\n");
        assert_eq!(kept("Content-Length:\r\n 5\r\n"), "Content-Length: 5\r\n");
        assert_eq!(kept("Via: a\r\n Content-Length: 5\r\n"), "", "the fold is of the dropped header");
        assert_eq!(kept("Content-Type: a\r\n \x01\r\n"), "");
        assert_eq!(kept(" folded under the status line\r\nX-KeyId: k\r\n"), "X-KeyId: k\r\n");
    }

    #[test]
    fn informational_responses_and_empty_lines_come_before_the_response() {
        let response = "HTTP/1.0 404\r\nX-KeyId: k\r\n\r\n";
        for before in [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nX-Signature: x\r\nZ:\r\n\r\n",
            "HTTP/1.0 199\n\n",
            "HTTP/1.1 102 \nX: y\n\r\n",
            "\r\n",
            "\n\r\nHTTP/1.1 100\r\n\r\n\n",
        ] {
            let input = format!("{before}{response}");
            let expected = (404, "HTTP/1.0 404 \r\nX-KeyId: k\r\n\r\n".to_owned());
            assert_eq!(all(format!("{input}body").as_bytes()).unwrap(), expected, "{before:?}");
            // Byte by byte, no head is found before its last byte.
            let mut rest = input.as_bytes();
            let mut byte = Vec::new();
            let head = read_head(&mut byte, |input| append(&mut rest, 1, input)).unwrap().unwrap();
            assert_eq!((head.status, rest, head.length), (404, &b""[..], response.len()), "{before:?}");
        }
        let switching = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
        assert_eq!(all(switching.as_bytes()).unwrap().0, 101, "no HTTP follows it");
    }

    #[test]
    fn what_is_not_http_is_refused_at_once() {
        for input in
            ["220 smtp", "HTTP/2 200", "http/1.1 200", "\rx", "HTTP/1.1  200\n\n", "HTTP/1.1 2000\n\n"]
        {
            let failure = all(input.as_bytes()).unwrap_err();
            assert!(matches!(Cause::of(&failure), Some(Cause::NotHttp)), "{input:?}: {failure}");
        }
    }

    #[test]
    fn heads_have_a_longest_length_together() {
        let hints = "HTTP/1.1 103 Early Hints\r\n\r\n";
        let before = hints.repeat((LONGEST_HEAD - 100) / hints.len());
        let head = |length: usize| {
            let (start, end) = ("HTTP/1.1 200 OK\r\nX: ", "\r\n\r\n");
            format!("{before}{start}{}{end}", "y".repeat(length - before.len() - start.len() - end.len()))
        };
        assert!(all(head(LONGEST_HEAD).as_bytes()).is_ok());
        for input in [head(LONGEST_HEAD + 1), head(LONGEST_HEAD + 4)[..=LONGEST_HEAD].to_owned()] {
            let failure = all(input.as_bytes()).unwrap_err();
            assert!(matches!(Cause::of(&failure), Some(Cause::LongHead(_))), "{failure}");
        }
        assert!(all("\r\n".repeat(LONGEST_HEAD).as_bytes()).is_err());
    }
}
